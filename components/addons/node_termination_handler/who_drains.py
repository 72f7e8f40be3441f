"""Who acts on which nodes when AWS takes one away: of each node exactly one."""

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
    """By key of a group, or `pool` and key, the name of the one that drains its nodes.

    `spot_groups` are Auto Scaling groups of the stack's own: their nodes' labels by key. Only they
    can have `NOBODY`.
    """
    told: dict[str, str] = {}
    for key, labels in spot_groups.items():
        told[key] = title(handler) if handler and looks_after(handler, labels) else NOBODY
    for key, group in managed_groups.items():
        # Of nodes on demand EKS drains those that it ends itself, and hears of nothing else.
        on_demand = group.capacity_type == "ON_DEMAND"
        has_pod = isinstance(handler, ImdsHandlerConfig) and runs_on(handler, managed_labels(group))
        told[key] = title(handler) if handler and on_demand and has_pod else EKS
    both = f"{KARPENTER}, and {title(handler)}" if handler and handler.nodes == "karpenter" else ""
    for key in pools:
        told[f"pool {key}"] = both or KARPENTER
    return told


def looks_after(handler: Handler, labels: Mapping[str, str]) -> bool:
    """Whether the nodes of an Auto Scaling group with these labels are the handler's."""
    # With `nodes: karpenter` it selects by labels that only Karpenter's nodes have.
    return isinstance(handler, QueueHandlerConfig) or runs_on(handler, labels)


def runs_on(handler: ImdsHandlerConfig, labels: Mapping[str, str]) -> bool:
    """Whether its DaemonSet has a pod on nodes with these labels."""
    selected = handler.selected.items() <= labels.items()
    return selected and (not handler.affinity or any(t.fits(labels) for t in handler.affinity))


def managed_labels(group: ManagedNodeGroupConfig) -> Mapping[str, str]:
    """The labels of its nodes, with the one that EKS adds."""
    return {**group.labels, "eks.amazonaws.com/capacityType": group.capacity_type}


def title(handler: Handler) -> str:
    """As the plan calls it."""
    return f"Node Termination Handler ({handler.mode})"
