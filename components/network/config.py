"""What a stack file may say of the network: one of its own, or one that exists."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from components.addresses import AddressRange
from components.network.nat_instance import NatInstanceConfig
from components.network.subnets import LARGEST, SMALLEST, subnet_plan
from components.section import Mistake, Section

VpcId = Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$", examples=["vpc-0123456789abcdef0"])]
SubnetId = Annotated[
    str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$", examples=["subnet-0123456789abcdef0"])
]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$", examples=["eu-west-1a"])]


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

    cidr: AddressRange
    """The whole address range, /16 to /23 or so: pods take their addresses from it too."""
    availability_zones: Zones = 3
    """How many of the region's zones, or which; changing the first ones replaces subnets."""
    nat_gateways: Literal["none", "single", "perZone"] | None = None
    """`single` costs about 33 USD a month and data; `perZone` that much for each zone, and outlives
    the loss of one; `none` leaves no way out but the endpoints. Absent: `single`, or none where
    there is a natInstance."""
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
                subnet_plan(self.cidr, self.zones)
            except ValueError as error:
                yield Mistake("cidr", f"{error}, or fewer availabilityZones", str(self.cidr))
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
