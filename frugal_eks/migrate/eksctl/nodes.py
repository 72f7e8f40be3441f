"""Converts settings that eksctl's groups of both kinds have: size, volume, labels, taints,
kubelet.
"""

from typing import Any, Literal

from components.kubernetes.kubelet import KubeletConfig
from components.nodes.nodes import NodesConfig
from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader, ShapeError
from frugal_eks.migrate.sections import Sections

EKSCTL_NODES = 2
EKSCTL_GIB = 80
OUR_GIB = NodesConfig.model_fields["volume_gib"].default
_KUBELET = {field.alias for field in KubeletConfig.model_fields.values()}
_FAMILIES: dict[str, Literal["AL2023", "Bottlerocket"]] = {
    "AmazonLinux2023": "AL2023",
    "Bottlerocket": "Bottlerocket",
}
_RIGHTS = "nodes have the rights that every node needs, and add-ons have roles of their own"
_PRIVATE = "nodes are always in private subnets"
_SSH = "no node takes SSH: `aws ssm start-session --target i-…` leads to each"


def family(group: Reader) -> tuple[Literal["AL2023", "Bottlerocket"], str]:
    """Operating system of the stack file's group, and a comment if it changed."""
    ami_family = group.text("amiFamily")
    group.expect("ami", "auto")
    if ami_family is None or ami_family in _FAMILIES:
        return _FAMILIES.get(ami_family or "", "AL2023"), ""
    return "AL2023", f"was {ami_family}, of which this program starts no nodes"


def convert_settings(group: Reader, place: Place, out: Sections) -> None:
    """Converts the shared settings into the group at `place`; leaves the rest with reasons."""
    _size(group, (*place, "size"), out)
    _volume(group, place, out)
    labels = group.labels("labels")
    if labels:
        out.put((*place, "labels"), labels)
    taints = _taints(group)
    if taints:
        out.put((*place, "taints"), taints)
    _kubelet(group, (*place, "kubelet"), out)
    out.leave(group.fixed("privateNetworking", _PRIVATE, True))
    group.expect("disableIMDSv1", True)
    group.expect("disablePodIMDS", True)
    group.expect("propagateASGTags", True)
    ssh = group.part("ssh")
    ssh.expect("allow", False)
    out.leave(ssh.rest(_SSH))
    out.leave(group.part("iam").rest(_RIGHTS))


def _size(group: Reader, place: Place, out: Sections) -> None:
    low, high = group.number("minSize"), group.number("maxSize")
    desired = group.number("desiredCapacity")
    start = next((n for n in (desired, low, high) if n is not None), EKSCTL_NODES)
    least = start if low is None else low
    most = max(start, least) if high is None else high
    out.put((*place, "min"), least)
    out.put((*place, "max"), most)
    if desired is not None and desired != least:
        out.put((*place, "desired"), desired)
    if low is None and high is None and desired is None:
        out.say(place, "eksctl's default")


def _volume(group: Reader, place: Place, out: Sections) -> None:
    size = group.number("volumeSize")
    why = "" if size is not None else f"eksctl's default; {OUR_GIB} is this program's"
    out.put((*place, "volumeGib"), EKSCTL_GIB if size is None else size, why)
    out.leave(group.fixed("volumeType", "is always gp3", "gp3"))
    out.leave(group.fixed("volumeEncrypted", "volumes are always encrypted", True))


def _taints(group: Reader) -> list[dict[str, Any]]:
    if isinstance(group.value.get("taints"), list):
        converted: list[dict[str, Any]] = []
        for taint in group.parts("taints"):
            value = {"value": taint.text("value")} if "value" in taint else {}
            converted.append({"key": taint.text("key")} | value | {"effect": taint.text("effect")})
        return converted
    # Of eksctl's first years: `spotInstance: true:PreferNoSchedule`.
    taints = group.labels("taints")
    return [_taint(key, text, f"{group.path}.taints.{key}") for key, text in taints.items()]


def _taint(key: str, text: str, path: str) -> dict[str, Any]:
    value, colon, effect = text.rpartition(":")
    if not colon:
        raise ShapeError(path, "is no taint: write value:effect, for example true:NoSchedule")
    return {"key": key} | ({"value": value} if value else {}) | {"effect": effect}


def _kubelet(group: Reader, place: Place, out: Sections) -> None:
    if "maxPodsPerNode" in group:
        out.put((*place, "maxPods"), group.number("maxPodsPerNode"))
    extra = group.part("kubeletExtraConfig")
    for key in extra.value:
        if key in _KUBELET:
            out.put((*place, key), extra.take(key))
    out.leave(extra.rest("is no setting of kubelet that a group here may have"))
