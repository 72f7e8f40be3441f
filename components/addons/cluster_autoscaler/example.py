"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import ClusterAutoscaler, ClusterAutoscalerArgs
from .config import ClusterAutoscalerConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = ClusterAutoscalerArgs(
        config=ClusterAutoscalerConfig(),
        cluster=cluster.ref,
    )
    ClusterAutoscaler("cluster-autoscaler", args)
