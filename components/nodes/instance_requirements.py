"""Instance types chosen by their attributes instead of a list: AWS adds new types by itself."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from ..ec2.instance_types import Architecture
from ..section import Mistake, Section

TypePattern = Annotated[str, Field(pattern=r"^[a-z0-9*][a-z0-9.*-]*$", max_length=30)]
"""An instance type, or several with `*`: `m7i.large`, `c5*.*`, `m5a.*`, `r*`."""
Included = Literal["included", "excluded", "required"]
Percentage = Annotated[int, Field(ge=1)]
"""A percentage; 999999 turns the limit off."""

_MANUFACTURERS: dict[Architecture, tuple[str, ...]] = {
    "x86_64": ("intel", "amd"),
    "arm64": ("amazon-web-services",),
}
# As the SDK spells them.
_SDK_NAMES = {"v_cpu": "vcpu_count", "memory_gib_per_v_cpu": "memory_gib_per_vcpu"}


class RangeConfig(Section):
    """A range of whole numbers; min and max are both allowed values."""

    min: int = Field(ge=1)
    """Smallest value."""
    max: int | None = Field(default=None, ge=1)
    """Largest value; absent: no limit."""

    def mistakes(self) -> Iterator[Mistake]:
        """min must not exceed max."""
        if self.max is not None and self.max < self.min:
            yield Mistake("max", f"is less than min, {self.min}: correct one of them", self.max)


class OpenRangeConfig(Section):
    """A range of numbers with one end or both; an absent end is no limit."""

    min: float | None = Field(default=None, gt=0)
    """Smallest value; absent: no limit."""
    max: float | None = Field(default=None, gt=0)
    """Largest value; absent: no limit."""

    def mistakes(self) -> Iterator[Mistake]:
        """min must not exceed max."""
        if self.min is not None and self.max is not None and self.max < self.min:
            yield Mistake("max", f"is less than min, {self.min}: correct one of them", self.max)


class InstanceRequirementsConfig(Section):
    """Attributes of instance types; every type that has them may be launched (Auto Scaling's API,
    InstanceRequirements).

    There is no key for GPUs and other accelerators, and types that have one are excluded: the
    images used here contain no drivers for them.
    """

    architecture: Architecture | None = None
    """Processor architecture of the image. Absent: the architecture that `cpuManufacturers` build,
    else x86_64.
    """
    v_cpu: RangeConfig
    """Number of vCPUs."""
    memory_mib: RangeConfig
    """Memory in MiB."""
    memory_gib_per_v_cpu: OpenRangeConfig | None = None
    """Memory for each vCPU, in GiB."""
    cpu_manufacturers: tuple[Literal["intel", "amd", "amazon-web-services"], ...] = Field(
        default=(), max_length=3
    )
    """Manufacturers of the processor. Absent: all that build the architecture."""
    allowed_instance_types: tuple[TypePattern, ...] = Field(default=(), max_length=400)
    """The only types that may be launched. Absent: all that have the other attributes."""
    excluded_instance_types: tuple[TypePattern, ...] = Field(default=(), max_length=400)
    """Types that are never launched; cannot be combined with allowedInstanceTypes."""
    instance_generations: tuple[Literal["current", "previous"], ...] = Field(
        default=("current",), min_length=1, max_length=2
    )
    """Generations of types; m4, for example, is of a previous one."""
    burstable_performance: Included = "excluded"
    """The t families: cheap, but slow once their CPU credits are spent."""
    bare_metal: Included = "excluded"
    """Types without a hypervisor, which start slowly."""
    local_storage: Included = "included"
    """Types with local disks (instance store)."""
    local_storage_types: tuple[Literal["hdd", "ssd"], ...] = Field(default=(), max_length=2)
    """Kinds of local disks; absent: any."""
    total_local_storage_gb: OpenRangeConfig | None = None
    """Size of all local disks together, in GB."""
    network_bandwidth_gbps: OpenRangeConfig | None = None
    """Network bandwidth in Gbit per second."""
    spot_max_price_percentage_over_lowest_price: Percentage | None = None
    """Excludes types whose spot price exceeds that of the cheapest type by more than this
    percentage.
    """
    max_spot_price_as_percentage_of_optimal_on_demand_price: Percentage | None = None
    """Excludes types whose spot price exceeds this percentage of the on-demand price of the
    cheapest current c, m or r type that fits. With neither spot limit, AWS chooses one itself.
    """
    on_demand_max_price_percentage_over_lowest_price: Percentage | None = None
    """Excludes types whose on-demand price exceeds that of the cheapest type by more than this
    percentage. Absent: 20.
    """

    @property
    def chosen_architecture(self) -> Architecture:
        """Processor architecture that the image must be built for."""
        if self.architecture:
            return self.architecture
        arm = set(self.cpu_manufacturers) == {"amazon-web-services"}
        return "arm64" if arm else "x86_64"

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses settings that exclude each other, and those that no type can have."""
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
        """The `instance_requirements` of an override in a mixed instances policy."""
        settings = self.model_dump(mode="json", exclude={"architecture"}, exclude_none=True)
        named = {_SDK_NAMES.get(key, key): value for key, value in settings.items() if value != []}
        return named | {
            "cpu_manufacturers": list(
                self.cpu_manufacturers or _MANUFACTURERS[self.chosen_architecture]
            ),
            "accelerator_count": {"max": 0},
        }
