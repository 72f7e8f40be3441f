"""Chooses the instance that a group launches next: type, weight, and spot or on-demand.

Roughly as the allocation strategies do: which pool is deep is nobody's knowledge here, so that a
pool counts as deeper the fewer instances the group has in it.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import hashlib
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from rehearsal.aws import prices
from rehearsal.aws.scaling.model import in_service, weight_of
from rehearsal.aws.scaling.requirements import matching_types

DEFAULTS = {
    "OnDemandAllocationStrategy": "prioritized",
    "OnDemandBaseCapacity": 0,
    "OnDemandPercentageAboveBaseCapacity": 100,
    "SpotAllocationStrategy": "lowest-price",
}
"""AWS's own defaults: without a percentage nothing is spot."""
LOWEST_PRICE, POOLS = "lowest-price", 2


@dataclass(frozen=True)
class Choice:
    """An instance to be launched."""

    instance_type: str
    spot: bool
    weight: int | None = None


@dataclass(frozen=True)
class Pool:
    """A type that a group may launch; `order` is its place in the list of overrides."""

    instance_type: str
    weight: int | None
    order: int


def with_defaults(policy: dict[str, Any]) -> dict[str, Any]:
    """A mixed instances policy completed with AWS's defaults."""
    given = {k: v for k, v in policy.get("InstancesDistribution", {}).items() if v is not None}
    distribution = {**DEFAULTS, **given}
    if distribution["SpotAllocationStrategy"] == LOWEST_PRICE:
        distribution.setdefault("SpotInstancePools", POOLS)
    return {**policy, "InstancesDistribution": distribution}


def choose(group: Any, version: Any) -> Choice | None:
    """Next instance of a group by a version of its launch template; None if no type fits."""
    policy = group.mixed_instances_policy
    if not policy:
        market = version.data.get("InstanceMarketOptions", {}).get("MarketType")
        return Choice(version.instance_type, market == "spot")
    distribution = with_defaults(policy)["InstancesDistribution"]
    spot = _spot_is_due(group, distribution)
    pools = _pools(group, policy, version)
    if spot and (limit := distribution.get("SpotMaxPrice")):
        pools = [pool for pool in pools if _spot_price(group, pool) <= float(limit)]
    if not pools:
        return None
    chosen = _best_spot(group, distribution, pools) if spot else _best(group, distribution, pools)
    return Choice(chosen.instance_type, spot, chosen.weight)


def _spot_is_due(group: Any, distribution: Mapping[str, Any]) -> bool:
    wanted, base = int(group.desired_capacity or 0), int(distribution["OnDemandBaseCapacity"])
    share = int(distribution["OnDemandPercentageAboveBaseCapacity"]) / 100
    # AWS rounds in favour of on-demand.
    on_demand = base + math.ceil(max(wanted - base, 0) * share)
    running = [state for state in in_service(group) if state.instance.lifecycle != "spot"]
    return sum(map(weight_of, running)) >= on_demand


def _pools(group: Any, policy: Mapping[str, Any], version: Any) -> list[Pool]:
    overrides = policy["LaunchTemplate"].get("Overrides") or [{}]
    pools: list[Pool] = []
    for order, override in enumerate(overrides):
        weight = override.get("WeightedCapacity")
        if requirements := override.get("InstanceRequirements"):
            types = matching_types(requirements)
        else:
            types = [override.get("InstanceType") or version.instance_type]
        pools += [Pool(name, int(weight) if weight else None, order) for name in types]
    image = group.ec2_backend.amis.get(version.image_id)
    return [pool for pool in pools if _launchable(group.region, pool.instance_type, image)]


def _launchable(region: str, instance_type: str, image: Any) -> bool:
    facts = INSTANCE_TYPES.get(instance_type)
    if not facts or not zones_of(region, instance_type):
        return False
    architectures = facts["ProcessorInfo"]["SupportedArchitectures"]
    # moto forgets what a registered image is said to be.
    known = image.architecture if image else None
    return known is None or known in architectures


def _best(group: Any, distribution: Mapping[str, Any], pools: list[Pool]) -> Pool:
    if distribution["OnDemandAllocationStrategy"] == LOWEST_PRICE or _by_requirements(group):
        return min(pools, key=lambda pool: _list_price(group.region, pool))
    return min(pools, key=lambda pool: pool.order)


def _best_spot(group: Any, distribution: Mapping[str, Any], pools: list[Pool]) -> Pool:
    used = Counter(
        state.instance.instance_type
        for state in in_service(group)
        if state.instance.lifecycle == "spot"
    )
    strategy = distribution["SpotAllocationStrategy"]
    if strategy == LOWEST_PRICE:
        number = int(distribution.get("SpotInstancePools", POOLS))
        pools = sorted(pools, key=lambda pool: _spot_price(group, pool))[:number]

    def rank(pool: Pool) -> tuple[float, float]:
        of_equals = {
            "capacity-optimized": _depth(pool.instance_type),
            "capacity-optimized-prioritized": pool.order,
        }.get(strategy)
        if of_equals is None:
            of_equals = _spot_price(group, pool)
        return used[pool.instance_type], of_equals

    return min(pools, key=rank)


def _by_requirements(group: Any) -> bool:
    overrides = group.mixed_instances_policy["LaunchTemplate"].get("Overrides") or []
    return any("InstanceRequirements" in override for override in overrides)


def _depth(instance_type: str) -> float:
    """Depth of a pool: made up, and always the same."""
    return int(hashlib.sha256(instance_type.encode()).hexdigest()[:8], 16)


def _list_price(region: str, pool: Pool) -> float:
    return _list_prices(region).get(pool.instance_type, math.inf) / (pool.weight or 1)


def _spot_price(group: Any, pool: Pool) -> float:
    zone_id = zone_ids(group.ec2_backend).get(group.availability_zones[0], "")
    price = prices.load().spot(pool.instance_type, group.region, zone_id)
    return math.inf if price is None else price / (pool.weight or 1)


def zone_ids(ec2: Any) -> dict[str, str]:
    """Zone ids of the region by name."""
    return {zone.name: zone.zone_id for zone in ec2.describe_availability_zones()}


@cache
def _list_prices(region: str) -> dict[str, float]:
    return dict(prices.load().on_demand(region))


@cache
def zones_of(region: str, instance_type: str) -> frozenset[str]:
    """Zones that offer a type."""
    offerings = INSTANCE_TYPE_OFFERINGS["availability-zone"].get(region, [])
    return frozenset(o["Location"] for o in offerings if o["InstanceType"] == instance_type)
