"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import ExternalDns, ExternalDnsArgs
from .config import ExternalDnsConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = ExternalDnsArgs(
        config=ExternalDnsConfig(zones=("example.com",)),
        cluster=cluster.ref,
    )
    ExternalDns("external-dns", args)
