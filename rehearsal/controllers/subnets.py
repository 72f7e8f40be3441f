"""Selects the subnets of a load balancer, by the controller's rules.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/subnet_discovery/
"""

from collections.abc import Sequence
from typing import Any

from rehearsal.controllers.model import INTERNAL, ModelError

CLUSTER = "kubernetes.io/cluster/"
ROLES = {True: "kubernetes.io/role/internal-elb", False: "kubernetes.io/role/elb"}
"""Role tag of a subnet: for internal balancers (True) and for internet-facing ones (False)."""
FREE_ADDRESSES = 8

Subnet = dict[str, Any]
"""A subnet as DescribeSubnets shows it."""


def tags(thing: dict[str, Any]) -> dict[str, str]:
    """Tags of a thing of EC2 or Elastic Load Balancing."""
    listed: list[dict[str, str]] = thing.get("Tags") or []
    return {tag["Key"]: tag["Value"] for tag in listed}


def discovered(subnets: Sequence[Subnet], *, scheme: str, cluster: str, kind: str) -> list[str]:
    """The ids of one subnet a zone. Raises ModelError if they are too few, with the tag.

    Upstream falls back to route tables where no subnet has the tag: that is left out here, since
    the program's own networks are always tagged.
    """
    role = ROLES[scheme == INTERNAL]
    tagged = [subnet for subnet in subnets if tags(subnet).get(role) in {"", "1"}]
    if not tagged:
        raise ModelError(
            f"unable to resolve at least one subnet: none of the VPC's {len(subnets)} has the tag "
            f"{role}=1, which a balancer of scheme {scheme} needs"
        )
    ours = [subnet for subnet in tagged if _for_cluster(subnet, cluster)]
    roomy = [
        subnet for subnet in ours if subnet.get("AvailableIpAddressCount", 0) >= FREE_ADDRESSES
    ]
    if not roomy:
        raise ModelError(
            f"unable to resolve at least one subnet. Evaluated {len(tagged)} subnets: "
            f"{len(tagged) - len(ours)} are tagged for other clusters, and "
            f"{len(ours) - len(roomy)} have insufficient available IP addresses"
        )
    by_zone: dict[str, str] = {}
    # Those that name the cluster come first, then the lower id.
    for subnet in sorted(
        roomy, key=lambda subnet: (CLUSTER + cluster not in tags(subnet), subnet["SubnetId"])
    ):
        by_zone.setdefault(subnet["AvailabilityZone"], subnet["SubnetId"])
    return enough(sorted(by_zone.values()), kind)


def named(subnets: Sequence[Subnet], wanted: Sequence[str], kind: str) -> list[str]:
    """The ids of the subnets that an annotation lists by id or Name tag. Raises ModelError."""
    ids: list[str] = []
    for name in wanted:
        fitting = [s["SubnetId"] for s in subnets if name in {s["SubnetId"], tags(s).get("Name")}]
        if not fitting:
            raise ModelError(f"couldn't find all subnets: {name} is not in the VPC")
        ids += fitting
    return enough(ids, kind)


def enough(ids: list[str], kind: str) -> list[str]:
    """Checks that an Application Load Balancer has two zones. Raises ModelError."""
    least = 2 if kind == "application" else 1
    if len(ids) < least:
        raise ModelError(
            f"subnets count less than minimal required count: {len(ids)} < {least}, in zones of "
            "their own"
        )
    return ids


def _for_cluster(subnet: Subnet, cluster: str) -> bool:
    """True if the subnet is tagged for this cluster, or for none."""
    named = [key for key in tags(subnet) if key.startswith(CLUSTER)]
    return not named or CLUSTER + cluster in named
