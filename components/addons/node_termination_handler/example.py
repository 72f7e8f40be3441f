"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import NodeTerminationHandler, NodeTerminationHandlerArgs
from .config import QueueHandlerConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = NodeTerminationHandlerArgs(
        config=QueueHandlerConfig(),
        cluster=cluster.ref,
        groups=["shared-spot"],
        safe_node_selector={"lifecycle": "OnDemand"},
    )
    NodeTerminationHandler("node-termination-handler", args)
