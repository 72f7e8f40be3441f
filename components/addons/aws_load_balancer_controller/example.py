"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import AwsLoadBalancerController, AwsLoadBalancerControllerArgs
from .config import AwsLoadBalancerControllerConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = AwsLoadBalancerControllerArgs(
        config=AwsLoadBalancerControllerConfig(),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
    )
    AwsLoadBalancerController("aws-load-balancer-controller", args)
