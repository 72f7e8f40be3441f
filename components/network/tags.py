"""Tags by which load balancers, EKS and Karpenter find subnets and the security group."""

DISCOVERY_TAG = "karpenter.sh/discovery"
"""Tag by which Karpenter finds subnets and the security group; its value is the cluster's name."""


def owned_by(cluster: str) -> dict[str, str]:
    """Tag by which `./frugal-eks sweep` recognises resources to delete with this cluster."""
    return {f"kubernetes.io/cluster/{cluster}": "owned"}


def private_subnet_tags(cluster: str) -> dict[str, str]:
    """Tags that internal load balancers, EKS and Karpenter look for."""
    return {
        "kubernetes.io/role/internal-elb": "1",
        f"kubernetes.io/cluster/{cluster}": "shared",
        DISCOVERY_TAG: cluster,
    }


def public_subnet_tags(cluster: str) -> dict[str, str]:
    """Tags that load balancers facing the internet look for."""
    return {"kubernetes.io/role/elb": "1", f"kubernetes.io/cluster/{cluster}": "shared"}
