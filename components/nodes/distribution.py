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
    """So much of the group, first of all, is on-demand."""
    on_demand_percentage_above_base_capacity: int = Field(default=0, ge=0, le=100)
    """And this share of the rest. AWS's own default is 100, which is no spot at all."""
    on_demand_allocation_strategy: Literal["prioritized", "lowest-price"] | None = None
    """Absent: the first types of the list, by `instanceRequirements` the cheapest."""
    spot_allocation_strategy: Literal[
        "price-capacity-optimized",
        "capacity-optimized",
        "capacity-optimized-prioritized",
        "lowest-price",
    ] = "price-capacity-optimized"
    """lowest-price, AWS's own default, looks at no capacity, and is interrupted most often."""
    spot_instance_pools: int | None = Field(default=None, ge=1, le=20)
    """Only with lowest-price: over how many of the cheapest pools it spreads. Absent: 2."""
    max_price: Decimal | None = Field(default=None, ge=Decimal("0.001"), max_digits=12)
    """USD an hour. Absent: the on-demand price, which AWS advises: a lower one interrupts more."""

    def mistakes(self) -> Iterator[Mistake]:
        """No setting that the strategy ignores."""
        strategy = self.spot_allocation_strategy
        if self.spot_instance_pools is not None and strategy != "lowest-price":
            problem = f"is not read where spotAllocationStrategy is {strategy}: drop it"
            yield Mistake("spotInstancePools", problem, self.spot_instance_pools)

    def distribution(self) -> dict[str, Any]:
        """As a mixed instances policy has it, zeros included; the base is each group's own."""
        found: dict[str, Any] = {
            "on_demand_percentage_above_base_capacity": (
                self.on_demand_percentage_above_base_capacity
            ),
            "spot_allocation_strategy": self.spot_allocation_strategy,
        }
        if self.on_demand_allocation_strategy:
            found["on_demand_allocation_strategy"] = self.on_demand_allocation_strategy
        if self.spot_instance_pools:
            found["spot_instance_pools"] = self.spot_instance_pools
        if self.max_price is not None:
            found["spot_max_price"] = f"{self.max_price:f}"
        return found


class RefreshConfig(Section):
    """How nodes are replaced when their template changes: by default new ones come first."""

    min_healthy_percentage: int = Field(default=100, ge=0, le=100)
    """The share of the group that stays at work meanwhile."""
    max_healthy_percentage: int = Field(default=110, ge=100, le=200)
    """How far the group grows meanwhile; it is one node at least."""
    instance_warmup: int = Field(default=120, ge=0)
    """Seconds from the start of an instance until its node runs pods; then the next one's turn."""

    def mistakes(self) -> Iterator[Mistake]:
        """Auto Scaling allows no wider span."""
        span = self.max_healthy_percentage - self.min_healthy_percentage
        if span > _WIDEST_SPAN:
            problem = (
                f"is {span} above minHealthyPercentage, and AWS allows {_WIDEST_SPAN}: "
                "lower it, or raise the other"
            )
            yield Mistake("maxHealthyPercentage", problem, self.max_healthy_percentage)
