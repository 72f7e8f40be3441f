"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import NodeMonitoringAgent, NodeMonitoringAgentArgs
from .config import NodeMonitoringAgentConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = NodeMonitoringAgentArgs(config=NodeMonitoringAgentConfig(), cluster=cluster.ref)
    NodeMonitoringAgent("node-monitoring-agent", args)
