"""Converts ConfigMap karpenter-global-settings to keys of the stack and of the node classes."""

from collections.abc import Mapping, Sequence
from typing import Any

from components.karpenter.crd_structure import as_map
from frugal_eks.migrate.karpenter import metadata
from frugal_eks.migrate.karpenter.class_names import OLD_CLASS, is_a
from frugal_eks.migrate.notes import Context, Converted, Note
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

NAME = "karpenter-global-settings"
PROFILE = "aws.defaultInstanceProfile"
TAGS = "aws.tags."

Documents = Sequence[Mapping[str, Any]]

# What the stack does by itself, whatever stood there.
_BY_ITSELF = (
    "aws.clusterName",
    "aws.clusterEndpoint",
    "aws.clusterCABundle",
    "aws.interruptionQueueName",
)
# What every Karpenter does now; the value that asked for it has nothing left to say.
_ALWAYS = {"featureGates.driftEnabled": "true"}
# What the old API and the new one take where nothing is said.
_DEFAULTS = {
    "batchMaxDuration": "10s",
    "batchIdleDuration": "1s",
    "aws.vmMemoryOverheadPercent": "0.075",
    "aws.reservedENIs": "0",
    "aws.isolatedVPC": "false",
    "aws.enablePodENI": "false",
    "aws.enableENILimitedPodDensity": "true",
}
_LEFT = {
    "featureGates.driftEnabled": (
        "changed nodes are always replaced since Karpenter 1.0: slow it down by a budget with "
        'reasons: [Drifted] and nodes: "0"'
    ),
    "aws.isolatedVPC": "write natGateways: none into network, which makes it so",
    "aws.enablePodENI": "is gone: Karpenter reads it from the VPC CNI",
    "aws.enableENILimitedPodDensity": "is gone: write maxPods under the kubelet of each class",
    "aws.assumeRoleARN": "is gone: Karpenter works in the account of its cluster only",
    "aws.assumeRoleDuration": "is gone with aws.assumeRoleARN",
}
_NO_KEY = "the stack gives Karpenter's chart no such value: it keeps the chart's own"


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is the ConfigMap of Karpenter's settings."""
    api = (document.get("apiVersion"), document.get("kind"))
    return api == ("v1", "ConfigMap") and as_map(document.get("metadata")).get("name") == NAME


def convert_global_settings(source: Reader, context: Context) -> Converted:
    """Converts the namespace, if given; the rest is automatic, part of the classes, or left."""
    sections = Sections()
    namespace = as_map(source.value.get("metadata")).get("namespace")
    if namespace:
        sections.put(("karpenter", "namespace"), namespace)
    sections.leave(
        note for note in metadata.take_object(source) if note.path != "metadata.namespace"
    )
    of_classes = any(is_a(document, OLD_CLASS) for document in context.documents)
    for key, value in as_map(source.take("data")).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        in_classes = of_classes and (key == PROFILE or key.startswith(TAGS))
        known = key in _BY_ITSELF or text in (_ALWAYS.get(key), _DEFAULTS.get(key), "")
        if not (in_classes or known):
            sections.leave([Note(f"data.{key}", _reason(key), value)])
    return sections.converted()


def default_instance_profile(documents: Documents) -> str | None:
    """Instance profile of templates that name none; None if the settings have none."""
    return str(_data(documents).get(PROFILE) or "") or None


def tags(documents: Documents) -> dict[str, str]:
    """Tags of every instance."""
    entries = _data(documents).items()
    return {key.removeprefix(TAGS): str(value) for key, value in entries if key.startswith(TAGS)}


def _reason(key: str) -> str:
    if key == PROFILE:
        return "write it into each class as instanceProfile"
    if key.startswith(TAGS):
        return "write it into the tags of each class"
    return _LEFT.get(key, _NO_KEY)


def _data(documents: Documents) -> dict[str, Any]:
    config_maps = [document for document in documents if handles(document)]
    return as_map(config_maps[0].get("data")) if config_maps else {}
