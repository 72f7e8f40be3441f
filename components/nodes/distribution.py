"""How spot and on-demand share an Auto Scaling group, and how its nodes are replaced."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field

from ..section import Mistake, Section

_WIDEST_SPAN = 100


class DistributionConfig(Section):
    """How spot and on-demand share a group (Auto Scaling's API, InstancesDistribution)."""

    on_demand_base_capacity: int = Field(default=0, ge=0)
    """Number of nodes, counted first, that are on-demand."""
    on_demand_percentage_above_base_capacity: int = Field(default=0, ge=0, le=100)
    """Percentage of on-demand nodes above the base. AWS's own default is 100, which means no spot
    at all.
    """
    on_demand_allocation_strategy: Literal["prioritized", "lowest-price"] | None = None
    """How on-demand types are chosen. Absent: in the order of `instanceTypes`; with
    `instanceRequirements`, the cheapest.
    """
    spot_allocation_strategy: Literal[
        "price-capacity-optimized",
        "capacity-optimized",
        "capacity-optimized-prioritized",
        "lowest-price",
    ] = "price-capacity-optimized"
    """How spot types are chosen. lowest-price, AWS's own default, ignores spare capacity and is
    interrupted most often.
    """
    spot_instance_pools: int | None = Field(default=None, ge=1, le=20)
    """Number of the cheapest spot pools to spread nodes over; only with lowest-price. Absent: 2."""
    max_price: Decimal | None = Field(default=None, ge=Decimal("0.001"), max_digits=12)
    """Highest spot price in USD per hour. Absent: the on-demand price, as AWS recommends; a lower
    price causes more interruptions.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses settings that the allocation strategy ignores."""
        strategy = self.spot_allocation_strategy
        if self.spot_instance_pools is not None and strategy != "lowest-price":
            problem = f"is not read where spotAllocationStrategy is {strategy}: drop it"
            yield Mistake("spotInstancePools", problem, self.spot_instance_pools)

    def distribution(self) -> dict[str, Any]:
        """Fields of a mixed instances policy's `instances_distribution`, zeros included; without
        the on-demand base, which differs between groups.
        """
        fields: dict[str, Any] = {
            "on_demand_percentage_above_base_capacity": (
                self.on_demand_percentage_above_base_capacity
            ),
            "spot_allocation_strategy": self.spot_allocation_strategy,
        }
        if self.on_demand_allocation_strategy:
            fields["on_demand_allocation_strategy"] = self.on_demand_allocation_strategy
        if self.spot_instance_pools:
            fields["spot_instance_pools"] = self.spot_instance_pools
        if self.max_price is not None:
            fields["spot_max_price"] = f"{self.max_price:f}"
        return fields


class RefreshConfig(Section):
    """How nodes are replaced when their template changes: by default new ones come first."""

    min_healthy_percentage: int = Field(default=100, ge=0, le=100)
    """Percentage of the group's size that stays in service during the replacement."""
    max_healthy_percentage: int = Field(default=110, ge=100, le=200)
    """Percentage of the group's size that it may grow to during the replacement; at least one node
    more.
    """
    instance_warmup: int = Field(default=120, ge=0)
    """Seconds from an instance's start until its node runs pods; only then is the next node
    replaced.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses a wider span than Auto Scaling allows."""
        span = self.max_healthy_percentage - self.min_healthy_percentage
        if span > _WIDEST_SPAN:
            problem = (
                f"is {span} above minHealthyPercentage, and AWS allows {_WIDEST_SPAN}: "
                "lower it, or raise the other"
            )
            yield Mistake("maxHealthyPercentage", problem, self.max_healthy_percentage)
