"""EC2's instance types and offerings that fit a pool's requirements."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from .instance_labels import LABELS, LaunchableType
from .instance_offerings import known_offerings
from .instance_types import known_types
from .label_rules import LabelRule, rules_of
from .labels import CAPACITY_TYPE, OS, REGION, ZONE, ZONE_ID

CAPACITY_TYPES = ("spot", "on-demand")
"""Capacity types that are counted. `reserved` is left out: reservations differ between accounts."""

Zones = int | Sequence[str] | Mapping[str, str] | None
"""Zones where nodes may be: a number of the region's zones, their names, or their ids by name;
None: all. Which id belongs to a name differs between accounts, so only the ids by name give exact
counts.
"""

_ANY = LabelRule(others=True)


@dataclass(frozen=True)
class Offerings:
    """Instance types and offerings that fit a set of rules."""

    count: int
    """Number of instance types."""
    offerings: int
    """Sum over the types of zones times capacity types. It is an upper bound if the ids of the
    zones are unknown and not all zones of the region are used.
    """
    zones: int
    """Number of zones to choose from."""
    names: Callable[[], Sequence[str]] = field(repr=False, compare=False)

    @property
    def types(self) -> Sequence[str]:
        """Names of the types in alphabetical order, computed only when needed."""
        return self.names()


def known_regions() -> Mapping[str, str]:
    """Regions in the list of offerings, with the date when EC2 was asked."""
    return {name: region.date for name, region in known_offerings().regions.items()}


def matching(
    requirements: Iterable[Mapping[str, Any]],
    labels: Mapping[str, str] = {},
    *,
    region: str,
    zones: Zones = None,
) -> Offerings:
    """Types and offerings that fit a pool's requirements (key, operator, values) and labels.

    Keys of which EC2 reports nothing, such as a user's own, exclude nothing. Raises KeyError for a
    region that `known_regions` lacks.
    """
    return fitting(rules_of(requirements, labels), region=region, zones=zones)


def fitting(rules: Mapping[str, LabelRule], *, region: str, zones: Zones = None) -> Offerings:
    """Types and offerings that fit rules by label key, as `rules_of` makes them."""
    market = _market(region)
    places = _Places(region, market.zone_ids, zones, rules)
    everywhere = rules.get(REGION, _ANY).allows(region)
    # The node class decides which of them it is.
    runs = any(rules.get(OS, _ANY).allows(system) for system in ("linux", "windows"))
    fit = market.all if everywhere and runs else 0
    for key, rule in rules.items():
        if key in LABELS:
            fit &= market.fitting(key, rule)
    capacity = rules.get(CAPACITY_TYPE, _ANY)
    kinds = [market.capacity_types[kind] for kind in CAPACITY_TYPES if capacity.allows(kind)]
    types = offerings = 0
    for ids, offered in market.offered.items():
        count = places.among(ids)
        for kind in kinds if count else ():
            matched = fit & offered & kind
            types |= matched
            offerings += matched.bit_count() * count
    names = partial(market.named, types)
    return Offerings(types.bit_count(), offerings, places.count, names)


def values_of(key: str, types: Iterable[str]) -> set[str]:
    """Values that a label has on nodes of these types."""
    value = LABELS[key]
    values = (value(_launchable(name)) for name in types)
    return {each for each in values if each is not None}


class _Places:
    """Zones that a pool may use."""

    def __init__(
        self, region: str, ids: Sequence[str], zones: Zones, rules: Mapping[str, LabelRule]
    ) -> None:
        by_name, by_id = rules.get(ZONE, _ANY), rules.get(ZONE_ID, _ANY)
        self._exact = isinstance(zones, Mapping)
        if isinstance(zones, Mapping):
            named = {id_ for name, id_ in zones.items() if by_name.allows(name)}
            self._ids = {id_ for id_ in named if by_id.allows(id_)}
            self.count = len(self._ids)
            return
        self._ids = {id_ for id_ in ids if by_id.allows(id_)}
        if isinstance(zones, int) or zones is None:
            named = _names_left(by_name, region, len(ids))
            count = min(named, len(ids) if zones is None else zones)
        else:
            count = sum(by_name.allows(name) for name in zones)
        self.count = min(count, len(self._ids))

    def among(self, ids: Iterable[str]) -> int:
        """Number of the pool's zones among these zones that offer a type, at most."""
        count = len(self._ids.intersection(ids))
        return count if self._exact else min(count, self.count)


def _names_left(rule: LabelRule, region: str, names: int) -> int:
    """Number of a region's zones that a rule on their names allows, if only the form of their names
    is known.
    """
    if rule.least is not None or rule.most is not None:
        return 0
    listed = sum(bool(re.fullmatch(f"{region}[a-z]", value)) for value in rule.values)
    return max(0, names - listed) if rule.others else listed


class _Market:
    """Types of a region, in sets that are the bits of one number: a requirement is then a single
    `&`.
    """

    def __init__(self, region: str) -> None:
        offered = known_offerings().offered(region)
        self._types = [
            _launchable(name) for name in sorted(n for ns in offered.values() for n in ns)
        ]
        bits = {each.name: 1 << place for place, each in enumerate(self._types)}
        self.all = (1 << len(self._types)) - 1
        self.offered = {ids: sum(bits[name] for name in names) for ids, names in offered.items()}
        self.zone_ids = sorted({id_ for ids in offered for id_ in ids})
        self.capacity_types = {
            kind: sum(bits[e.name] for e in self._types if kind in e.facts.capacity_types.split())
            for kind in CAPACITY_TYPES
        }
        self._columns: dict[str, Mapping[str | None, int]] = {}
        # Pools have most of their rules in common.
        self._fitting: dict[tuple[str, LabelRule], int] = {}

    def fitting(self, key: str, rule: LabelRule) -> int:
        """Set of types whose nodes have an allowed value of the label, or lack the label where that
        is allowed.
        """
        if (key, rule) not in self._fitting:
            matched = 0
            for value, types in self._column(key).items():
                if rule.allows_absence if value is None else rule.allows(value):
                    matched |= types
            self._fitting[key, rule] = matched
        return self._fitting[key, rule]

    def named(self, types: int) -> Sequence[str]:
        """Names of the types in a set."""
        return [each.name for place, each in enumerate(self._types) if types >> place & 1]

    def _column(self, key: str) -> Mapping[str | None, int]:
        if key not in self._columns:
            column: dict[str | None, int] = {}
            value: Callable[[LaunchableType], str | None] = LABELS[key]
            for place, each in enumerate(self._types):
                label = value(each)
                column[label] = column.get(label, 0) | 1 << place
            self._columns[key] = column
        return self._columns[key]


@lru_cache(maxsize=4)
def _market(region: str) -> _Market:
    return _Market(region)


def _launchable(name: str) -> LaunchableType:
    return LaunchableType(name, known_types().types[name], known_offerings().types[name])
