"""Groups of EC2 nodes, and the handler that drains those that EKS does not manage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from components.addons.node_termination_handler.component import (
    NodeTerminationHandler,
    NodeTerminationHandlerArgs,
)
from components.addons.node_termination_handler.config import QueueHandlerConfig, managed_tag
from components.addons.node_termination_handler.who_drains import NOBODY, handlers, looks_after
from components.nodes.managed import ManagedNodeGroup, ManagedNodeGroupArgs
from components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from components.nodes.spot_config import SpotNodeGroupConfig, group_names
from components.placement import Placement
from eks_platform.ground import Ground
from stack_config import StackConfig

ON_DEMAND = {"eks.amazonaws.com/capacityType": "ON_DEMAND"}
"""Label that EKS sets on on-demand nodes of its groups."""


@dataclass(frozen=True, kw_only=True)
class NodeGroups:
    """All node groups, by who manages them."""

    managed: Sequence[ManagedNodeGroup]
    spot: Sequence[SpotNodeGroup]

    @property
    def every(self) -> Sequence[pulumi.Resource]:
        """All groups, EKS's first."""
        return [*self.managed, *self.spot]

    @property
    def base(self) -> Sequence[pulumi.Resource]:
        """Groups that the platform's own pods wait for: EKS's, or spot groups if there are no
        others.
        """
        return self.managed or self.spot


def declare_managed_groups(
    ground: Ground,
    *,
    security_group_ids: Sequence[pulumi.Input[str]],
    needs: Sequence[pulumi.Resource],
) -> Sequence[ManagedNodeGroup]:
    """Declares the node groups that EKS manages.

    `security_group_ids` are those of the nodes if they have their own; `needs` must exist before
    the first node and until after the last.
    """
    config = ground.config
    return [
        ManagedNodeGroup(
            key,
            ManagedNodeGroupArgs(
                config=group,
                cluster=ground.ref,
                subnet_ids=ground.subnet_ids,
                security_group_ids=security_group_ids,
                autoscaled=config.cluster_autoscaler is not None,
                needs=[*needs, *ground.way_out],
            ),
            opts=ground.child,
        )
        for key, group in config.managed_node_groups.items()
    ]


def declare_spot_groups(
    ground: Ground,
    *,
    handler: Placement,
    security_group_ids: Sequence[pulumi.Input[str]],
    needs: Sequence[pulumi.Resource],
) -> Sequence[SpotNodeGroup]:
    """Declares the Node Termination Handler, then the spot groups whose nodes it drains."""
    config = ground.config
    drains = _handler(ground, handler)
    _say_who_drains(ground)
    return [
        SpotNodeGroup(
            key,
            SpotNodeGroupArgs(
                config=group,
                cluster=ground.ref,
                subnet_ids=ground.subnet_ids,
                security_group_ids=security_group_ids,
                autoscaled=config.cluster_autoscaler is not None,
                **_drained(config, group),
                # It has to outlive them: without it each node waits out its hook.
                needs=[*needs, *ground.way_out, *([drains] if drains else [])],
            ),
            opts=ground.child,
        )
        for key, group in config.spot_node_groups.items()
    ]


def _drained(config: StackConfig, group: SpotNodeGroupConfig) -> dict[str, Any]:
    """Arguments of a spot group about the handler that drains its nodes."""
    handler = config.addons.node_termination_handler
    if not handler or not looks_after(handler, group.labels):
        return {"handler_tag": None, "hook_seconds": None}
    by_queue = isinstance(handler, QueueHandlerConfig)
    tag = managed_tag(config.cluster_name) if by_queue else None
    return {"handler_tag": tag, "hook_seconds": handler.hook_seconds}


def spot_group_names(ground: Ground) -> list[str]:
    """Names of the Auto Scaling groups of all spot groups, known in advance."""
    zones = len(ground.subnet_ids)
    return [
        name
        for key, group in ground.config.spot_node_groups.items()
        for name in group_names(ground.config.cluster_name, key, group, zones)
    ]


def _handler(ground: Ground, placement: Placement) -> NodeTerminationHandler | None:
    config = ground.config
    handler = config.addons.node_termination_handler
    if not handler:
        return None
    on_demand = any(g.capacity_type == "ON_DEMAND" for g in config.managed_node_groups.values())
    return NodeTerminationHandler(
        "node-termination-handler",
        NodeTerminationHandlerArgs(
            config=handler,
            groups=spot_group_names(ground),
            safe_node_selector=ON_DEMAND if on_demand else {},
            karpenter=config.karpenter is not None,
            cluster=ground.ref,
            placement=placement,
        ),
        opts=ground.child,
    )


def _say_who_drains(ground: Ground) -> None:
    """Logs for each group and pool which program drains its nodes, and warns if none does."""
    config = ground.config
    labels: dict[str, Mapping[str, str]] = {
        key: group.labels for key, group in config.spot_node_groups.items()
    }
    drained_by = handlers(
        config.addons.node_termination_handler,
        spot_groups=labels,
        managed_groups=config.managed_node_groups,
        pools=config.karpenter.node_pools if config.karpenter else (),
    )
    if drained_by:
        each = ", ".join(f"{nodes}: {handler}" for nodes, handler in drained_by.items())
        pulumi.log.info(f"interruptions are handled so: {each}", ground.parent)
    for key in (key for key, handler in drained_by.items() if handler == NOBODY):
        pulumi.log.warn(
            f"spotNodeGroups.{key}: nobody drains its nodes before AWS takes them: add "
            "nodeTerminationHandler to addons",
            ground.parent,
        )
