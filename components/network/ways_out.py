"""Gateways, routes and endpoints by which private subnets reach AWS and the internet."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..location import Location
from .endpoints import S3, service_name
from .tags import owned_by

ANYWHERE = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The VPC of all resources here, and the names of its parts."""

    name: str
    """Name of the component, with which the names of its parts begin."""
    cluster: str
    """Name of the cluster, shown in the Name tags."""
    vpc: aws.ec2.Vpc
    cidr: str
    """Address range of the VPC."""
    opts: pulumi.ResourceOptions
    """Options of children, with the component as parent."""


@dataclass(frozen=True, kw_only=True)
class RouteTarget:
    """Target of a private route; exactly one field is set."""

    nat_gateway_id: pulumi.Input[str] | None = None
    network_interface_id: pulumi.Input[str] | None = None


def public_routes(place: Place, public: Sequence[aws.ec2.Subnet]) -> list[pulumi.Resource]:
    """An internet gateway, and the routes that lead to it."""
    gateway = aws.ec2.InternetGateway(
        f"{place.name}-internet",
        vpc_id=place.vpc.id,
        tags={"Name": place.cluster},
        opts=place.opts,
    )
    table = aws.ec2.RouteTable(
        f"{place.name}-public",
        vpc_id=place.vpc.id,
        tags={"Name": f"{place.cluster}-public"},
        opts=place.opts,
    )
    route = aws.ec2.Route(
        f"{place.name}-public",
        route_table_id=table.id,
        destination_cidr_block=ANYWHERE,
        gateway_id=gateway.id,
        opts=place.opts,
    )
    associations = [
        aws.ec2.RouteTableAssociation(
            f"{place.name}-public-{number}",
            route_table_id=table.id,
            subnet_id=subnet.id,
            opts=place.opts,
        )
        for number, subnet in enumerate(public, start=1)
    ]
    return [route, *associations]


def nat_gateways(
    place: Place, public: Sequence[aws.ec2.Subnet], open_routes: Sequence[pulumi.Resource]
) -> list[aws.ec2.NatGateway]:
    """NAT gateways, one in each of the given subnets, each with its own address.

    An `up` that is killed while AWS creates a gateway leaves it unknown to the state, and the next
    `up` creates another: `./frugal-eks sweep` finds the first by its tag.
    """
    # On destroy it must still have its way out while pods behind it drain.
    after_routes = pulumi.ResourceOptions(parent=place.opts.parent, depends_on=open_routes)
    gateways: list[aws.ec2.NatGateway] = []
    for number, subnet in enumerate(public, start=1):
        address = aws.ec2.Eip(
            f"{place.name}-nat-{number}",
            domain="vpc",
            tags={"Name": f"{place.cluster}-nat-{number}", **owned_by(place.cluster)},
            # An address is of no use before its way out; and one step deeper, the gateway is
            # deleted beside the control plane, not after it: a minute of each destroy.
            opts=after_routes,
        )
        gateway = aws.ec2.NatGateway(
            f"{place.name}-nat-{number}",
            subnet_id=subnet.id,
            allocation_id=address.id,
            tags={"Name": f"{place.cluster}-{number}", **owned_by(place.cluster)},
            opts=after_routes,
        )
        gateways.append(gateway)
    return gateways


def private_routes(
    place: Place,
    private: Sequence[aws.ec2.Subnet],
    targets: Sequence[RouteTarget],
) -> tuple[list[aws.ec2.RouteTable], list[pulumi.Resource]]:
    """Route tables of private subnets, one for each zone even with a single way out: `perZone` then
    changes routes only.

    The zones' tables take the targets in turn; without targets they have no route out.
    """
    tables: list[aws.ec2.RouteTable] = []
    routes: list[pulumi.Resource] = []
    for number, subnet in enumerate(private, start=1):
        noun = f"{place.name}-private-{number}"
        table = aws.ec2.RouteTable(
            noun,
            vpc_id=place.vpc.id,
            tags={"Name": f"{place.cluster}-private-{number}"},
            opts=place.opts,
        )
        tables.append(table)
        association = aws.ec2.RouteTableAssociation(
            noun, route_table_id=table.id, subnet_id=subnet.id, opts=place.opts
        )
        routes.append(association)
        if targets:
            target = targets[(number - 1) % len(targets)]
            route = aws.ec2.Route(
                noun,
                route_table_id=table.id,
                destination_cidr_block=ANYWHERE,
                nat_gateway_id=target.nat_gateway_id,
                network_interface_id=target.network_interface_id,
                opts=place.opts,
            )
            routes.append(route)
    return tables, routes


def s3_endpoint(
    place: Place, location: Location, tables: Sequence[aws.ec2.RouteTable]
) -> pulumi.Resource:
    """The free gateway endpoint of S3. Image layers come from S3: without it NAT bills their
    data.
    """
    return aws.ec2.VpcEndpoint(
        f"{place.name}-s3",
        vpc_id=place.vpc.id,
        service_name=service_name(location, S3),
        vpc_endpoint_type="Gateway",
        route_table_ids=[table.id for table in tables],
        tags={"Name": f"{place.cluster}-s3"},
        opts=place.opts,
    )


def interface_endpoints(
    place: Place, location: Location, services: Sequence[str], private: Sequence[aws.ec2.Subnet]
) -> list[pulumi.Resource]:
    """Interface endpoints in every private subnet, one for each service, open to the VPC only."""
    if not services:
        return []
    group = aws.ec2.SecurityGroup(
        f"{place.name}-endpoints",
        vpc_id=place.vpc.id,
        description="HTTPS from the VPC to AWS services",
        ingress=[
            {
                "protocol": "tcp",
                "from_port": 443,
                "to_port": 443,
                "cidr_blocks": [place.cidr],
            }
        ],
        tags={"Name": f"{place.cluster}-endpoints"},
        opts=place.opts,
    )
    # A VPC takes one endpoint with private DNS for each service: a second one beside it, as a
    # replacement would be, is refused (hashicorp/terraform-provider-aws#17535).
    one_at_a_time = pulumi.ResourceOptions(parent=place.opts.parent, delete_before_replace=True)
    return [
        aws.ec2.VpcEndpoint(
            f"{place.name}-{service.replace('.', '-')}",
            vpc_id=place.vpc.id,
            service_name=service_name(location, service),
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=[subnet.id for subnet in private],
            security_group_ids=[group.id],
            tags={"Name": f"{place.cluster}-{service}"},
            opts=one_at_a_time,
        )
        for service in services
    ]
