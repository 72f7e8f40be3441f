"""How private subnets reach AWS and the internet: gateways, routes, endpoints."""

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
    """The VPC that everything here belongs to, and what its parts are called."""

    name: str
    """The component's; the parts' names begin with it."""
    cluster: str
    """Shown in the Name tags."""
    vpc: aws.ec2.Vpc
    cidr: str
    """The VPC's whole range."""
    opts: pulumi.ResourceOptions
    """The component as parent."""


@dataclass(frozen=True, kw_only=True)
class RouteTarget:
    """What a private route leads to: one of these."""

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
    """One in each of the given subnets, with an address of its own.

    An `up` that is killed while AWS makes one leaves it unknown to the state, and the next `up`
    makes another: by its tag the sweep finds the first.
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
    """One table a zone, also with a single way out: `perZone` then changes routes only.

    The tables of the zones take turns with the targets; without any they have no route out.
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
    """Free, and image layers come from S3: without it they are billed as NAT's data."""
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
    """One for each service in every private subnet, open to the VPC and nobody else."""
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
