"""Decides if a thing belongs to the cluster, by tags of AWS, Karpenter, controllers and CNI."""

from collections.abc import Mapping
from typing import NamedTuple

LIFECYCLE_PREFIXES = ("kubernetes.io/cluster/", "k8s.io/cluster/")
"""Prefixes of tags whose key ends in the cluster's name, with the value `owned` or `shared`. EKS,
Karpenter, the EBS driver, Kubernetes' cloud provider and this package's groups write them.
"""

NAMING_KEYS = (
    # Karpenter since 1.1, and before (aws/karpenter-provider-aws v1.1 upgrade notes).
    "eks:eks-cluster-name",
    "karpenter.k8s.aws/cluster",
    # The Load Balancer Controller.
    "elbv2.k8s.aws/cluster",
    # The VPC CNI, where it knows the cluster's name.
    "cluster.k8s.amazonaws.com/name",
    # EKS: managed node groups, and the cluster's own security group.
    "eks:cluster-name",
    "aws:eks:cluster-name",
)
"""Tags whose value is the cluster's name."""

OWNED = "owned"


class Claim(NamedTuple):
    """Evidence that a thing belongs to the cluster."""

    by: str
    """Evidence: `key=value` of the most significant tag."""
    shared: str
    """Evidence that others share the thing; "" if there is none."""


def claim(tags: Mapping[str, str], cluster: str, otherwise: str = "") -> Claim | None:
    """The cluster's claim on a thing with these tags; None if nothing names the cluster.
    `otherwise` is evidence beside the tags, such as a log group's path. A value other than `owned`,
    or a tag that names another cluster, makes the thing shared.
    """
    own: list[str] = []
    shared: list[str] = []
    for key, value in tags.items():
        named = _named(key, value)
        if named is None:
            continue
        tag = f"{key}={value}"
        if named == cluster:
            own.append(tag)
        if named != cluster or (key not in NAMING_KEYS and value != OWNED):
            shared.append(tag)
    by = min(own, key=_rank) if own else otherwise
    return Claim(by, ", ".join(sorted(shared))) if by else None


def _named(key: str, value: str) -> str | None:
    """Cluster that a tag names; None if it names none."""
    if key in NAMING_KEYS:
        return value
    matching = next((prefix for prefix in LIFECYCLE_PREFIXES if key.startswith(prefix)), None)
    return key.removeprefix(matching) if matching else None


def _rank(tag: str) -> tuple[bool, str]:
    """Sort key: lifecycle tags, the most significant ones, come first."""
    return not tag.startswith(LIFECYCLE_PREFIXES), tag
