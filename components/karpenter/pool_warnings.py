"""Warnings about node pools that are allowed but seldom meant; errors about pools that no type
fits.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..ec2.instance_labels import LABELS
from ..ec2.label_rules import LabelRule
from ..ec2.labels import CAPACITY_TYPE, OS
from ..ec2.offerings import Zones, known_regions, values_of
from ..kubernetes.quantities import seconds
from ..section import Mistake
from .node_pools import NodePoolConfig
from .pool_choice import Place, PoolChoice

SHORT_LIFE_SECONDS = 24 * 3600
CHEAPER_SPOT_TYPES = 15
"""Karpenter 1.14 replaces one spot node by another only if this many types are cheaper than the
running one (MinInstanceTypesForSpotToSpotConsolidation), so that it does not land on scarce spot
capacity.
"""
FEWEST_SPOT_TYPES = CHEAPER_SPOT_TYPES
"""Fewest spot types without a warning, which Karpenter considers enough to choose from. EC2's own
advice is at least 10
(https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html).
"""

Pools = Mapping[str, NodePoolConfig]
_ANY = LabelRule(others=True)


def pool_warnings(
    pools: Pools,
    classes: Collection[str],
    *,
    region: str,
    zones: Zones = None,
    spot_to_spot: bool,
) -> list[str]:
    """Warnings about pools, each with its path and a remedy.

    `classes` are the names of `nodeClasses`; `spot_to_spot` is the feature gate.
    """
    warnings = [*_short_lives(pools), *_unused_classes(pools, classes)]
    if region not in known_regions():
        return [*warnings, _uncounted(region)]
    choices = [PoolChoice(name, pool, Place(region, zones)) for name, pool in pools.items()]
    spot = [c for c in choices if c.matching.count and c.rules[CAPACITY_TYPE].allows("spot")]
    warnings += _narrow_spot(spot)
    warnings += _spot_that_stays(spot) if spot_to_spot else ()
    return [*warnings, *_overlaps(choices)]


def unmatched(pools: Pools, *, region: str, zones: Zones = None) -> Iterator[Mistake]:
    """Mistakes of pools that no instance type fits, or whose minValues exceed the values on offer.

    Paths are those of the stack file. Pools in a region that the list lacks are not checked, nor
    those with reserved capacity, which differs between accounts.
    """
    for name, pool in pools.items() if region in known_regions() else ():
        choice = PoolChoice(name, pool, Place(region, zones))
        path = f"karpenter.nodePools.{name}"
        if choice.rules[CAPACITY_TYPE].allows("reserved"):
            continue
        if not choice.matching.count:
            date = known_regions()[region]
            refresh = f"`python -m frugal_eks.dev.instance_types --region {region}` asks again"
            problem = f"{choice.why_none()}. EC2 was asked on {date}; {refresh}"
            yield Mistake(f"{path}.requirements", problem)
            continue
        for index, each in enumerate(pool.requirements):
            if not each.min_values or each.key not in LABELS:
                continue
            values = len(values_of(each.key, choice.matching.types))
            if values < each.min_values:
                yield Mistake(
                    f"{path}.requirements[{index}].minValues",
                    f"what matches has {values} values of {each.key}, and with fewer than this "
                    "Karpenter launches nothing: lower it, or widen the requirements",
                    each.min_values,
                )


def _short_lives(pools: Pools) -> Iterator[str]:
    for name, pool in pools.items():
        if pool.expire_after != "Never" and seconds(pool.expire_after) < SHORT_LIFE_SECONDS:
            yield (
                f"karpenter.nodePools.{name}.expireAfter is {pool.expire_after}: nodes of that age "
                "are replaced without regard to disruption budgets, and before a new one is there"
            )


def _unused_classes(pools: Pools, classes: Collection[str]) -> Iterator[str]:
    used = {pool.node_class for pool in pools.values()}
    for name in (name for name in classes if name not in used):
        yield (
            f"karpenter.nodeClasses.{name}: no pool names it, so that it never has a node: drop "
            "it, or name it as the nodeClass of a pool"
        )


def _uncounted(region: str) -> str:
    return (
        f"karpenter.nodePools: the list of EC2's offerings that ships has no {region}, so that "
        "nobody counts what the pools match: `python -m frugal_eks.dev.instance_types --region "
        f"{region}` adds it"
    )


def _narrow_spot(spot: Sequence[PoolChoice]) -> Iterator[str]:
    for choice in spot:
        if choice.as_spot.count < FEWEST_SPOT_TYPES:
            yield (
                f"karpenter.nodePools.{choice.name}: {choice.spot_told()}, fewer than "
                f"{FEWEST_SPOT_TYPES}: when EC2 runs short of them, most of its spot nodes go at "
                f"once and few others come. {choice.spot_remedy()}"
            )


def _spot_that_stays(spot: Sequence[PoolChoice]) -> Iterator[str]:
    for choice in spot:
        pool, disruption = choice.pool, choice.pool.disruption
        if pool.is_static or disruption.consolidate_after == "Never":
            continue  # nodes of such a pool are never replaced by cheaper ones
        if disruption.consolidation_policy == "WhenEmpty":
            continue
        # The type that runs is none of those that are cheaper.
        if choice.as_spot.count <= CHEAPER_SPOT_TYPES:
            yield (
                f"karpenter.nodePools.{choice.name}: controller.spotToSpotConsolidation swaps no "
                f"single spot node for a cheaper one: {choice.spot_told()}, and it takes "
                f"{CHEAPER_SPOT_TYPES} beside the one that runs, all of them cheaper. "
                f"{choice.spot_remedy()}"
            )


def _overlaps(choices: Sequence[PoolChoice]) -> Iterator[str]:
    dynamic = [choice for choice in choices if not choice.pool.is_static]
    for place, choice in enumerate(dynamic):
        by_keys: dict[tuple[str, ...], dict[str, int]] = {}
        for other in dynamic[place + 1 :]:
            keys = tuple(key for key in choice.rules if key in other.rules and key != OS)
            types = _in_common(choice, other)
            if types:
                by_keys.setdefault(keys, {})[other.name] = types
        for keys, others in by_keys.items():
            listed = " and ".join(f"{name} ({types} types)" for name, types in others.items())
            yield (
                f"karpenter.nodePools.{choice.name} overlaps with {listed} in "
                f"{', '.join(keys)}, and has the same taints and weight "
                f"({choice.pool.weight or 0}): a pod that fits more than one gets its node from "
                f"{max([choice.name, *others])}, whose name comes last. "
                "Give one another weight, or requirements or taints that keep them apart"
            )


def _in_common(choice: PoolChoice, other: PoolChoice) -> int:
    """Number of instance types that a pod may get from either of two pools of the same weight."""
    if (choice.pool.weight or 0) != (other.pool.weight or 0):
        return 0
    if set(choice.pool.taints) != set(other.pool.taints):
        return 0
    keys = dict.fromkeys([*choice.rules, *other.rules])
    pairs = {key: (choice.rules.get(key, _ANY), other.rules.get(key, _ANY)) for key in keys}
    if not all(
        a.meets(b) for key, (a, b) in pairs.items() if key in choice.rules.keys() & other.rules
    ):
        return 0
    return choice.place.fitting({key: a.both(b) for key, (a, b) in pairs.items()}).count
