"""The add-on by itself, on a cluster that exists."""

from ...cluster.existing_cluster import ExistingCluster
from .component import KubeOpsView, KubeOpsViewArgs
from .config import KubeOpsViewConfig


def example(cluster: ExistingCluster) -> None:
    """The smallest use in a program; the page in docs/components/ shows it."""
    args = KubeOpsViewArgs(
        config=KubeOpsViewConfig(),
        cluster=cluster.ref,
    )
    KubeOpsView("kube-ops-view", args)
