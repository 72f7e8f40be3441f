"""What a stack file may say of the network: one of its own, or one that exists."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from components.network.subnets import LARGEST, SMALLEST, subnet_plan
from components.section import Mistake, Section

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
