"""Which AWS services pods and nodes need a private way to, and what the endpoints are called."""

from collections.abc import Sequence

from ..location import Location

ENDPOINTS_WITHOUT_INTERNET = ("ec2", "ecr.api", "ecr.dkr", "eks", "logs", "sqs", "ssm", "sts")
"""Interface endpoints that nodes, Fargate pods and Karpenter need where there is no NAT; S3 has
a gateway endpoint of its own. Karpenter's list of endpoints for private clusters."""
ENDPOINTS_OF_NODES = ("eks-auth",)
"""What the Pod Identity agent on each node asks for credentials (EKS user guide, Pod Identity
agent)."""
S3 = "s3"


def base_endpoints(has_nodes: bool) -> tuple[str, ...]:
    """What a cluster without internet needs before any add-on, in alphabetical order."""
    return tuple(sorted((*ENDPOINTS_WITHOUT_INTERNET, *(ENDPOINTS_OF_NODES if has_nodes else ()))))


def missing_endpoints(given: Sequence[str], needed: Sequence[str]) -> tuple[str, ...]:
    """Endpoints that are needed and not given, each once, in the order of the needed ones."""
    return tuple(dict.fromkeys(service for service in needed if service not in given))


def service_name(location: Location, service: str) -> str:
    """AWS's name of the endpoint of a service, for example `com.amazonaws.eu-west-1.ecr.api`."""
    # China has S3's gateway endpoint under the common name.
    prefix = "cn." if location.partition == "aws-cn" and service != S3 else ""
    return f"{prefix}com.amazonaws.{location.region}.{service}"
