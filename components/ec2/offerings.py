"""Which of EC2's instance types a pool's requirements leave, and how many offerings."""

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
"""`reserved` is left out: what is reserved is each account's own."""

Zones = int | Sequence[str] | Mapping[str, str] | None
"""Where nodes may be: how many of the region's zones, or which by name, or each one's id by its
name. None: in all of them. Which id a name has is each account's own: only the last is exact."""

_ANY = LabelRule(others=True)


@dataclass(frozen=True)
class Offerings:
    """What is left."""

    count: int
    """How many types."""
    offerings: int
    """Of each type, its zones times its capacity types. Where the ids of the zones are not told,
    and are not all of the region's, the most that there can be."""
    zones: int
    """How many zones there are to choose from."""
    names: Callable[[], Sequence[str]] = field(repr=False, compare=False)

    @property
    def types(self) -> Sequence[str]:
        """Their names in alphabetical order; the count is known without."""
        return self.names()


def known_regions() -> Mapping[str, str]:
    """The regions that the list has, and when EC2 was asked."""
    return {name: region.date for name, region in known_offerings().regions.items()}


def matching(
    requirements: Iterable[Mapping[str, Any]],
    labels: Mapping[str, str] = {},
    *,
    region: str,
    zones: Zones = None,
) -> Offerings:
    """The types and offerings that fit a pool's requirements (key, operator, values) and labels.

    Keys of which EC2 tells nothing, such as a user's own, leave everything. Raises KeyError of a
    region that `known_regions` has not.
    """
    return fitting(rules_of(requirements, labels), region=region, zones=zones)


def fitting(rules: Mapping[str, LabelRule], *, region: str, zones: Zones = None) -> Offerings:
    """The same, of rules that are read already."""
    market = _market(region)
    places = _Places(region, market.zone_ids, zones, rules)
    everywhere = rules.get(REGION, _ANY).allows(region)
    # Which of them it is depends on the node class.
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
            found = fit & offered & kind
            types |= found
            offerings += found.bit_count() * count
    names = partial(market.named, types)
    return Offerings(types.bit_count(), offerings, places.count, names)


def values_of(key: str, types: Iterable[str]) -> set[str]:
    """The values that a label has on nodes of these types."""
    value = LABELS[key]
    found = (value(_launchable(name)) for name in types)
    return {each for each in found if each is not None}


class _Places:
    """The zones that a pool may use."""

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
        """How many of the zones that offer a type are among them, at most."""
        found = len(self._ids.intersection(ids))
        return found if self._exact else min(found, self.count)


def _names_left(rule: LabelRule, region: str, names: int) -> int:
    """How many zones of a region a rule on their names leaves, where only their look is known."""
    if rule.least is not None or rule.most is not None:
        return 0
    listed = sum(bool(re.fullmatch(f"{region}[a-z]", value)) for value in rule.values)
    return max(0, names - listed) if rule.others else listed


class _Market:
    """A region's types, as sets that are bits of one number: a requirement is then one `&`."""

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
        """The types whose nodes have a label that fits, or rightly none."""
        if (key, rule) not in self._fitting:
            found = 0
            for value, types in self._column(key).items():
                if rule.allows_absence if value is None else rule.allows(value):
                    found |= types
            self._fitting[key, rule] = found
        return self._fitting[key, rule]

    def named(self, types: int) -> Sequence[str]:
        """The names in a set."""
        return [each.name for place, each in enumerate(self._types) if types >> place & 1]

    def _column(self, key: str) -> Mapping[str | None, int]:
        if key not in self._columns:
            column: dict[str | None, int] = {}
            value: Callable[[LaunchableType], str | None] = LABELS[key]
            for place, each in enumerate(self._types):
                found = value(each)
                column[found] = column.get(found, 0) | 1 << place
            self._columns[key] = column
        return self._columns[key]


@lru_cache(maxsize=4)
def _market(region: str) -> _Market:
    return _Market(region)


def _launchable(name: str) -> LaunchableType:
    return LaunchableType(name, known_types().types[name], known_offerings().types[name])
