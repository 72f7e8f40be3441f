"""The stack file's settings of the network: a new VPC, or an existing one."""

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
    """Tag of the union `Zones`: zones are given by name or by number."""
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
    """A NAT instance in one zone: about 3 USD per month as t4g.nano and 0.70 for its disk, plus
    3.65 for its address. A NAT gateway costs 33, the same address, and a fee for each gigabyte.

    While the instance fails or is replaced, the private subnets are cut off for a minute or two.
    """

    instance_type: InstanceType = "t4g.nano"
    """A Graviton instance type. A nano sustains 32 Mbit/s, and up to 5 Gbit/s for minutes."""

    def mistakes(self) -> Iterator[Mistake]:
        """The type must be arm64, as the image is."""
        if not is_graviton(self.instance_type):
            problem = "is no Graviton type, and the image is for arm64: take one like t4g.nano"
            yield Mistake("instanceType", problem, self.instance_type)


class NewNetworkConfig(Section):
    """A VPC that the stack creates."""

    cidr: AddressRange
    """Address range of the whole VPC, about /16 to /23: pods take their addresses from it too."""
    availability_zones: Zones = 3
    """Number or names of the region's zones. Zones can be added and removed at the end of the list:
    no other subnet moves. See zonesAtCreation before the first such change.
    """
    zones_at_creation: int | None = Field(default=None, ge=MIN_ZONES, le=MAX_ZONES)
    """Number of zones when the stack was created; absent: the present number. Address ranges were
    planned for that number, and EKS never moves a control plane out of its zones, so
    availabilityZones cannot be smaller.
    """
    nat_gateways: Literal["none", "single", "perZone"] | None = None
    """NAT gateways. `single` costs about 33 USD per month plus data, and if its zone fails, every
    zone loses its way out. `perZone` costs that much for each zone and survives the loss of one.
    `none` costs nothing and leaves endpoints as the only way out. Absent: `single`, or `none` if
    there is a natInstance.
    """
    nat_instance: NatInstanceConfig | None = None
    """A NAT instance instead of gateways, for about 4 USD per month; both also pay 3.65 for an
    address.
    """
    interface_endpoints: tuple[Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")], ...] | None = None
    """AWS services with a private endpoint, for example `ecr.api`; about 7 USD per month for each
    in each zone. Absent: those that the stack needs if it has no other way out, else none. S3
    always has its free gateway endpoint.
    """

    @property
    def zones(self) -> int:
        """Number of zones."""
        zones = self.availability_zones
        return zones if isinstance(zones, int) else len(zones)

    @property
    def zones_of_cluster(self) -> int:
        """Number of zones, counted from the first, that the control plane uses."""
        return self.zones_at_creation or self.zones

    @property
    def gateways(self) -> int:
        """Number of NAT gateways."""
        wanted = self.nat_gateways or ("none" if self.nat_instance else "single")
        return {"none": 0, "single": 1, "perZone": self.zones}[wanted]

    @property
    def isolated(self) -> bool:
        """True if pods have no way to the internet."""
        return not (self.gateways or self.nat_instance)

    def mistakes(self) -> Iterator[Mistake]:
        """The VPC must have a size that AWS allows, distinct zones, and one way out."""
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
    """An existing VPC, whose routes somebody else manages."""

    vpc_id: VpcId
    """Id of the VPC, in the stack's account and region."""
    private_subnet_ids: tuple[SubnetId, ...] = Field(min_length=2)
    """Private subnets in at least two zones, with a route to the internet or to the endpoints that
    pods need.
    """
    public_subnet_ids: tuple[SubnetId, ...] = ()
    """Public subnets, for load balancers that face the internet."""
    tag_subnets: bool = True
    """If true, the stack tags the subnets for load balancers and Karpenter. If false, somebody else
    does, and a preview lists missing tags.
    """
    way_out: Literal["internet", "endpoints"] = "internet"
    """Where the private subnets' routes lead. With `endpoints`, a preview lists the endpoints that
    the stack needs and the VPC lacks.
    """

    @property
    def isolated(self) -> bool:
        """True if pods have no way to the internet."""
        return self.way_out == "endpoints"


def network_kind(value: Any) -> str:
    """Tag of the union `NetworkConfig`: a section that names a VPC means that VPC."""
    if isinstance(value, ExistingNetworkConfig):
        return "existing"
    return "existing" if isinstance(value, dict) and "vpcId" in value else "new"


NetworkConfig = Annotated[
    Annotated[NewNetworkConfig, Tag("new")] | Annotated[ExistingNetworkConfig, Tag("existing")],
    Discriminator(network_kind),
]
