"""Rules for the Node Termination Handler: nodes of its own to drain, and a safe place to run."""

from collections.abc import Iterator

from components.addons.node_termination_handler.config import ImdsHandlerConfig, QueueHandlerConfig
from components.addons.node_termination_handler.who_drains import (
    looks_after,
    managed_labels,
    runs_on,
)
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.section import Mistake
from stack_config.model import StackConfig

SECTION = "addons.nodeTerminationHandler"


def a_termination_handler_has_groups(config: StackConfig) -> Iterator[Mistake]:
    """The handler needs spot groups: managed groups and Karpenter drain their nodes themselves."""
    handler = config.addons.node_termination_handler
    if not handler or handler.nodes != "autoScalingGroups":
        return
    if config.spot_node_groups:
        if not any(looks_after(handler, g.labels) for g in config.spot_node_groups.values()):
            yield Mistake(
                f"{SECTION}.nodeSelector",
                "no spotNodeGroups has nodes with these labels: give one of them the labels, or "
                "select others",
            )
    elif not isinstance(config.cluster, ExistingClusterConfig):
        yield Mistake(
            SECTION,
            "there is no spotNodeGroups whose nodes it could drain, and managed groups and "
            "karpenter drain their own: add one, or drop it",
        )
    elif isinstance(handler, QueueHandlerConfig):
        yield Mistake(
            SECTION,
            "its rights and its queue are about groups of this file, and there is no "
            "spotNodeGroups: add one, or choose mode: imds",
        )


def a_termination_handler_for_karpenter_has_karpenter(config: StackConfig) -> Iterator[Mistake]:
    """A handler for Karpenter's nodes needs Karpenter, which sets the labels it selects."""
    handler = config.addons.node_termination_handler
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # an existing cluster may have a Karpenter that is not in this file
    if handler and handler.nodes == "karpenter" and not config.karpenter:
        yield Mistake(
            f"{SECTION}.nodes",
            "there is no karpenter: add it, or choose autoScalingGroups",
            handler.nodes,
        )


def every_node_has_one_handler(config: StackConfig) -> Iterator[Mistake]:
    """The handler must not run on spot nodes of managed groups: EKS drains these itself, so they
    would be drained twice.
    """
    handler = config.addons.node_termination_handler
    if not isinstance(handler, ImdsHandlerConfig):
        return
    for key, group in config.managed_node_groups.items():
        if group.capacity_type == "SPOT" and runs_on(handler, managed_labels(group)):
            yield Mistake(
                f"{SECTION}.nodeSelector",
                f"its pods run on managedNodeGroups.{key} too, whose nodes EKS drains itself when "
                "spot takes them: select labels that only nodes of spotNodeGroups have",
            )
    if handler.manifest and config.karpenter:
        yield Mistake(
            f"{SECTION}.manifest",
            "its pods run on Karpenter's nodes too, which Karpenter drains itself: drop it, since "
            "the chart can keep them off",
            handler.manifest,
        )


def a_termination_handler_outlives_its_nodes(config: StackConfig) -> Iterator[Mistake]:
    """In mode queue the handler must run on nodes that AWS does not take away: else it goes with
    them.
    """
    handler = config.addons.node_termination_handler
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # an existing cluster has nodes that are not in this file
    if not isinstance(handler, QueueHandlerConfig) or config.profile_of(handler.POD_LABELS):
        return
    safe = [
        group
        for group in config.managed_node_groups.values()
        if group.capacity_type == "ON_DEMAND" and group.size.initial
    ]
    wanted = handler.node_selector
    if not wanted and not safe:
        yield Mistake(
            SECTION,
            "has no safe node to run on: add a managedNodeGroups with capacityType: ON_DEMAND that "
            "starts with a node, or a profile for its pods to fargate.profiles",
        )
    fits = any(wanted.items() <= managed_labels(group).items() for group in safe)
    if wanted and not fits and not config.karpenter:
        yield Mistake(
            f"{SECTION}.nodeSelector",
            "no managedNodeGroups with capacityType: ON_DEMAND that starts with a node has these "
            "labels: give them to one, or select others",
        )
