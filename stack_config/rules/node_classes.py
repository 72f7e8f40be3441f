"""Rules for node classes with the cluster and its network."""

from collections.abc import Iterator

from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.section import Mistake
from stack_config.model import StackConfig

_WINDOWS_2025_FROM = 35
"""First minor of Kubernetes 1 for which AWS publishes Windows 2025 images."""


def images_of_node_classes_fit_kubernetes(config: StackConfig) -> Iterator[Mistake]:
    """AWS must publish the image family for the cluster's minor: else Karpenter finds no image."""
    if not config.karpenter or isinstance(config.cluster, ExistingClusterConfig):
        return  # of an existing cluster only AWS knows the version: the node class tells it
    version = config.cluster.version
    minor = int(version.partition(".")[2])
    for name, node_class in config.karpenter.node_classes.items():
        short = node_class.ami_alias is not None
        for number, term in enumerate(node_class.images):
            path = "amiAlias" if short else f"amiSelectorTerms[{number}].alias"
            family = (term.alias or "").partition("@")[0]
            # The last was of 1.32, and a cluster is made with 1.33 or later.
            if family == "al2":
                problem = f"AWS publishes no Amazon Linux 2 for Kubernetes {version}: take al2023"
            elif family == "windows2025" and minor < _WINDOWS_2025_FROM:
                problem = (
                    f"AWS publishes no Windows 2025 for Kubernetes {version}: take windows2022"
                )
            else:
                continue
            yield Mistake(f"karpenter.nodeClasses.{name}.{path}", problem, term.alias)


def roles_of_node_classes_reach_iam(config: StackConfig) -> Iterator[Mistake]:
    """Without internet, a node class must name an instance profile instead of a role: Karpenter
    would have to create one for the role, and IAM has no VPC endpoint.
    """
    if not config.karpenter or not config.isolated:
        return
    for name, node_class in config.karpenter.node_classes.items():
        if node_class.role is not None:
            yield Mistake(
                f"karpenter.nodeClasses.{name}.role",
                "the network has no way to the internet, and from there Karpenter cannot reach IAM "
                "to make an instance profile: name one that is there, as instanceProfile with "
                "instanceProfileRole",
                node_class.role,
            )
