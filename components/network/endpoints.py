"""VPC endpoints of AWS services that pods and nodes need, and their names."""

from collections.abc import Sequence

from ..location import Location

ENDPOINTS_WITHOUT_INTERNET = ("ec2", "ecr.api", "ecr.dkr", "eks", "logs", "sqs", "ssm", "sts")
"""Interface endpoints that nodes, Fargate pods and Karpenter need without NAT, from Karpenter's
list for private clusters. S3 has a gateway endpoint instead.
"""
ENDPOINTS_OF_NODES = ("eks-auth",)
"""Endpoints that the Pod Identity agent on each node needs to fetch credentials (EKS user guide,
Pod Identity agent).
"""
S3 = "s3"


def base_endpoints(has_nodes: bool) -> tuple[str, ...]:
    """Endpoints that a cluster without internet needs before any add-on, in alphabetical order."""
    return tuple(sorted((*ENDPOINTS_WITHOUT_INTERNET, *(ENDPOINTS_OF_NODES if has_nodes else ()))))


def missing_endpoints(present: Sequence[str], needed: Sequence[str]) -> tuple[str, ...]:
    """Needed endpoints that are not present, each once, in the order of `needed`."""
    return tuple(dict.fromkeys(service for service in needed if service not in present))


def service_name(location: Location, service: str) -> str:
    """AWS's name of a service's endpoint, for example `com.amazonaws.eu-west-1.ecr.api`."""
    # China has S3's gateway endpoint under the common name.
    prefix = "cn." if location.partition == "aws-cn" and service != S3 else ""
    return f"{prefix}com.amazonaws.{location.region}.{service}"
