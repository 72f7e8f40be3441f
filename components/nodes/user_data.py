"""User data of instances, which makes them join the cluster with the right labels and taints."""

import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..ec2.image_families import Family
from ..kubernetes.kubelet import KubeletConfig
from .nodes import NodeTaintConfig

_BOUNDARY = "frugal-eks"
# The cluster's DNS service has the tenth address of the service network (EKS user guide).
_DNS_ADDRESS = 10

_BOTTLEROCKET = {
    "maxPods": "max-pods",
    "kubeReserved": "kube-reserved",
    "systemReserved": "system-reserved",
    "evictionHard": "eviction-hard",
    "evictionSoft": "eviction-soft",
    "evictionSoftGracePeriod": "eviction-soft-grace-period",
    "shutdownGracePeriod": "shutdown-grace-period",
    "shutdownGracePeriodCriticalPods": "shutdown-grace-period-for-critical-pods",
    "imageGCHighThresholdPercent": "image-gc-high-threshold-percent",
    "imageGCLowThresholdPercent": "image-gc-low-threshold-percent",
    "containerLogMaxSize": "container-log-max-size",
    "containerLogMaxFiles": "container-log-max-files",
    "podPidsLimit": "pod-pids-limit",
}
"""Kubelet's names in `settings.kubernetes` (bottlerocket-settings-sdk, KubernetesSettingsV1)."""


@dataclass(frozen=True, kw_only=True)
class NodeStart:
    """The cluster to join, and the settings of the node."""

    cluster: str
    """The name of the cluster."""
    endpoint: str
    certificate_authority: str
    """The cluster's CA certificate in base64, as EKS returns it."""
    service_cidr: str
    """The network of Services, not of pods."""
    labels: Mapping[str, str]
    taints: Sequence[NodeTaintConfig]
    kubelet: KubeletConfig


def node_user_data(family: Family, start: NodeStart) -> str:
    """The user data of a node that joins by itself, as text: a launch template wants base64."""
    return bottlerocket_user_data(start) if family == "bottlerocket" else nodeadm_user_data(start)


def kubelet_user_data(family: Family, kubelet: KubeletConfig) -> str | None:
    """User data that EKS merges into its own for a managed group; None if nothing is set.

    EKS adds cluster, labels and taints.
    """
    settings = kubelet.settings()
    if not settings:
        return None
    if family == "bottlerocket":
        return _toml({"settings": {"kubernetes": _for_bottlerocket(settings)}})
    return _node_config({"kubelet": {"config": settings}})


def nodeadm_user_data(start: NodeStart) -> str:
    """A MIME message with one part, a NodeConfig for nodeadm, which starts kubelet on AL2023.

    All four fields of the cluster are set: nodeadm does not look up missing ones.
    """
    flags: list[str] = []
    if start.labels:
        labels = ",".join(f"{key}={value}" for key, value in sorted(start.labels.items()))
        flags.append(f"--node-labels={labels}")
    if start.taints:
        taints = ",".join(f"{taint.key}={taint.text}" for taint in _in_order(start.taints))
        flags.append(f"--register-with-taints={taints}")
    kubelet: dict[str, Any] = {}
    if settings := start.kubelet.settings():
        kubelet["config"] = settings
    if flags:
        kubelet["flags"] = flags
    cluster = {
        "name": start.cluster,
        "apiServerEndpoint": start.endpoint,
        "certificateAuthority": start.certificate_authority,
        "cidr": start.service_cidr,
    }
    return _node_config({"cluster": cluster} | ({"kubelet": kubelet} if kubelet else {}))


def bottlerocket_user_data(start: NodeStart) -> str:
    """Bottlerocket's settings in TOML."""
    taints: dict[str, list[str]] = {}
    for taint in _in_order(start.taints):
        taints.setdefault(taint.key, []).append(taint.text)
    kubernetes: dict[str, Any] = {
        "cluster-name": start.cluster,
        "api-server": start.endpoint,
        "cluster-certificate": start.certificate_authority,
        "cluster-dns-ip": str(ipaddress.ip_network(start.service_cidr)[_DNS_ADDRESS]),
        **_for_bottlerocket(start.kubelet.settings()),
        "node-labels": dict(sorted(start.labels.items())),
        "node-taints": taints,
    }
    return _toml({"settings": {"kubernetes": kubernetes}})


def _in_order(taints: Sequence[NodeTaintConfig]) -> list[NodeTaintConfig]:
    # Another order in the file is no other node.
    return sorted(taints, key=lambda taint: (taint.key, taint.text))


def _for_bottlerocket(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {_BOTTLEROCKET[key]: value for key, value in settings.items()}


def _node_config(spec: Mapping[str, Any]) -> str:
    document = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
    lines = [
        "MIME-Version: 1.0",
        f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
        "",
        f"--{_BOUNDARY}",
        "Content-Type: application/node.eks.aws",
        "",
        _json(document, indent=2),
        "",
        f"--{_BOUNDARY}--",
        "",
    ]
    return "\n".join(lines)


def _toml(tables: Mapping[str, Any], path: str = "") -> str:
    """TOML tables with bare names, each below its header, without empty ones; keys are quoted if
    needed.
    """
    own = {key: value for key, value in tables.items() if not isinstance(value, dict)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in own.items()]
    text = "\n".join([f"[{path}]", *lines, ""]) if lines else ""
    below = [
        _toml(value, f"{path}.{key}" if path else key)
        for key, value in tables.items()
        if key not in own
    ]
    return "\n".join(filter(None, [text, *below]))


def _key(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _json(key)


def _value(value: str | int | Sequence[str]) -> str:
    if isinstance(value, str):
        return _json(value)
    if isinstance(value, int):
        return str(value)
    return f"[{', '.join(map(_json, value))}]"


def _json(value: Any, indent: int | None = None) -> str:
    # JSON is YAML, and its strings are TOML's, but for this control character.
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\x7f", r"\u007f")
