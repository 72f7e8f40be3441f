"""Which program drains which nodes when AWS takes them away: exactly one for each node."""

from collections.abc import Iterable, Mapping

from ...nodes.managed_config import ManagedNodeGroupConfig
from .config import (
    ImdsHandlerConfig,
    QueueHandlerConfig,
)

NOBODY = "nobody"
EKS = "EKS"
KARPENTER = "Karpenter"

Handler = QueueHandlerConfig | ImdsHandlerConfig


def handlers(
    handler: Handler | None,
    *,
    spot_groups: Mapping[str, Mapping[str, str]],
    managed_groups: Mapping[str, ManagedNodeGroupConfig],
    pools: Iterable[str],
) -> Mapping[str, str]:
    """Name of the program that drains the nodes, by key of a group, or by `pool` and key.

    `spot_groups` are labels of the nodes by key of the spot group. Only spot groups can have
    `NOBODY`.
    """
    drained_by: dict[str, str] = {}
    for key, labels in spot_groups.items():
        drained_by[key] = title(handler) if handler and looks_after(handler, labels) else NOBODY
    for key, group in managed_groups.items():
        # Of nodes on demand EKS drains those that it ends itself, and hears of nothing else.
        on_demand = group.capacity_type == "ON_DEMAND"
        has_pod = isinstance(handler, ImdsHandlerConfig) and runs_on(handler, managed_labels(group))
        drained_by[key] = title(handler) if handler and on_demand and has_pod else EKS
    both = f"{KARPENTER}, and {title(handler)}" if handler and handler.nodes == "karpenter" else ""
    for key in pools:
        drained_by[f"pool {key}"] = both or KARPENTER
    return drained_by


def looks_after(handler: Handler, labels: Mapping[str, str]) -> bool:
    """True if the handler drains the nodes of an Auto Scaling group with these labels."""
    # With `nodes: karpenter` it selects by labels that only Karpenter's nodes have.
    return isinstance(handler, QueueHandlerConfig) or runs_on(handler, labels)


def runs_on(handler: ImdsHandlerConfig, labels: Mapping[str, str]) -> bool:
    """True if the handler's DaemonSet has a pod on nodes with these labels."""
    selected = handler.selected.items() <= labels.items()
    return selected and (not handler.affinity or any(t.fits(labels) for t in handler.affinity))


def managed_labels(group: ManagedNodeGroupConfig) -> Mapping[str, str]:
    """Labels of a managed group's nodes, including the one that EKS adds."""
    return {**group.labels, "eks.amazonaws.com/capacityType": group.capacity_type}


def title(handler: Handler) -> str:
    """Name of the handler with its mode, as the plan shows it."""
    return f"Node Termination Handler ({handler.mode})"
