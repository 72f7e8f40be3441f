"""Checks in a preview whether an existing VPC fits the cluster; reports all problems at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..location import Location
from .config import ExistingNetworkConfig
from .endpoints import S3, service_name
from .tags import private_subnet_tags, public_subnet_tags

_AS_GOOD = {"1": ("1", ""), "shared": ("shared", "owned")}
"""Tag values that the AWS Load Balancer Controller and EKS treat like the value that this program
sets.
"""


@dataclass(frozen=True, kw_only=True)
class FoundSubnet:
    """A subnet as AWS reports it."""

    vpc: str
    zone: str
    tags: Mapping[str, str]


def check(
    config: ExistingNetworkConfig,
    *,
    cluster: str,
    needed: Sequence[str],
    location: Location,
    opts: pulumi.InvokeOptions,
) -> None:
    """Checks the subnets and, if endpoints are the way out, the endpoints in `needed` and S3's.

    Raises RunError, which Pulumi prints without a traceback, with all problems and their remedies.
    """
    existing = _subnets((*config.private_subnet_ids, *config.public_subnet_ids), opts)
    problems = [*subnet_problems(config, existing), *zone_problems(config, existing)]
    if not config.tag_subnets:
        problems += tag_problems(config, existing, cluster)
    if config.isolated:
        subnets = _one_a_zone(config, existing)
        problems += [
            endpoint_problem(config.vpc_id, subnets, location, service)
            for service in (*needed, S3)
            if not _has_endpoint(config.vpc_id, location, service, opts)
        ]
    if problems:
        raise pulumi.RunError("\n".join([f"{config.vpc_id} does not fit the cluster:", *problems]))


def subnet_problems(
    config: ExistingNetworkConfig, existing: Mapping[str, FoundSubnet]
) -> Iterator[str]:
    """Problems of subnets that do not exist, or are in another VPC."""
    for path, subnet in _paths(config):
        if subnet not in existing:
            yield f"{path}: {subnet} does not exist in this account and region: correct it"
        elif existing[subnet].vpc != config.vpc_id:
            yield f"{path}: {subnet} lies in {existing[subnet].vpc}: correct it, or network.vpcId"


def zone_problems(
    config: ExistingNetworkConfig, existing: Mapping[str, FoundSubnet]
) -> Iterator[str]:
    """Problem of private subnets that are all in one zone: EKS needs two zones for a control
    plane.
    """
    known = [existing[subnet].zone for subnet in config.private_subnet_ids if subnet in existing]
    if len(known) == len(config.private_subnet_ids) and len(set(known)) == 1:
        yield (
            f"network.privateSubnetIds: all lie in {known[0]}, and EKS wants two zones: "
            "add a subnet of another zone"
        )


def tag_problems(
    config: ExistingNetworkConfig, existing: Mapping[str, FoundSubnet], cluster: str
) -> Iterator[str]:
    """Problems of subnets without the tags by which load balancers, EKS and Karpenter find them."""
    for path, subnet in _paths(config):
        if subnet not in existing:
            continue
        private = subnet in config.private_subnet_ids
        wanted = private_subnet_tags(cluster) if private else public_subnet_tags(cluster)
        tags = existing[subnet].tags
        lacking = [
            f"Key={key},Value={value}"
            for key, value in wanted.items()
            if tags.get(key) not in _AS_GOOD.get(value, (value,))
        ]
        if lacking:
            yield (
                f"{path}: {subnet} lacks tags: set network.tagSubnets: true, or "
                f"`aws ec2 create-tags --resources {subnet} --tags {' '.join(lacking)}`"
            )


def endpoint_problem(vpc: str, subnets: Sequence[str], location: Location, service: str) -> str:
    """Problem of a missing endpoint, with the command that creates it in subnets of different
    zones.
    """
    name = service_name(location, service)
    make = f"`aws ec2 create-vpc-endpoint --vpc-id {vpc} --service-name {name}"
    if service == S3:
        make += " --vpc-endpoint-type Gateway --route-table-ids …` with the private subnets' tables"
    else:
        make += (
            " --vpc-endpoint-type Interface --private-dns-enabled "
            f"--subnet-ids {' '.join(subnets)} --security-group-ids …` "
            "with a group that admits HTTPS from the VPC"
        )
    return (
        f"network.wayOut: the VPC has no endpoint {name}, which pods without internet need: {make}"
    )


def _paths(config: ExistingNetworkConfig) -> Iterator[tuple[str, str]]:
    """Each subnet with its path in the stack file."""
    for number, subnet in enumerate(config.private_subnet_ids):
        yield f"network.privateSubnetIds[{number}]", subnet
    for number, subnet in enumerate(config.public_subnet_ids):
        yield f"network.publicSubnetIds[{number}]", subnet


def _subnets(ids: Sequence[str], opts: pulumi.InvokeOptions) -> Mapping[str, FoundSubnet]:
    """The subnets of these ids that exist, by id."""
    # A filter finds nothing without an error, where asking for one by its id fails.
    there = aws.ec2.get_subnets(filters=[{"name": "subnet-id", "values": list(ids)}], opts=opts)
    subnets = {id_: aws.ec2.get_subnet(id=id_, opts=opts) for id_ in there.ids}
    return {
        id_: FoundSubnet(vpc=subnet.vpc_id, zone=subnet.availability_zone, tags=subnet.tags)
        for id_, subnet in subnets.items()
    }


def _one_a_zone(
    config: ExistingNetworkConfig, existing: Mapping[str, FoundSubnet]
) -> Sequence[str]:
    """Private subnets for endpoints, at most one for each zone."""
    by_zone: dict[str, str] = {}
    for subnet in config.private_subnet_ids:
        if subnet in existing:
            by_zone.setdefault(existing[subnet].zone, subnet)
    return [*by_zone.values()]


def _has_endpoint(vpc: str, location: Location, service: str, opts: pulumi.InvokeOptions) -> bool:
    """True if the VPC has the endpoint. Raises any other error of AWS."""
    try:
        aws.ec2.get_vpc_endpoint(
            vpc_id=vpc,
            service_name=service_name(location, service),
            vpc_endpoint_type="Gateway" if service == S3 else "Interface",
            state="available",
            opts=opts,
        )
    # An invoke has no error of its own kind; there is no data source that lists endpoints.
    except Exception as error:
        message = str(error)
        if "no matching EC2 VPC Endpoint found" in message:
            return False
        if "multiple EC2 VPC Endpoints matched" not in message:
            raise
    return True
