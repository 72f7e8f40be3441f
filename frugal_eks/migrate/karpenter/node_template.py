"""Converts AWSNodeTemplate v1alpha1, or a Provisioner's inline provider, to a node class."""

from collections.abc import Mapping
from typing import Any

from components.karpenter.crd_structure import as_map
from components.karpenter.node_classes import RESTRICTED_TAGS
from frugal_eks.migrate.karpenter import metadata, schemas, settings
from frugal_eks.migrate.karpenter.class_names import OLD_CLASS, Shared, classes_of, is_a, name_of
from frugal_eks.migrate.karpenter.images import PINNED, put_images
from frugal_eks.migrate.karpenter.part import Part
from frugal_eks.migrate.karpenter.selectors import network_terms
from frugal_eks.migrate.karpenter.volumes import put_volumes
from frugal_eks.migrate.notes import Context, Converted, Note
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

OLD_TAGS = {
    "karpenter.sh/provisioner-name": "Karpenter sets karpenter.sh/nodepool instead: drop it",
    "karpenter.sh/managed-by": "Karpenter sets eks:eks-cluster-name instead: drop it",
}
OF_PROFILE = "as before: name its role by instanceProfileRole, and give that an access entry"
SELECTORS = {
    "subnetSelector": "subnetSelectorTerms",
    "securityGroupSelector": "securityGroupSelectorTerms",
}
# The alpha API's, by its CRD: one set for metadataOptions that are absent, one for what is absent
# in them. v1 has a hop limit of 1 and asks for tokens in both.
_ABSENT = {"httpPutResponseHopLimit": 2, "httpTokens": "required"}
_PARTIAL = {"httpPutResponseHopLimit": 1, "httpTokens": "optional"}
_BOTH = {"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled"}


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is an AWSNodeTemplate."""
    return is_a(document, OLD_CLASS)


def convert_node_template(source: Reader, context: Context) -> Converted:
    """Converts to one class, or to one for each set of kubelet settings of its Provisioners."""
    sections = Sections()
    sections.leave(metadata.take_object(source))
    spec, broken = schemas.checked("AWSNodeTemplate", source.take("spec", {}))
    sections.leave(broken)
    first, *others = classes_of(name_of(source.value), context.documents)
    put_class(sections, spec, first, context)
    for shared in others:
        notes_before = len(sections.left)
        put_class(sections, spec, shared, context)
        del sections.left[notes_before:]  # the same as of the first
    return sections.converted()


def put_class(
    sections: Sections,
    spec: Mapping[str, Any],
    shared: Shared,
    context: Context,
    path: str = "spec",
) -> None:
    """Puts the class of a template's spec, which keeps to its schema and is at `path` of its
    document.
    """
    own = Sections()
    part = Part(own, "nodeClasses", shared.name)
    put_images(part, spec)
    for old, new in SELECTORS.items():
        terms, mistakes = network_terms(spec.get(old) or {})
        for mistake in mistakes:
            where = f"spec.{old}.{mistake.path}" if mistake.path else f"spec.{old}"
            part.leave(where, mistake.problem, mistake.value)
        if terms:
            part.put(new, terms)
        else:
            part.say(f"no {old}: found by the tag karpenter.sh/discovery")
    _put_identity(part, spec, context)
    _put_tags(part, spec, context)
    _put_metadata(part, spec)
    put_volumes(part, spec)
    for key in ("detailedMonitoring", "userData", "context"):
        if key in spec:
            part.put(key, spec[key])
    if "userData" in spec and not spec.get("amiSelector") and spec.get("amiFamily", "AL2") == "AL2":
        part.say("written for AL2: AL2023 has no /etc/eks/bootstrap.sh", "userData")
    _put_kubelet(part, shared)

    sections.put(part.place, part.values)
    sections.comments |= own.comments
    sections.leave(
        Note(path + note.path.removeprefix("spec"), note.text, note.value) for note in own.left
    )


def put_stand_in(part: Part, shared: Shared) -> None:
    """Puts a class of which only the name and the kubelet settings are known."""
    part.put("amiAlias", PINNED["AL2023"], "a stand-in: nothing is known of this class")
    _put_kubelet(part, shared)


def _put_kubelet(part: Part, shared: Shared) -> None:
    if shared.kubelet:
        pools = ", ".join(shared.pools)
        part.put("kubelet", dict(shared.kubelet), f"from {pools}: it stood on the pool")


def _put_identity(part: Part, spec: Mapping[str, Any], context: Context) -> None:
    profile = spec.get("instanceProfile")
    if profile is None:
        profile = settings.default_instance_profile(context.documents)
    if profile:
        part.put("instanceProfile", profile, OF_PROFILE)
    if "launchTemplate" in spec:
        text = (
            "Karpenter takes no launch template of yours any more: say in this class what it "
            "holds (image, user data, volumes, security groups)"
        )
        part.leave("spec.launchTemplate", text, spec["launchTemplate"])


def _put_tags(part: Part, spec: Mapping[str, Any], context: Context) -> None:
    tags: dict[str, str] = {}
    everywhere = settings.tags(context.documents)
    for key, value in (everywhere | as_map(spec.get("tags"))).items():
        if key in OLD_TAGS:
            part.leave(f"spec.tags.{key}", OLD_TAGS[key], value)
        elif key in RESTRICTED_TAGS or key.startswith("kubernetes.io/cluster"):
            part.leave(f"spec.tags.{key}", "Karpenter sets this tag itself: drop it", value)
        else:
            tags[key] = value
    if tags:
        part.put("tags", tags)
    for key in everywhere:
        if key in tags and key not in as_map(spec.get("tags")):
            part.say("from aws.tags of karpenter-global-settings", "tags", key)


def _put_metadata(part: Part, spec: Mapping[str, Any]) -> None:
    options: Mapping[str, Any] | None = spec.get("metadataOptions")
    key = "metadataOptions"
    if options is None:
        part.put(key, {**_BOTH, **_ABSENT})
        comment = "the old default; 1, the present one, keeps pods away from the node's role"
        part.say(comment, key, "httpPutResponseHopLimit")
        return
    part.put(key, {**_BOTH, **_PARTIAL, **options})
    if "httpTokens" not in options:
        comment = "the old default here; required, the present one, refuses requests without token"
        part.say(comment, key, "httpTokens")
