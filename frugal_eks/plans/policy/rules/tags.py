"""Tags by which a bill is split and an owner found."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

from frugal_eks.plans.policy.reading import Object, dig, is_unknown, mapping, objects
from frugal_eks.plans.policy.rule import Finding, ResourceRule, Settings, StackRule
from frugal_eks.plans.previews import Resource

FILE = Path(__file__).parent.parent / "tagged-types.txt"
"""Made by `python -m frugal_eks.plans.policy.tagged_types`."""
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
"""Its tags are those of the instances and volumes that Karpenter makes."""
_SHOWN = 5


@lru_cache(maxsize=1)
def tagged_types() -> frozenset[str]:
    """Types of the AWS provider that take tags."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def tags(resource: Resource) -> Object | None:
    """What it is tagged with; None where it takes no tags, or they are unknown.

    The provider has put `aws:defaultTags` among them already.
    """
    if resource.type == NODE_CLASS:
        found = dig(resource.inputs, "spec.tags")
    elif resource.type in tagged_types():
        found = resource.inputs.get("tags")
    else:
        return None
    if is_unknown(found):
        return None
    if isinstance(found, Mapping):
        return mapping(cast(object, found))
    # An Auto Scaling group lists them with whether instances get them too.
    return {str(one.get("key")): one.get("value") for one in objects(found)}


def _missing(resource: Resource, settings: Settings) -> Iterator[str]:
    found = tags(resource)
    if found is None:
        return
    missing = [key for key in settings.required_tags if not found.get(key)]
    if missing:
        where = "spec.tags" if resource.type == NODE_CLASS else "tags"
        yield f"{where} lacks {', '.join(missing)}"


def _untagged(resources: Sequence[Resource], settings: Settings) -> Iterator[Finding]:
    if settings.required_tags:
        return
    bare = [one for one in resources if one.type != NODE_CLASS and tags(one) == {}]
    if bare:
        kinds = Counter(one.type.rpartition(":")[2] for one in bare).most_common()
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
