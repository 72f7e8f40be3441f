"""Instance types by what they have, in place of a list: AWS adds new ones by itself."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from ..ec2.instance_types import Architecture
from ..section import Mistake, Section

TypePattern = Annotated[str, Field(pattern=r"^[a-z0-9*][a-z0-9.*-]*$", max_length=30)]
"""A type, or several with `*`: `m7i.large`, `c5*.*`, `m5a.*`, `r*`."""
Included = Literal["included", "excluded", "required"]
Percentage = Annotated[int, Field(ge=1)]
"""999999 turns the limit off."""

_MANUFACTURERS: dict[Architecture, tuple[str, ...]] = {
    "x86_64": ("intel", "amd"),
    "arm64": ("amazon-web-services",),
}
# As the SDK spells them.
_SDK_NAMES = {"v_cpu": "vcpu_count", "memory_gib_per_v_cpu": "memory_gib_per_vcpu"}


class RangeConfig(Section):
    """Both ends belong to it."""

    min: int = Field(ge=1)
    """The least."""
    max: int | None = Field(default=None, ge=1)
    """Absent: no limit."""

    def mistakes(self) -> Iterator[Mistake]:
        """Upwards."""
        if self.max is not None and self.max < self.min:
            yield Mistake("max", f"is less than min, {self.min}: correct one of them", self.max)


class OpenRangeConfig(Section):
    """Each end may be absent: no limit there."""

    min: float | None = Field(default=None, gt=0)
    """The least; absent: no limit."""
    max: float | None = Field(default=None, gt=0)
    """The most; absent: no limit."""

    def mistakes(self) -> Iterator[Mistake]:
        """Upwards."""
        if self.min is not None and self.max is not None and self.max < self.min:
            yield Mistake("max", f"is less than min, {self.min}: correct one of them", self.max)


class InstanceRequirementsConfig(Section):
    """All that fit may be launched (Auto Scaling's API, InstanceRequirements).

    There is no key for GPUs and other accelerators, and types that have one never fit: the images
    here bring no drivers for them.
    """

    architecture: Architecture | None = None
    """The processor architecture of the image. Absent: what `cpuManufacturers` build, else
    x86_64."""
    v_cpu: RangeConfig
    """How many vCPUs."""
    memory_mib: RangeConfig
    """How much memory, in MiB."""
    memory_gib_per_v_cpu: OpenRangeConfig | None = None
    """How much memory for each vCPU, in GiB."""
    cpu_manufacturers: tuple[Literal["intel", "amd", "amazon-web-services"], ...] = Field(
        default=(), max_length=3
    )
    """Absent: all that build the architecture."""
    allowed_instance_types: tuple[TypePattern, ...] = Field(default=(), max_length=400)
    """Absent: all."""
    excluded_instance_types: tuple[TypePattern, ...] = Field(default=(), max_length=400)
    """Types that never fit; not beside allowedInstanceTypes."""
    instance_generations: tuple[Literal["current", "previous"], ...] = Field(
        default=("current",), min_length=1, max_length=2
    )
    """Types like m4 are of a previous one."""
    burstable_performance: Included = "excluded"
    """The t families: cheap, but slow once their credits are spent."""
    bare_metal: Included = "excluded"
    """Types without a hypervisor, which start slowly."""
    local_storage: Included = "included"
    """Types with disks of their own."""
    local_storage_types: tuple[Literal["hdd", "ssd"], ...] = Field(default=(), max_length=2)
    """Kinds of local disks; absent: any."""
    total_local_storage_gb: OpenRangeConfig | None = None
    """How large those disks are together, in GB."""
    network_bandwidth_gbps: OpenRangeConfig | None = None
    """The network's bandwidth, in Gbit a second."""
    spot_max_price_percentage_over_lowest_price: Percentage | None = None
    """Types that cost so much more than the cheapest are left out."""
    max_spot_price_as_percentage_of_optimal_on_demand_price: Percentage | None = None
    """The same, measured by the on-demand price. With neither, AWS finds a limit by itself."""
    on_demand_max_price_percentage_over_lowest_price: Percentage | None = None
    """Absent: 20."""

    @property
    def chosen_architecture(self) -> Architecture:
        """What the image must be built for."""
        if self.architecture:
            return self.architecture
        arm = set(self.cpu_manufacturers) == {"amazon-web-services"}
        return "arm64" if arm else "x86_64"

    def mistakes(self) -> Iterator[Mistake]:
        """What excludes each other, or no type can have."""
        builders = _MANUFACTURERS[self.chosen_architecture]
        for number, manufacturer in enumerate(self.cpu_manufacturers):
            if manufacturer not in builders:
                problem = (
                    f"builds no {self.chosen_architecture}, and a group has one image: "
                    "drop it, or make a group of each architecture"
                )
                yield Mistake(f"cpuManufacturers[{number}]", problem, manufacturer)
        if self.allowed_instance_types and self.excluded_instance_types:
            problem = "does not go with allowedInstanceTypes: keep one of them"
            yield Mistake("excludedInstanceTypes", problem)
        if (
            self.spot_max_price_percentage_over_lowest_price
            and self.max_spot_price_as_percentage_of_optimal_on_demand_price
        ):
            problem = "does not go with spotMaxPricePercentageOverLowestPrice: keep one of them"
            path = "maxSpotPriceAsPercentageOfOptimalOnDemandPrice"
            value = self.max_spot_price_as_percentage_of_optimal_on_demand_price
            yield Mistake(path, problem, value)
        if self.local_storage == "excluded" and (
            self.local_storage_types or self.total_local_storage_gb
        ):
            path = "localStorageTypes" if self.local_storage_types else "totalLocalStorageGb"
            yield Mistake(path, "asks for what localStorage excludes: drop one of them")

    def requirements(self) -> dict[str, Any]:
        """As an override of a mixed instances policy has them."""
        given = self.model_dump(mode="json", exclude={"architecture"}, exclude_none=True)
        found = {_SDK_NAMES.get(key, key): value for key, value in given.items() if value != []}
        return found | {
            "cpu_manufacturers": list(
                self.cpu_manufacturers or _MANUFACTURERS[self.chosen_architecture]
            ),
            "accelerator_count": {"max": 0},
        }
