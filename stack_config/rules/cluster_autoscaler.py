"""What Cluster Autoscaler needs: groups to scale, a node to run on, and nobody else who does it."""

from collections.abc import Iterator

from components.existing_cluster import ExistingClusterConfig
from components.section import Mistake
from stack_config.model import StackConfig


def one_autoscaler_adds_nodes(config: StackConfig) -> Iterator[Mistake]:
    """Two would each add a node for the same pod, and each move the other's pods away."""
    autoscaler = config.cluster_autoscaler
    if autoscaler and autoscaler.replicas and config.karpenter:
        yield Mistake(
            "clusterAutoscaler.replicas",
            "karpenter adds and removes nodes for the same pods: set it to 0 while you move over, "
            "or drop clusterAutoscaler or karpenter",
            autoscaler.replicas,
        )


def cluster_autoscaler_has_groups(config: StackConfig) -> Iterator[Mistake]:
    """It scales what others declare, and makes no node by itself."""
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # which has groups that this file does not tell
    if config.cluster_autoscaler and not config.managed_node_groups:
        yield Mistake(
            "clusterAutoscaler",
            "there is no managedNodeGroups that it could scale: add one, or drop it",
        )


def cluster_autoscaler_has_a_node(config: StackConfig) -> Iterator[Mistake]:
    """Nobody scales a group from zero for the one who does it."""
    autoscaler = config.cluster_autoscaler
    if isinstance(config.cluster, ExistingClusterConfig) or not autoscaler:
        return
    if config.karpenter or config.profile_of(autoscaler.POD_LABELS):
        return
    if autoscaler.replicas and config.managed_node_groups and not config.base_nodes:
        yield Mistake(
            "clusterAutoscaler",
            "managedNodeGroups start with no node to run it on: raise the desired size of one",
        )
