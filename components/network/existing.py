"""Whether a VPC that exists fits the cluster: asked at preview, told all at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..location import Location
from .config import ExistingNetworkConfig
from .endpoints import S3, service_name
from .tags import private_subnet_tags, public_subnet_tags

_AS_GOOD = {"1": ("1", ""), "shared": ("shared", "owned")}
"""What the AWS Load Balancer Controller and EKS take for the same as the value that we write."""


@dataclass(frozen=True, kw_only=True)
class FoundSubnet:
    """A subnet as AWS has it."""

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
    """Ask AWS for the subnets and, where endpoints are the way out, for the `needed` ones and S3's.

    Raises RunError, which Pulumi prints without a traceback, with all that is wrong and the remedy
    for each.
    """
    found = _subnets((*config.private_subnet_ids, *config.public_subnet_ids), opts)
    problems = [*subnet_problems(config, found), *zone_problems(config, found)]
    if not config.tag_subnets:
        problems += tag_problems(config, found, cluster)
    if config.isolated:
        subnets = _one_a_zone(config, found)
        problems += [
            endpoint_problem(config.vpc_id, subnets, location, service)
            for service in (*needed, S3)
            if not _has_endpoint(config.vpc_id, location, service, opts)
        ]
    if problems:
        raise pulumi.RunError("\n".join([f"{config.vpc_id} does not fit the cluster:", *problems]))


def subnet_problems(
    config: ExistingNetworkConfig, found: Mapping[str, FoundSubnet]
) -> Iterator[str]:
    """Every subnet exists, and in the VPC."""
    for path, subnet in _paths(config):
        if subnet not in found:
            yield f"{path}: {subnet} does not exist in this account and region: correct it"
        elif found[subnet].vpc != config.vpc_id:
            yield f"{path}: {subnet} lies in {found[subnet].vpc}: correct it, or network.vpcId"


def zone_problems(config: ExistingNetworkConfig, found: Mapping[str, FoundSubnet]) -> Iterator[str]:
    """EKS puts a control plane into two zones at least."""
    known = [found[subnet].zone for subnet in config.private_subnet_ids if subnet in found]
    if len(known) == len(config.private_subnet_ids) and len(set(known)) == 1:
        yield (
            f"network.privateSubnetIds: all lie in {known[0]}, and EKS wants two zones: "
            "add a subnet of another zone"
        )


def tag_problems(
    config: ExistingNetworkConfig, found: Mapping[str, FoundSubnet], cluster: str
) -> Iterator[str]:
    """The tags by which load balancers, EKS and Karpenter find a subnet are on it."""
    for path, subnet in _paths(config):
        if subnet not in found:
            continue
        private = subnet in config.private_subnet_ids
        wanted = private_subnet_tags(cluster) if private else public_subnet_tags(cluster)
        tags = found[subnet].tags
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
    """How to make an endpoint that is not there, in subnets of different zones."""
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
    """Each subnet with its place in the stack file."""
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


def _one_a_zone(config: ExistingNetworkConfig, found: Mapping[str, FoundSubnet]) -> Sequence[str]:
    """Private subnets for endpoints, of which a zone can have only one."""
    by_zone: dict[str, str] = {}
    for subnet in config.private_subnet_ids:
        if subnet in found:
            by_zone.setdefault(found[subnet].zone, subnet)
    return [*by_zone.values()]


def _has_endpoint(vpc: str, location: Location, service: str, opts: pulumi.InvokeOptions) -> bool:
    """Whether there is at least one. Raises what else AWS refuses."""
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
        told = str(error)
        if "no matching EC2 VPC Endpoint found" in told:
            return False
        if "multiple EC2 VPC Endpoints matched" not in told:
            raise
    return True
