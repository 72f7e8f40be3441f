"""Rules for Cluster Autoscaler: groups to scale, a node to run on, and no second autoscaler."""

from collections.abc import Iterator

from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.section import Mistake
from stack_config.model import StackConfig


def one_autoscaler_adds_nodes(config: StackConfig) -> Iterator[Mistake]:
    """Karpenter and Cluster Autoscaler must not both run: each would add a node for the same pod,
    and move the other's pods away.
    """
    autoscaler = config.cluster_autoscaler
    if autoscaler and autoscaler.replicas and config.karpenter:
        yield Mistake(
            "clusterAutoscaler.replicas",
            "karpenter adds and removes nodes for the same pods: set it to 0 while you move over, "
            "or drop clusterAutoscaler or karpenter",
            autoscaler.replicas,
        )


def cluster_autoscaler_has_groups(config: StackConfig) -> Iterator[Mistake]:
    """The Cluster Autoscaler needs node groups, since it creates none."""
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # an existing cluster has groups that are not in this file
    if config.cluster_autoscaler and not (config.managed_node_groups or config.spot_node_groups):
        yield Mistake(
            "clusterAutoscaler",
            "there is no group that it could scale: add spotNodeGroups or managedNodeGroups, or "
            "drop it",
        )


def priorities_say_which_groups_come_first(config: StackConfig) -> Iterator[Mistake]:
    """The expander priority needs priorities, unless this file has spot groups, which then come
    first.
    """
    autoscaler = config.cluster_autoscaler
    if not autoscaler or autoscaler.expander != "priority" or autoscaler.priorities:
        return
    if not config.spot_node_groups:
        yield Mistake(
            "clusterAutoscaler.priorities",
            'expander is priority: say which groups come first, for example `50: [".*spot.*"]`, '
            "or choose another expander",
        )


def cluster_autoscaler_has_a_node(config: StackConfig) -> Iterator[Mistake]:
    """The Cluster Autoscaler needs a node to start on: nothing scales a group from zero for it."""
    autoscaler = config.cluster_autoscaler
    if isinstance(config.cluster, ExistingClusterConfig) or not autoscaler:
        return
    if config.karpenter or config.profile_of(autoscaler.POD_LABELS):
        return
    groups = config.managed_node_groups or config.spot_node_groups
    if autoscaler.replicas and groups and not config.base_nodes:
        yield Mistake(
            "clusterAutoscaler",
            "the groups start with no node to run it on: raise the desired size of one",
        )
