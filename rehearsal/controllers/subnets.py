"""In which subnets a load balancer is put, by the controller's rules.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/deploy/subnet_discovery/
"""

from collections.abc import Sequence
from typing import Any

from rehearsal.controllers.model import INTERNAL, ModelError

CLUSTER = "kubernetes.io/cluster/"
ROLES = {True: "kubernetes.io/role/internal-elb", False: "kubernetes.io/role/elb"}
"""The tag by whether the balancer is internal."""
FREE_ADDRESSES = 8

Subnet = dict[str, Any]
"""As DescribeSubnets shows it."""


def tags(thing: dict[str, Any]) -> dict[str, str]:
    """Tags of a thing of EC2 or Elastic Load Balancing."""
    listed: list[dict[str, str]] = thing.get("Tags") or []
    return {one["Key"]: one["Value"] for one in listed}


def discovered(subnets: Sequence[Subnet], *, scheme: str, cluster: str, kind: str) -> list[str]:
    """The ids of one subnet a zone. Raises ModelError if they are too few, with the tag.

    Upstream falls back to route tables where no subnet has the tag: that is left out here, since
    the program's own networks are always tagged.
    """
    role = ROLES[scheme == INTERNAL]
    tagged = [one for one in subnets if tags(one).get(role) in {"", "1"}]
    if not tagged:
        raise ModelError(
            f"unable to resolve at least one subnet: none of the VPC's {len(subnets)} has the tag "
            f"{role}=1, which a balancer of scheme {scheme} needs"
        )
    ours = [one for one in tagged if _for_cluster(one, cluster)]
    roomy = [one for one in ours if one.get("AvailableIpAddressCount", 0) >= FREE_ADDRESSES]
    if not roomy:
        raise ModelError(
            f"unable to resolve at least one subnet. Evaluated {len(tagged)} subnets: "
            f"{len(tagged) - len(ours)} are tagged for other clusters, and "
            f"{len(ours) - len(roomy)} have insufficient available IP addresses"
        )
    by_zone: dict[str, str] = {}
    # Those that name the cluster come first, then the lower id.
    for one in sorted(roomy, key=lambda one: (CLUSTER + cluster not in tags(one), one["SubnetId"])):
        by_zone.setdefault(one["AvailabilityZone"], one["SubnetId"])
    return enough(sorted(by_zone.values()), kind)


def named(subnets: Sequence[Subnet], wanted: Sequence[str], kind: str) -> list[str]:
    """The ids of the subnets that an annotation lists by id or Name tag. Raises ModelError."""
    found: list[str] = []
    for name in wanted:
        fitting = [s["SubnetId"] for s in subnets if name in {s["SubnetId"], tags(s).get("Name")}]
        if not fitting:
            raise ModelError(f"couldn't find all subnets: {name} is not in the VPC")
        found += fitting
    return enough(found, kind)


def enough(ids: list[str], kind: str) -> list[str]:
    """An Application Load Balancer needs two zones. Raises ModelError."""
    least = 2 if kind == "application" else 1
    if len(ids) < least:
        raise ModelError(
            f"subnets count less than minimal required count: {len(ids)} < {least}, in zones of "
            "their own"
        )
    return ids


def _for_cluster(subnet: Subnet, cluster: str) -> bool:
    """Tagged for this cluster, or for none."""
    named = [key for key in tags(subnet) if key.startswith(CLUSTER)]
    return not named or CLUSTER + cluster in named
