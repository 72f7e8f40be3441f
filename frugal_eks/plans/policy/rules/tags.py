"""Rules about tags for cost allocation and ownership."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.policy.reading import Object, dig, is_unknown, objects
from frugal_eks.plans.policy.rule import Finding, ResourceRule, Settings, StackRule
from frugal_eks.plans.previews import Resource

FILE = Path(__file__).parent.parent / "tagged-types.txt"
"""List of types with tags; `python -m frugal_eks.plans.policy.tagged_types` writes it."""
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
"""Type whose `spec.tags` Karpenter puts on instances and volumes."""
_SHOWN = 5


@lru_cache(maxsize=1)
def tagged_types() -> frozenset[str]:
    """Types of the AWS provider that accept tags."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def tags(resource: Resource) -> Object | None:
    """Tags of a resource; None if its type accepts no tags, or they are unknown.
    The provider has merged `aws:defaultTags` already.
    """
    if resource.type == NODE_CLASS:
        given = dig(resource.inputs, "spec.tags")
    elif resource.type in tagged_types():
        given = resource.inputs.get("tags")
    else:
        return None
    if is_unknown(given):
        return None
    if isinstance(given, Mapping):
        return mapping(cast(object, given))
    # An Auto Scaling group lists them with whether instances get them too.
    return {str(tag.get("key")): tag.get("value") for tag in objects(given)}


def _missing(resource: Resource, settings: Settings) -> Iterator[str]:
    present = tags(resource)
    if present is None:
        return
    missing = [key for key in settings.required_tags if not present.get(key)]
    if missing:
        where = "spec.tags" if resource.type == NODE_CLASS else "tags"
        yield f"{where} lacks {', '.join(missing)}"


def _untagged(resources: Sequence[Resource], settings: Settings) -> Iterator[Finding]:
    if settings.required_tags:
        return
    bare = [
        resource for resource in resources if resource.type != NODE_CLASS and tags(resource) == {}
    ]
    if bare:
        kinds = Counter(resource.type.rpartition(":")[2] for resource in bare).most_common()
        shown = ", ".join(f"{count} {kind}" for kind, count in kinds[:_SHOWN])
        more = f", {sum(count for _, count in kinds[_SHOWN:])} more" if kinds[_SHOWN:] else ""
        have = "resource has" if len(bare) == 1 else "resources have"
        yield Finding("", f"{len(bare)} {have} no tag at all ({shown}{more})")


RULES = (
    ResourceRule(
        name="missing-tags",
        level="mandatory",
        reason="What lacks a tag that you ask for is on nobody's bill.",
        remedy="add them: `aws:defaultTags` for all that AWS's provider makes, `tags` of a node "
        "class for Karpenter's nodes",
        check=_missing,
    ),
    StackRule(
        name="untagged",
        level="advisory",
        reason="A bill can only be split by tags; told once for the stack, until `requiredTags` "
        "says which.",
        remedy="name keys in `policy.requiredTags`, or set `aws:defaultTags`",
        check=_untagged,
    ),
)
