"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import EfsCsi, EfsCsiArgs
from .config import EfsCsiConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = EfsCsiArgs(
        config=EfsCsiConfig(file_system_id="fs-0123456789abcdef0"),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
        subnet_ids=cluster.subnet_ids,
        security_group_ids=[cluster.ref.security_group_id],
    )
    EfsCsi("efs-csi", args)
