"""Checks of what EKS calls refer to: roles, subnets, groups, keys. All raise AwsError."""

import ipaddress
from collections.abc import Collection
from typing import Any

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.moto_account import MotoAccount

SERVICE_RANGES = [
    ipaddress.IPv4Network(r) for r in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
]
SERVICE_PREFIX = range(12, 25)
MIN_ZONES = 2
ZONES_WITHOUT_EKS = ("use1-az3", "usw1-az2", "cac1-az3")
"""Zones without EKS control planes (EKS user guide, "Subnet requirements for clusters")."""


def invalid(message: str) -> AwsError:
    """Error for a wrong parameter."""
    return AwsError("InvalidParameterException", message)


def cluster_role(account: MotoAccount, arn: str) -> None:
    """Checks the control plane's role: EKS can assume it and it may run a cluster."""
    if not account.role_trusts(arn, "eks.amazonaws.com", ["sts:AssumeRole"]):
        raise invalid(
            f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted "
            "entity is not correct"
        )
    attached = account.managed_policies(arn)
    if not attached and not account.has_inline_policies(arn):
        raise invalid(
            "The provided role doesn't have the Amazon EKS Managed Policies associated with it. "
            "Please ensure the following policies "
            f"[arn:{account.partition}:iam::aws:policy/AmazonEKSClusterPolicy] are attached"
        )


def subnets(account: MotoAccount, ids: Collection[str], vpc_id: str | None = None) -> str:
    """Checks that the subnets exist in one VPC, in `vpc_id` if given; returns the VPC's id."""
    vpcs: set[str] = {vpc_id} if vpc_id else set()
    for subnet_id in ids:
        subnet: Any = account.subnet(subnet_id)
        if subnet is None:
            raise invalid(f"The subnet ID '{subnet_id}' does not exist")
        vpcs.add(subnet.vpc_id)
    if len(vpcs) != 1:
        raise invalid(f"Subnets {sorted(ids)} must all belong to one VPC, got {sorted(vpcs)}")
    return vpcs.pop()


def two_zones(account: MotoAccount, ids: Collection[str]) -> None:
    """Checks that the subnets are in at least two zones, as a control plane needs."""
    known = [account.subnet(subnet_id) for subnet_id in ids]
    zones = {subnet.availability_zone for subnet in known if subnet}
    if len(zones) < MIN_ZONES:
        raise invalid("Subnets specified must be in at least two different AZs")


def same_zones(account: MotoAccount, ids: Collection[str], before: Collection[str]) -> None:
    """Checks that new subnets keep the control plane's zones (aws/containers-roadmap#2258, #2330;
    the message's wording is this rehearsal's).
    """
    made, wanted = (
        {subnet.availability_zone for i in each if (subnet := account.subnet(i))}
        for each in (before, ids)
    )
    if made != wanted:
        raise invalid(
            f"Provided subnets belong to the AZs {sorted(wanted)}, and the cluster was created in "
            f"the AZs {sorted(made)}"
        )


def zones_with_eks(account: MotoAccount, ids: Collection[str], cluster: str) -> None:
    """Checks that EKS has control planes in the zones: not all have (facts:
    cluster-zone-not-supported).
    """
    for subnet_id in ids:
        subnet = account.subnet(subnet_id)
        if subnet and subnet.availability_zone_id in ZONES_WITHOUT_EKS:
            raise AwsError(
                "UnsupportedAvailabilityZoneException",
                f"Cannot create cluster '{cluster}' because {subnet.availability_zone}, the "
                "targeted availability zone, does not currently have sufficient capacity to "
                "support the cluster. Retry and choose from the other availability zones",
            )


def security_groups(account: MotoAccount, ids: Collection[str], vpc_id: str) -> None:
    """Checks that the groups exist in the VPC."""
    for group_id in ids:
        group: Any = account.security_group(group_id)
        if group is None:
            raise invalid(f"The security group '{group_id}' does not exist")
        if group.vpc_id != vpc_id:
            raise invalid(
                f"Security group(s) [{group_id}] are not in the same VPC as the subnets. Please "
                "specify all security groups within the same VPC"
            )


def public_cidrs(cidrs: Collection[str]) -> None:
    """Checks the ranges that may reach the public endpoint."""
    wrong = [cidr for cidr in cidrs if not _is_network(cidr)]
    if wrong:
        raise invalid(f"The following CIDRs are invalid in publicAccessCidrs: {wrong}")
    private = [cidr for cidr in cidrs if _is_private(cidr)]
    if private:
        raise invalid(
            f"The following CIDRs are not allowed in publicAccessCidrs, they are private: {private}"
        )


def service_cidr(account: MotoAccount, cidr: str, vpc_id: str) -> None:
    """Checks the address range of the cluster's Services."""
    if not _is_network(cidr):
        raise invalid(f"Value {cidr} for serviceIpv4Cidr is not a valid CIDR block")
    network = ipaddress.ip_network(cidr)
    if not _is_private(cidr) or network.prefixlen not in SERVICE_PREFIX:
        raise invalid(
            f"serviceIpv4Cidr {cidr} must be between /24 and /12 and within one of the following "
            f"private IP address blocks: {', '.join(str(r) for r in SERVICE_RANGES)}"
        )
    if any(network.overlaps(own) for own in account.vpc_networks(vpc_id)):
        raise invalid(f"serviceIpv4Cidr {cidr} must not overlap with any CIDR block of the VPC")


def encryption(account: MotoAccount, configs: Collection[dict[str, Any]]) -> None:
    """Checks the encryption of secrets, with a key that exists."""
    for config in configs:
        if config.get("resources") != ["secrets"]:
            raise invalid("encryptionConfig.resources must be ['secrets']")
        key = config.get("provider", {}).get("keyArn", "")
        if not account.has_key(key):
            raise invalid(f"KMS key ARN '{key}' is not valid, or the key does not exist")


def role_trusted_by(account: MotoAccount, arn: str, service: str, message: str) -> None:
    """Checks that a role exists and trusts a service; `message` is the error otherwise."""
    if not account.has_role(arn):
        raise invalid(f"The role with arn {arn} does not exist")
    if not account.role_trusts(arn, service, ["sts:AssumeRole"]):
        raise invalid(message)


def _is_network(cidr: str) -> bool:
    try:
        ipaddress.ip_network(cidr)
    except ValueError:
        return False
    return True


def _is_private(cidr: str) -> bool:
    network = ipaddress.ip_network(cidr)
    return isinstance(network, ipaddress.IPv4Network) and any(
        network.subnet_of(private) for private in SERVICE_RANGES
    )
