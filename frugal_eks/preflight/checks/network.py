"""Compares VPCs, gateways, addresses and endpoints with quotas."""

from collections import Counter
from collections.abc import Iterator

from frugal_eks.preflight import quotas
from frugal_eks.preflight.findings import Finding
from frugal_eks.preflight.quotas import Quota, compared, limit
from frugal_eks.preflight.situation import Situation

VPC, GATEWAY = "aws:ec2/vpc:Vpc", "aws:ec2/internetGateway:InternetGateway"
ADDRESS, NAT = "aws:ec2/eip:Eip", "aws:ec2/natGateway:NatGateway"
SUBNET, ENDPOINT = "aws:ec2/subnet:Subnet", "aws:ec2/vpcEndpoint:VpcEndpoint"
COUNTED_STATES = ("pending", "available", "deleting")
"""States in which a NAT gateway counts (VPC user guide, "Amazon VPC quotas")."""


def vpcs(situation: Situation) -> Iterator[Finding]:
    """Compares VPCs of the region, including the default one."""
    yield from _counted(situation, "VPCs", VPC, quotas.VPCS, ("describe_vpcs", "Vpcs"))


def internet_gateways(situation: Situation) -> Iterator[Finding]:
    """Compares internet gateways of the region."""
    operation = ("describe_internet_gateways", "InternetGateways")
    yield from _counted(
        situation, "internet gateways", GATEWAY, quotas.INTERNET_GATEWAYS, operation
    )


def addresses(situation: Situation) -> Iterator[Finding]:
    """Compares Elastic IPs of the region."""
    operation = ("describe_addresses", "Addresses")
    yield from _counted(situation, "Elastic IPs", ADDRESS, quotas.ADDRESSES, operation)


def nat_gateways(situation: Situation) -> Iterator[Finding]:
    """Compares NAT gateways in the zone with the least room."""
    program, account = situation.program, situation.account
    zones = {
        f"{subnet.name}-id": subnet.inputs["availabilityZone"] for subnet in program.of_type(SUBNET)
    }
    needed = Counter(
        zones[subnet]
        for gateway in program.of_type(NAT)
        if (subnet := gateway.inputs.get("subnetId")) in zones
    )
    if not needed:
        return
    there = account.listed(
        "ec2",
        "describe_nat_gateways",
        "NatGateways",
        Filters=[{"Name": "state", "Values": list(COUNTED_STATES)}],
    )
    subnets = {
        subnet["SubnetId"]: subnet["AvailabilityZone"]
        for subnet in account.listed("ec2", "describe_subnets", "Subnets")
    }
    used = Counter(subnets.get(gateway["SubnetId"], "") for gateway in there)
    fullest = max(needed, key=lambda zone: used[zone] + needed[zone])
    allowed = limit(account, quotas.NAT_GATEWAYS)
    check = f"NAT gateways in {fullest}"
    yield compared(check, quotas.NAT_GATEWAYS, allowed, used[fullest], needed[fullest])


def endpoints(situation: Situation) -> Iterator[Finding]:
    """Compares gateway endpoints of the region, and interface endpoints of the stack's VPC."""
    kinds = Counter(
        each.inputs.get("vpcEndpointType") for each in situation.program.of_type(ENDPOINT)
    )
    account = situation.account
    if needed := kinds["Gateway"]:
        only = [{"Name": "vpc-endpoint-type", "Values": ["Gateway"]}]
        there = account.listed("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=only)
        quota = quotas.GATEWAY_ENDPOINTS
        yield compared("gateway endpoints", quota, limit(account, quota), len(there), needed)
    if needed := kinds["Interface"]:
        # Those of an existing VPC are not the stack's to make.
        quota = quotas.INTERFACE_ENDPOINTS
        yield compared("interface endpoints", quota, limit(account, quota), 0, needed)


def _counted(
    situation: Situation, check: str, kind: str, quota: Quota, operation: tuple[str, str]
) -> Iterator[Finding]:
    needed = situation.count(kind)
    if needed:
        used = len(situation.account.listed("ec2", *operation))
        yield compared(check, quota, limit(situation.account, quota), used, needed)
