"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import MetricsServer, MetricsServerArgs
from .config import MetricsServerConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = MetricsServerArgs(
        config=MetricsServerConfig(),
        cluster=cluster.ref,
    )
    MetricsServer("metrics-server", args)
