"""What a stack file may say of the network: one of its own, or one that exists."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from ..addresses import AddressRange
from ..ec2.instance_types import InstanceType, is_graviton
from ..section import Mistake, Section
from .subnets import LARGEST, SMALLEST, subnet_plan

VpcId = Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$", examples=["vpc-0123456789abcdef0"])]
SubnetId = Annotated[
    str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$", examples=["subnet-0123456789abcdef0"])
]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$", examples=["eu-west-1a"])]


def zones_kind(value: Any) -> str:
    """Whether zones are named or only counted."""
    return "names" if isinstance(value, list | tuple) else "count"


MIN_ZONES, MAX_ZONES = 2, 4
Zones = Annotated[
    Annotated[int, Field(ge=MIN_ZONES, le=MAX_ZONES), Tag("count")]
    | Annotated[
        tuple[ZoneName, ...], Field(min_length=MIN_ZONES, max_length=MAX_ZONES), Tag("names")
    ],
    Discriminator(zones_kind),
]


class NatInstanceConfig(Section):
    """One instance in one zone: about 3 USD a month as t4g.nano and 0.70 for its disk, beside the
    3.65 of its address, where a NAT gateway costs 33, the same address and each gigabyte.

    Where the instance fails or is replaced, the private subnets are cut off for a minute or two.
    """

    instance_type: InstanceType = "t4g.nano"
    """Graviton. A nano carries 32 Mbit/s for long, and up to 5 Gbit/s for minutes."""

    def mistakes(self) -> Iterator[Mistake]:
        """The image is for arm64."""
        if not is_graviton(self.instance_type):
            problem = "is no Graviton type, and the image is for arm64: take one like t4g.nano"
            yield Mistake("instanceType", problem, self.instance_type)


class NewNetworkConfig(Section):
    """A VPC of its own."""

    cidr: AddressRange
    """The whole address range, /16 to /23 or so: pods take their addresses from it too."""
    availability_zones: Zones = 3
    """How many of the region's zones, or which. Zones can be added at the end and taken from there:
    no other subnet moves. See zonesAtCreation before the first such change."""
    zones_at_creation: int | None = Field(default=None, ge=MIN_ZONES, le=MAX_ZONES)
    """How many zones there were when the stack was made; absent: as many as now. Address ranges
    were planned for these, and EKS keeps a control plane in these for good, so availabilityZones
    cannot fall below it."""
    nat_gateways: Literal["none", "single", "perZone"] | None = None
    """`single` costs about 33 USD a month and data, and every zone loses its way out with the
    gateway's; `perZone` costs that much for each zone, and outlives the loss of one; `none` costs
    nothing and leaves no way out but the endpoints. Absent: `single`, or none where there is a
    natInstance."""
    nat_instance: NatInstanceConfig | None = None
    """In place of the gateways, for about 4 USD a month; 3.65 for an address come to either."""
    interface_endpoints: tuple[Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")], ...] | None = None
    """AWS services that get a private way, for example `ecr.api`; about 7 USD a month for each in
    each zone. Absent: what the stack needs where it has no other way out, else none. S3 always has
    its free gateway endpoint."""

    @property
    def zones(self) -> int:
        """How many zones are meant."""
        zones = self.availability_zones
        return zones if isinstance(zones, int) else len(zones)

    @property
    def zones_of_cluster(self) -> int:
        """How many of the zones, from the first on, the control plane is in."""
        return self.zones_at_creation or self.zones

    @property
    def gateways(self) -> int:
        """How many NAT gateways are meant."""
        wanted = self.nat_gateways or ("none" if self.nat_instance else "single")
        return {"none": 0, "single": 1, "perZone": self.zones}[wanted]

    @property
    def isolated(self) -> bool:
        """Whether pods have no way to the internet."""
        return not (self.gateways or self.nat_instance)

    def mistakes(self) -> Iterator[Mistake]:
        """A size that AWS allows, distinct zones, and one way out."""
        zones = self.availability_zones
        if not isinstance(zones, int) and len(set(zones)) < len(zones):
            problem = "names a zone twice: each gets its own subnets"
            yield Mistake("availabilityZones", problem, ", ".join(zones))
        if not LARGEST <= self.cidr.prefixlen <= SMALLEST:
            problem = f"is no size for a VPC: give one from /{LARGEST} to /{SMALLEST}"
            yield Mistake("cidr", problem, str(self.cidr))
        else:
            try:
                subnet_plan(self.cidr, self.zones_of_cluster)
            except ValueError as error:
                yield Mistake("cidr", f"{error}, or fewer availabilityZones", str(self.cidr))
        if self.zones < self.zones_of_cluster:
            yield Mistake(
                "availabilityZones",
                "EKS keeps a control plane in the zones in which it was made: leave at least "
                f"zonesAtCreation, {self.zones_of_cluster}",
                self.zones,
            )
        if self.gateways and self.nat_instance:
            yield Mistake(
                "natInstance",
                f"natGateways is {self.nat_gateways}, and private subnets have one way out: drop "
                "natGateways, or drop natInstance",
            )


class ExistingNetworkConfig(Section):
    """A VPC that somebody else looks after, with its routes."""

    vpc_id: VpcId
    """The VPC, in the stack's account and region."""
    private_subnet_ids: tuple[SubnetId, ...] = Field(min_length=2)
    """In at least two zones, with a route to the internet or to the endpoints that pods need."""
    public_subnet_ids: tuple[SubnetId, ...] = ()
    """For load balancers that face the internet."""
    tag_subnets: bool = True
    """Put the load balancers' and Karpenter's tags on the subnets. With false somebody else does,
    and a preview says which are missing."""
    way_out: Literal["internet", "endpoints"] = "internet"
    """What the private subnets' routes lead to. With `endpoints` a preview says which of those
    that the stack needs the VPC lacks."""

    @property
    def isolated(self) -> bool:
        """Whether pods have no way to the internet."""
        return self.way_out == "endpoints"


def network_kind(value: Any) -> str:
    """Which of the two a section means; anything that names a VPC means that VPC."""
    if isinstance(value, ExistingNetworkConfig):
        return "existing"
    return "existing" if isinstance(value, dict) and "vpcId" in value else "new"


NetworkConfig = Annotated[
    Annotated[NewNetworkConfig, Tag("new")] | Annotated[ExistingNetworkConfig, Tag("existing")],
    Discriminator(network_kind),
]
