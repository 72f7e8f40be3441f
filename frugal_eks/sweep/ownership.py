"""Whose a thing is: the tags by which AWS, Karpenter, controllers and CNI say so."""

from collections.abc import Mapping
from typing import NamedTuple

LIFECYCLE_PREFIXES = ("kubernetes.io/cluster/", "k8s.io/cluster/")
"""The cluster's name follows; the value is `owned` or `shared`. EKS, Karpenter, the EBS driver, the
cloud provider in Kubernetes and this package's groups write them."""

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
"""Their value is the cluster's name."""

OWNED = "owned"


class Claim(NamedTuple):
    """That a thing is the cluster's."""

    by: str
    """What says so: `key=value` of the most telling tag."""
    shared: str
    """What says that it is not the cluster's alone, or "" if nothing does."""


def claim(tags: Mapping[str, str], cluster: str, otherwise: str = "") -> Claim | None:
    """The cluster's claim on a thing with these tags; None if nothing names the cluster.

    `otherwise` is what names the cluster beside the tags, such as a log group's path.
    A value other than `owned`, or a tag that names another cluster, makes the thing shared.
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
    """The cluster that a tag names."""
    if key in NAMING_KEYS:
        return value
    found = next((prefix for prefix in LIFECYCLE_PREFIXES if key.startswith(prefix)), None)
    return key.removeprefix(found) if found else None


def _rank(tag: str) -> tuple[bool, str]:
    """The most telling tag first: that of the cluster's lifecycle."""
    return not tag.startswith(LIFECYCLE_PREFIXES), tag
