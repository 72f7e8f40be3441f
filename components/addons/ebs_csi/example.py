"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import EbsCsi, EbsCsiArgs
from .config import EbsCsiConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = EbsCsiArgs(
        config=EbsCsiConfig(),
        cluster=cluster.ref,
    )
    EbsCsi("ebs-csi", args)
