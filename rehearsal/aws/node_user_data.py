"""Reads node settings from a launch template's user data: nodeadm's NodeConfig, or Bottlerocket.

https://awslabs.github.io/amazon-eks-ami/nodeadm/ and https://bottlerocket.dev/en/os/latest/#/api/settings/
"""

import email
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from rehearsal.aws.provider.plain import as_list, as_object, is_list, is_object

NODE_CONFIG = "application/node.eks.aws"
OURS = ("kubernetes.io", "k8s.io")
ALLOWED_BELOW = ("kubelet.kubernetes.io", "node.kubernetes.io")
ALLOWED = {
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
}
"""Kubernetes' own labels that a kubelet may set (k8s.io/kubelet/pkg/apis/well_known_labels.go)."""
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class NoNode(ValueError):
    """Why the instance cannot become a node."""


@dataclass(frozen=True, kw_only=True)
class NodeSettings:
    """Settings with which an instance joins a cluster."""

    cluster: str
    endpoint: str
    certificate_authority: str
    """PEM in base64."""
    labels: dict[str, str]
    taints: list[dict[str, str]]
    max_pods: int | None


def node_settings(user_data: str) -> NodeSettings | None:
    """Settings from user data; None if they are not a node's. Raises NoNode if they are wrong."""
    if (config := _node_config(user_data)) is not None:
        return _of_nodeadm(as_object(config.get("spec")))
    if (settings := _bottlerocket(user_data)) is not None:
        return _of_bottlerocket(settings)
    return None


def _node_config(user_data: str) -> dict[str, Any] | None:
    documents = [data for data in map(_document, _node_parts(user_data)) if data]
    if not documents:
        return None
    merged: dict[str, Any] = {}
    for data in documents:
        merged = _merge(merged, data)
    return merged


def _node_parts(user_data: str) -> Iterator[str]:
    if not user_data.lstrip().lower().startswith(("mime-version:", "content-type:")):
        yield user_data
        return
    for part in email.message_from_string(user_data.lstrip()).walk():
        if part.get_content_type() == NODE_CONFIG:
            payload = part.get_payload(decode=True)
            yield payload.decode() if isinstance(payload, bytes) else str(payload)


def _document(text: str) -> dict[str, Any] | None:
    if "NodeConfig" not in text:
        return None
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise NoNode(f"nodeadm cannot read its NodeConfig: {error}") from error
    return dict(data) if is_object(data) and data.get("kind") == "NodeConfig" else None


def _merge(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Merges two documents as nodeadm does: the later one wins, its kubelet flags come last."""
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        if is_object(known) and is_object(value):
            merged[key] = _merge(known, value)
        elif key == "flags" and is_list(known) and is_list(value):
            merged[key] = [*known, *value]
        else:
            merged[key] = value
    return merged


def _of_nodeadm(spec: Mapping[str, Any]) -> NodeSettings:
    cluster = as_object(spec.get("cluster"))
    required = ("name", "apiServerEndpoint", "certificateAuthority", "cidr")
    if missing := [name for name in required if not cluster.get(name)]:
        raise NoNode(f"nodeadm needs spec.cluster.{missing[0]} in the NodeConfig")
    kubelet = as_object(spec.get("kubelet"))
    config, flags = as_object(kubelet.get("config")), _flags(as_list(kubelet.get("flags")))
    max_pods = flags.get("max-pods") or config.get("maxPods")
    return NodeSettings(
        cluster=cluster["name"],
        endpoint=cluster["apiServerEndpoint"],
        certificate_authority=cluster["certificateAuthority"],
        labels=_checked_labels(_pairs(flags.get("node-labels", ""))),
        taints=[
            *map(_taint, filter(None, flags.get("register-with-taints", "").split(","))),
            *(_checked_taint(dict(taint)) for taint in as_list(config.get("registerWithTaints"))),
        ],
        max_pods=int(max_pods) if max_pods else None,
    )


def _flags(flags: list[str]) -> dict[str, str]:
    """Kubelet flags by name; of a repeated flag the later one counts, but all labels are kept."""
    merged: dict[str, str] = {}
    for flag in flags:
        name, _, value = flag.removeprefix("--").partition("=")
        both = name == "node-labels" and name in merged
        merged[name] = f"{merged[name]},{value}" if both else value
    return merged


def _pairs(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _checked_labels(labels: dict[str, str]) -> dict[str, str]:
    for key in labels:
        domain = key.partition("/")[0] if "/" in key else ""
        ours = any(domain == own or domain.endswith(f".{own}") for own in OURS)
        below = any(domain == ok or domain.endswith(f".{ok}") for ok in ALLOWED_BELOW)
        if ours and not below and key not in ALLOWED:
            raise NoNode(f"kubelet does not start: it may not set the label {key} itself")
    return labels


def _taint(text: str) -> dict[str, str]:
    """A taint from key=value:Effect or key:Effect."""
    rest, _, effect = text.strip().rpartition(":")
    key, _, value = rest.partition("=")
    return _checked_taint({"key": key, "value": value, "effect": effect})


def _checked_taint(taint: dict[str, str]) -> dict[str, str]:
    if not taint.get("key") or taint.get("effect") not in EFFECTS:
        raise NoNode(f"kubelet does not start: {taint} is no taint with one of {list(EFFECTS)}")
    return {"key": taint["key"], "value": taint.get("value") or "", "effect": taint["effect"]}


def _bottlerocket(user_data: str) -> dict[str, Any] | None:
    if "[settings" not in user_data:
        return None
    try:
        data = tomllib.loads(user_data)
    except tomllib.TOMLDecodeError as error:
        raise NoNode(f"Bottlerocket cannot read its settings: {error}") from error
    kubernetes: dict[str, Any] | None = data.get("settings", {}).get("kubernetes")
    return kubernetes


def _of_bottlerocket(settings: Mapping[str, Any]) -> NodeSettings:
    required = ("cluster-name", "api-server", "cluster-certificate")
    if missing := [name for name in required if not settings.get(name)]:
        raise NoNode(f"Bottlerocket needs settings.kubernetes.{missing[0]}")
    return NodeSettings(
        cluster=settings["cluster-name"],
        endpoint=settings["api-server"],
        certificate_authority=settings["cluster-certificate"],
        labels=_checked_labels({k: str(v) for k, v in settings.get("node-labels", {}).items()}),
        taints=[
            _taint(f"{key}={each}" if not each.startswith(":") else f"{key}{each}")
            for key, values in settings.get("node-taints", {}).items()
            for each in ([values] if isinstance(values, str) else values)
        ],
        max_pods=settings.get("max-pods"),
    )
