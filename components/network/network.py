"""The network of a cluster, as one component."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..location import Location
from . import ways_out
from .config import ExistingNetworkConfig, NewNetworkConfig
from .existing import check
from .layout import check_layout
from .nat_instance import NatInstance, NatInstanceArgs
from .subnets import subnet_plan
from .tags import private_subnet_tags, public_subnet_tags

ZONES_WITHOUT_EKS = ("use1-az3", "usw1-az2", "cac1-az3")
"""Zone ids in which EKS creates no control plane (EKS user guide, subnet requirements)."""


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """The stack file's settings of the network, and the cluster's name and endpoints."""

    config: NewNetworkConfig | ExistingNetworkConfig
    """The stack file's settings of the network."""
    cluster_name: str
    """Name of the cluster, known in advance: subnets carry it in their tags before the cluster
    exists.
    """
    location: Location
    """Account and region of the stack."""
    needed_endpoints: tuple[str, ...] = ()
    """Endpoints that the stack needs if pods have no way to the internet, for example `ecr.api`."""


class Network(pulumi.ComponentResource):
    """The VPC and subnets of the cluster, its Fargate pods and its nodes."""

    vpc_id: pulumi.Output[str]
    """Id of the new or existing VPC."""
    private_subnet_ids: Sequence[pulumi.Output[str]]
    """Ids of private subnets, one for each zone, for the cluster, Fargate pods and nodes."""
    public_subnet_ids: Sequence[pulumi.Output[str]]
    """Ids of public subnets, one for each zone, for load balancers and NAT."""
    control_plane_subnet_ids: Sequence[pulumi.Output[str]]
    """Ids of the private subnets of the control plane. EKS never moves it out of a zone, or into
    another (containers-roadmap#2258).
    """
    way_out: Sequence[pulumi.Resource]
    """Routes, endpoints and the NAT instance that private subnets need to reach AWS. Resources that
    must finish work during a destroy depend on them; the control plane does not.
    """

    def __init__(
        self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Network", name, None, opts)
        if isinstance(args.config, ExistingNetworkConfig):
            self._adopt(name, args.config, args)
        else:
            self._make(name, args.config, args)
        self.register_outputs(
            {
                "vpcId": self.vpc_id,
                "privateSubnetIds": self.private_subnet_ids,
                "publicSubnetIds": self.public_subnet_ids,
            }
        )

    def _adopt(self, name: str, config: ExistingNetworkConfig, args: NetworkArgs) -> None:
        cluster = args.cluster_name
        # Before anything is declared, so that nothing is made where the network does not fit.
        check(
            config,
            cluster=cluster,
            needed=args.needed_endpoints,
            location=args.location,
            opts=pulumi.InvokeOptions(parent=self),
        )
        self.vpc_id = pulumi.Output.from_input(config.vpc_id)
        self.private_subnet_ids = [pulumi.Output.from_input(s) for s in config.private_subnet_ids]
        self.public_subnet_ids = [pulumi.Output.from_input(s) for s in config.public_subnet_ids]
        self.control_plane_subnet_ids = self.private_subnet_ids
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

        same_layout = check_layout(config, cluster, pulumi.InvokeOutputOptions(parent=self))
        zones = [
            pulumi.Output.all(zone, same_layout).apply(lambda known: str(known[0]))
            for zone in self._zone_names(config)
        ]
        plan = subnet_plan(config.cidr, config.zones, config.zones_of_cluster)
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
        self.control_plane_subnet_ids = self.private_subnet_ids[: config.zones_of_cluster]

        place = ways_out.Place(
            name=name, cluster=cluster, vpc=vpc, cidr=str(config.cidr), opts=child
        )
        open_routes = ways_out.public_routes(place, public)
        gateways = ways_out.nat_gateways(place, public[: config.gateways], open_routes)
        targets = [ways_out.RouteTarget(nat_gateway_id=gateway.id) for gateway in gateways]
        if config.nat_instance:
            instance = NatInstance(
                f"{name}-nat",
                NatInstanceArgs(
                    config=config.nat_instance,
                    cluster=cluster,
                    vpc_id=vpc.id,
                    cidr=str(config.cidr),
                    subnet_id=public[0].id,
                    location=args.location,
                    needs=open_routes,
                ),
                opts=child,
            )
            targets.append(ways_out.RouteTarget(network_interface_id=instance.interface_id))
        tables, routes = ways_out.private_routes(place, private, targets)
        services = config.interface_endpoints
        if services is None:
            services = args.needed_endpoints if config.isolated else ()
        endpoints = [
            ways_out.s3_endpoint(place, args.location, tables),
            *ways_out.interface_endpoints(place, args.location, services, private),
        ]
        self.way_out = [*open_routes, *routes, *endpoints]

    def _zone_names(self, config: NewNetworkConfig) -> Sequence[pulumi.Input[str]]:
        if not isinstance(config.availability_zones, int):
            return config.availability_zones
        # Not by `state`: a zone that is impaired today would move every subnet.
        zones = aws.get_availability_zones_output(
            filters=[{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
            exclude_zone_ids=list(ZONES_WITHOUT_EKS),
            opts=pulumi.InvokeOutputOptions(parent=self),
        )
        names = zones.names.apply(lambda known: chosen_zones(known, config.zones))
        return [names[number] for number in range(config.zones)]


def chosen_zones(names: Sequence[str], count: int) -> list[str]:
    """The first zones by name, so that a zone that AWS adds changes nothing.

    Raises RunError, which Pulumi prints without a traceback, if the region has fewer.
    """
    if len(names) < count:
        raise pulumi.RunError(
            f"the region has {len(names)} zones for EKS ({', '.join(sorted(names))}), "
            f"network.availabilityZones asks for {count}: lower it"
        )
    return sorted(names)[:count]
