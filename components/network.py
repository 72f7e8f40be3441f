"""The VPC: subnets over several zones, a way out to the internet, endpoints; or one that exists."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal

import pulumi
import pulumi_aws as aws
from pydantic import Discriminator, Field, Tag

from components.location import Location
from components.section import Mistake, Section
from components.subnets import LARGEST, SMALLEST, subnet_plan

DISCOVERY_TAG = "karpenter.sh/discovery"
"""The tag by which Karpenter finds subnets and the security group; its value is the cluster."""

ZONES_WITHOUT_EKS = ("use1-az3", "usw1-az2", "cac1-az3")
"""Zone ids in which EKS makes no control plane (EKS user guide, subnet requirements)."""

ENDPOINTS_WITHOUT_INTERNET = ("ec2", "ecr.api", "ecr.dkr", "eks", "logs", "sqs", "ssm", "sts")
"""Interface endpoints that nodes, Fargate pods and Karpenter need where there is no NAT; S3 has
a gateway endpoint of its own. Karpenter's list of endpoints for private clusters."""

VpcId = Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$")]
SubnetId = Annotated[str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$")]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$")]


def zones_kind(value: Any) -> str:
    """Whether zones are named or only counted."""
    return "names" if isinstance(value, list | tuple) else "count"


Zones = Annotated[
    Annotated[int, Field(ge=2, le=4), Tag("count")]
    | Annotated[tuple[ZoneName, ...], Field(min_length=2, max_length=4), Tag("names")],
    Discriminator(zones_kind),
]


class NewNetworkConfig(Section):
    """A VPC of its own."""

    cidr: IPv4Network
    """The whole address range, /16 to /23 or so: pods take their addresses from it too."""
    availability_zones: Zones = 3
    """How many of the region's zones, or which; changing the first ones replaces subnets."""
    nat_gateways: Literal["none", "single", "perZone"] = "single"
    """`single` costs about 33 USD a month and data; `perZone` that much for each zone, and outlives
    the loss of one; `none` leaves no way out but the endpoints."""
    interface_endpoints: tuple[Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")], ...] = ()
    """AWS services that get a private way, for example `ecr.api`; about 7 USD a month for each in
    each zone. S3 always has its free gateway endpoint."""

    @property
    def zones(self) -> int:
        """How many zones are meant."""
        zones = self.availability_zones
        return zones if isinstance(zones, int) else len(zones)

    def mistakes(self) -> Iterator[Mistake]:
        """A size that AWS allows, distinct zones, and a way to AWS."""
        zones = self.availability_zones
        if not isinstance(zones, int) and len(set(zones)) < len(zones):
            problem = "names a zone twice: each gets its own subnets"
            yield Mistake("availabilityZones", problem, ", ".join(zones))
        if not LARGEST <= self.cidr.prefixlen <= SMALLEST:
            problem = f"is no size for a VPC: give one from /{LARGEST} to /{SMALLEST}"
            yield Mistake("cidr", problem, str(self.cidr))
        else:
            try:
                subnet_plan(self.cidr, self.zones)
            except ValueError as error:
                yield Mistake("cidr", f"{error}, or fewer availabilityZones", str(self.cidr))
        if self.nat_gateways == "none":
            missing = [e for e in ENDPOINTS_WITHOUT_INTERNET if e not in self.interface_endpoints]
            if missing:
                yield Mistake(
                    "interfaceEndpoints",
                    "natGateways is none, so pods reach AWS by endpoints alone: "
                    f"add {', '.join(missing)}, or choose natGateways: single",
                )


class ExistingNetworkConfig(Section):
    """A VPC that somebody else looks after, with its routes."""

    vpc_id: VpcId
    private_subnet_ids: tuple[SubnetId, ...] = Field(min_length=2)
    """In at least two zones, with a route to the internet or to the endpoints that pods need."""
    public_subnet_ids: tuple[SubnetId, ...] = ()
    """For load balancers that face the internet."""
    tag_subnets: bool = True
    """Put the load balancers' and Karpenter's tags on the subnets; false where they carry them."""


def network_kind(value: Any) -> str:
    """Which of the two a section means; anything that names a VPC means that VPC."""
    if isinstance(value, ExistingNetworkConfig):
        return "existing"
    return "existing" if isinstance(value, dict) and "vpcId" in value else "new"


NetworkConfig = Annotated[
    Annotated[NewNetworkConfig, Tag("new")] | Annotated[ExistingNetworkConfig, Tag("existing")],
    Discriminator(network_kind),
]


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """The stack file's part, and whose network it is."""

    config: NewNetworkConfig | ExistingNetworkConfig
    cluster_name: str
    """Known in advance: subnets carry it in their tags before there is a cluster."""
    location: Location


class Network(pulumi.ComponentResource):
    """Where the cluster, its Fargate pods and its nodes live."""

    vpc_id: pulumi.Output[str]
    private_subnet_ids: Sequence[pulumi.Output[str]]
    """One a zone; the cluster, Fargate pods and nodes use them."""
    public_subnet_ids: Sequence[pulumi.Output[str]]
    """One a zone; for load balancers and NAT."""
    way_out: Sequence[pulumi.Resource]
    """Routes and endpoints that private subnets need to reach AWS. What must be able to finish its
    work while the stack is destroyed depends on them; the control plane does not."""

    def __init__(
        self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Network", name, None, opts)
        if isinstance(args.config, ExistingNetworkConfig):
            self._adopt(name, args.config, args.cluster_name)
        else:
            self._make(name, args.config, args)
        self.register_outputs(
            {
                "vpcId": self.vpc_id,
                "privateSubnetIds": self.private_subnet_ids,
                "publicSubnetIds": self.public_subnet_ids,
            }
        )

    def _adopt(self, name: str, config: ExistingNetworkConfig, cluster: str) -> None:
        self.vpc_id = pulumi.Output.from_input(config.vpc_id)
        self.private_subnet_ids = [pulumi.Output.from_input(s) for s in config.private_subnet_ids]
        self.public_subnet_ids = [pulumi.Output.from_input(s) for s in config.public_subnet_ids]
        tagged = {s: private_subnet_tags(cluster) for s in config.private_subnet_ids}
        tagged |= {s: public_subnet_tags(cluster) for s in config.public_subnet_ids}
        self.way_out = [
            aws.ec2.Tag(
                f"{name}-{subnet}-{key.rpartition('/')[2]}",
                resource_id=subnet,
                key=key,
                value=value,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for subnet, tags in (tagged if config.tag_subnets else {}).items()
            for key, value in tags.items()
        ]

    def _make(self, name: str, config: NewNetworkConfig, args: NetworkArgs) -> None:
        child = pulumi.ResourceOptions(parent=self)
        cluster = args.cluster_name
        vpc = aws.ec2.Vpc(
            name,
            cidr_block=str(config.cidr),
            # Private endpoints and the cluster's own endpoint are found by name.
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags={"Name": cluster},
            opts=child,
        )
        self.vpc_id = vpc.id

        zones = self._zone_names(config)
        plan = subnet_plan(config.cidr, config.zones)
        private = [
            aws.ec2.Subnet(
                f"{name}-private-{number}",
                vpc_id=vpc.id,
                cidr_block=str(block),
                availability_zone=zone,
                tags=private_subnet_tags(cluster) | {"Name": f"{cluster}-private-{number}"},
                opts=child,
            )
            for number, (block, zone) in enumerate(zip(plan.private, zones, strict=True), start=1)
        ]
        public = [
            aws.ec2.Subnet(
                f"{name}-public-{number}",
                vpc_id=vpc.id,
                cidr_block=str(block),
                availability_zone=zone,
                tags=public_subnet_tags(cluster) | {"Name": f"{cluster}-public-{number}"},
                opts=child,
            )
            for number, (block, zone) in enumerate(zip(plan.public, zones, strict=True), start=1)
        ]
        self.private_subnet_ids = [subnet.id for subnet in private]
        self.public_subnet_ids = [subnet.id for subnet in public]

        open_routes = self._public_routes(name, cluster, vpc, public)
        gateways = self._nat_gateways(name, config, cluster, public, open_routes)
        tables, routes = self._private_routes(name, cluster, vpc, private, gateways)
        endpoints = self._endpoints(name, config, args, vpc, tables)
        self.way_out = [*open_routes, *routes, *endpoints]

    def _zone_names(self, config: NewNetworkConfig) -> Sequence[pulumi.Input[str]]:
        if not isinstance(config.availability_zones, int):
            return config.availability_zones
        # Not by `state`: a zone that is impaired today would move every subnet.
        found = aws.get_availability_zones_output(
            filters=[{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
            exclude_zone_ids=list(ZONES_WITHOUT_EKS),
            opts=pulumi.InvokeOutputOptions(parent=self),
        )
        names = found.names.apply(lambda known: chosen_zones(known, config.zones))
        return [names[number] for number in range(config.zones)]

    def _public_routes(
        self, name: str, cluster: str, vpc: aws.ec2.Vpc, public: Sequence[aws.ec2.Subnet]
    ) -> list[pulumi.Resource]:
        child = pulumi.ResourceOptions(parent=self)
        gateway = aws.ec2.InternetGateway(
            f"{name}-internet", vpc_id=vpc.id, tags={"Name": cluster}, opts=child
        )
        table = aws.ec2.RouteTable(
            f"{name}-public", vpc_id=vpc.id, tags={"Name": f"{cluster}-public"}, opts=child
        )
        route = aws.ec2.Route(
            f"{name}-public",
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.id,
            opts=child,
        )
        associations = [
            aws.ec2.RouteTableAssociation(
                f"{name}-public-{number}", route_table_id=table.id, subnet_id=subnet.id, opts=child
            )
            for number, subnet in enumerate(public, start=1)
        ]
        return [route, *associations]

    def _nat_gateways(
        self,
        name: str,
        config: NewNetworkConfig,
        cluster: str,
        public: Sequence[aws.ec2.Subnet],
        open_routes: Sequence[pulumi.Resource],
    ) -> list[aws.ec2.NatGateway]:
        count = {"none": 0, "single": 1, "perZone": config.zones}[config.nat_gateways]
        gateways: list[aws.ec2.NatGateway] = []
        for number, subnet in enumerate(public[:count], start=1):
            address = aws.ec2.Eip(
                f"{name}-nat-{number}",
                domain="vpc",
                tags={"Name": f"{cluster}-nat-{number}"},
                opts=pulumi.ResourceOptions(parent=self),
            )
            gateway = aws.ec2.NatGateway(
                f"{name}-nat-{number}",
                subnet_id=subnet.id,
                allocation_id=address.id,
                tags={"Name": f"{cluster}-{number}"},
                # On destroy it must still have its way out while pods behind it drain.
                opts=pulumi.ResourceOptions(parent=self, depends_on=open_routes),
            )
            gateways.append(gateway)
        return gateways

    def _private_routes(
        self,
        name: str,
        cluster: str,
        vpc: aws.ec2.Vpc,
        private: Sequence[aws.ec2.Subnet],
        gateways: Sequence[aws.ec2.NatGateway],
    ) -> tuple[list[aws.ec2.RouteTable], list[pulumi.Resource]]:
        """One table a zone, also with a single gateway: `perZone` then changes routes only."""
        child = pulumi.ResourceOptions(parent=self)
        tables: list[aws.ec2.RouteTable] = []
        routes: list[pulumi.Resource] = []
        for number, subnet in enumerate(private, start=1):
            noun = f"{name}-private-{number}"
            table = aws.ec2.RouteTable(
                noun, vpc_id=vpc.id, tags={"Name": f"{cluster}-private-{number}"}, opts=child
            )
            tables.append(table)
            routes.append(
                aws.ec2.RouteTableAssociation(
                    noun, route_table_id=table.id, subnet_id=subnet.id, opts=child
                )
            )
            if gateways:
                route = aws.ec2.Route(
                    noun,
                    route_table_id=table.id,
                    destination_cidr_block="0.0.0.0/0",
                    nat_gateway_id=gateways[(number - 1) % len(gateways)].id,
                    opts=child,
                )
                routes.append(route)
        return tables, routes

    def _endpoints(
        self,
        name: str,
        config: NewNetworkConfig,
        args: NetworkArgs,
        vpc: aws.ec2.Vpc,
        tables: Sequence[aws.ec2.RouteTable],
    ) -> list[pulumi.Resource]:
        child = pulumi.ResourceOptions(parent=self)
        suffix = f"com.amazonaws.{args.location.region}"
        if args.location.partition == "aws-cn":
            suffix = f"cn.{suffix}"
        endpoints: list[pulumi.Resource] = [
            aws.ec2.VpcEndpoint(
                f"{name}-s3",
                vpc_id=vpc.id,
                # China has S3's gateway endpoint under the common name.
                service_name=f"com.amazonaws.{args.location.region}.s3",
                vpc_endpoint_type="Gateway",
                route_table_ids=[table.id for table in tables],
                tags={"Name": f"{args.cluster_name}-s3"},
                opts=child,
            )
        ]
        if not config.interface_endpoints:
            return endpoints
        group = aws.ec2.SecurityGroup(
            f"{name}-endpoints",
            vpc_id=vpc.id,
            description="HTTPS from the VPC to AWS services",
            ingress=[
                {
                    "protocol": "tcp",
                    "from_port": 443,
                    "to_port": 443,
                    "cidr_blocks": [str(config.cidr)],
                }
            ],
            tags={"Name": f"{args.cluster_name}-endpoints"},
            opts=child,
        )
        for service in config.interface_endpoints:
            endpoint = aws.ec2.VpcEndpoint(
                f"{name}-{service.replace('.', '-')}",
                vpc_id=vpc.id,
                service_name=f"{suffix}.{service}",
                vpc_endpoint_type="Interface",
                private_dns_enabled=True,
                subnet_ids=list(self.private_subnet_ids),
                security_group_ids=[group.id],
                tags={"Name": f"{args.cluster_name}-{service}"},
                opts=child,
            )
            endpoints.append(endpoint)
        return endpoints


def private_subnet_tags(cluster: str) -> dict[str, str]:
    """What internal load balancers, EKS and Karpenter look for."""
    return {
        "kubernetes.io/role/internal-elb": "1",
        f"kubernetes.io/cluster/{cluster}": "shared",
        DISCOVERY_TAG: cluster,
    }


def public_subnet_tags(cluster: str) -> dict[str, str]:
    """What load balancers that face the internet look for."""
    return {"kubernetes.io/role/elb": "1", f"kubernetes.io/cluster/{cluster}": "shared"}


def chosen_zones(names: Sequence[str], count: int) -> list[str]:
    """The first zones by name, so that a zone that AWS adds changes nothing.

    Raises RunError, which Pulumi prints without a traceback, where the region has fewer.
    """
    if len(names) < count:
        raise pulumi.RunError(
            f"the region has {len(names)} zones for EKS ({', '.join(sorted(names))}), "
            f"network.availabilityZones asks for {count}: lower it"
        )
    return sorted(names)[:count]
