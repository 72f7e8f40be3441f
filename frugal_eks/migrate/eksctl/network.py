"""Converts a ClusterConfig's network, and the access to its API endpoint."""

from typing import Any

from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

EXAMPLE_CIDR = "203.0.113.0/24"
"""Documentation range of RFC 5737, which nobody owns: nothing is open until the user writes own
addresses.
"""
_GATEWAYS = {"Disable": "none", "Single": "single", "HighlyAvailable": "perZone"}
_OPEN = "all of the internet in eksctl: write the addresses that may connect"


def convert_network(source: Reader, out: Sections) -> None:
    """Converts `vpc`, `availabilityZones` and `privateCluster` to `network` and
    `cluster.endpoint`.
    """
    vpc = source.part("vpc")
    isolated = source.part("privateCluster").flag("enabled", default=False)
    if "id" in vpc or _subnet_ids(vpc, "private", peek=True):
        _existing(vpc, out)
        zones = ", ".join(source.texts("availabilityZones"))
        if zones:
            out.say(("network",), f"in the zones of its subnets, was {zones}")
    else:
        _new(source, vpc, isolated, out)
    _endpoint(vpc, isolated, out)


def _new(source: Reader, vpc: Reader, isolated: bool, out: Sections) -> None:
    if "cidr" in vpc:
        out.put(("network", "cidr"), vpc.text("cidr"))
    if "availabilityZones" in source:
        out.put(("network", "availabilityZones"), source.texts("availabilityZones"))
    nat = vpc.part("nat")
    gateway = nat.value.get("gateway")
    if isolated:
        out.put(("network", "natGateways"), "none", "privateCluster: endpoints are the way to AWS")
    elif isinstance(gateway, str) and gateway in _GATEWAYS:
        nat.take("gateway")
        out.put(("network", "natGateways"), _GATEWAYS[gateway])


def _existing(vpc: Reader, out: Sections) -> None:
    if "id" in vpc:
        out.put(("network", "vpcId"), vpc.text("id"))
    private, public = _subnet_ids(vpc, "private"), _subnet_ids(vpc, "public")
    if private:
        out.put(("network", "privateSubnetIds"), private)
    if public:
        out.put(("network", "publicSubnetIds"), public)
    text = "AWS knows it of the subnet by its id"
    for kind in ("private", "public"):
        out.leave(vpc.part("subnets").part(kind).rest(text))


def _subnet_ids(vpc: Reader, kind: str, *, peek: bool = False) -> list[Any]:
    subnets = vpc.part("subnets").part(kind)
    parts = [subnets.part(name) for name in subnets.value]
    with_id = [part for part in parts if "id" in part]
    return [part.value["id"] if peek else part.text("id") for part in with_id]


def _endpoint(vpc: Reader, isolated: bool, out: Sections) -> None:
    endpoints = vpc.part("clusterEndpoints")
    cidrs = vpc.texts("publicAccessCIDRs")
    if not (endpoints.keys() or cidrs or isolated):
        return
    public = endpoints.flag("publicAccess", default=not isolated)
    out.put(("cluster", "endpoint", "public"), public)
    if public and cidrs:
        out.put(("cluster", "endpoint", "publicCidrs"), cidrs)
    elif public:
        out.put(("cluster", "endpoint", "publicCidrs"), [EXAMPLE_CIDR], _OPEN)
    # eksctl: only a public one unless it is told.
    out.put(("cluster", "endpoint", "private"), endpoints.flag("privateAccess", default=isolated))
