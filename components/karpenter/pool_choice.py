"""Instance types that a pool may choose from, described with the keys of the stack file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..ec2.label_rules import LabelRule, rules_of
from ..ec2.labels import ARCHITECTURE, CAPACITY_TYPE, CATEGORY, GENERATION, OS
from ..ec2.offerings import Offerings, Zones, fitting
from .node_pools import NodePoolConfig
from .requirements import (
    every_requirement,
    requirements,
    short_forms,
)

SHOWN = 5
"""Values shown in a message; the others are only counted."""

_DEFAULT_OF = {
    "requirements": OS,
    "architectures": ARCHITECTURE,
    "capacityTypes": CAPACITY_TYPE,
    "instanceCategories": CATEGORY,
    "minGeneration": GENERATION,
}
_SPOT = LabelRule(frozenset({"spot"}))


@dataclass(frozen=True)
class Place:
    """A region, which the list of offerings must have, and the zones where pools launch nodes."""

    region: str
    zones: Zones = None

    def fitting(self, rules: Mapping[str, LabelRule]) -> Offerings:
        """EC2's offerings here that fit the rules."""
        return fitting(rules, region=self.region, zones=self.zones)


@dataclass(frozen=True)
class PoolChoice:
    """A pool, and EC2's offerings that fit it."""

    name: str
    pool: NodePoolConfig
    place: Place

    @cached_property
    def rules(self) -> Mapping[str, LabelRule]:
        """For each label key, the values that requirements and labels allow."""
        return rules_of(requirements(self.pool), self.pool.labels)

    @cached_property
    def matching(self) -> Offerings:
        """EC2's offerings that fit the pool."""
        return self.place.fitting(self.rules)

    @cached_property
    def as_spot(self) -> Offerings:
        """EC2's offerings that fit the pool as spot."""
        spot = self.rules[CAPACITY_TYPE].both(_SPOT)
        return self.place.fitting({**self.rules, CAPACITY_TYPE: spot})

    def spot_told(self) -> str:
        """A clause with the number of types and offerings that match as spot."""
        types, zones = self.as_spot.count, self.as_spot.zones
        return (
            f"{types} instance type{'' if types == 1 else 's'} ({self.as_spot.offerings} offerings "
            f"in {zones} zone{'' if zones == 1 else 's'} of {self.place.region}) match as spot"
        )

    def spot_remedy(self) -> str:
        """A sentence that says which key to drop for more spot types."""
        spot = {**self.rules, CAPACITY_TYPE: _SPOT}
        without = [each for each in self._without(spot) if each[0] != CAPACITY_TYPE]
        if not without:
            return "Widen its requirements"
        key, types = without[0]
        return f"Without {self._told(key)} there would be {types}: drop or widen it"

    def why_none(self) -> str:
        """A message for a pool that no type fits: the keys that exclude every type, and what to
        do.
        """
        everything = f"no instance type that EC2 offers in {self.place.region} fits"
        alone = [k for k, rule in self.rules.items() if not self.place.fitting({k: rule}).count]
        if alone:
            return f"{everything} {' and '.join(map(self._told, alone))}. Correct it"
        without = [f"without {self._told(key)} {n}" for key, n in self._without(self.rules)]
        remedy = f": {', '.join(without)} would. Drop or widen one of them" if without else ""
        return f"{everything} all requirements together{remedy or '. Widen them'}"

    def asked_at(self, key: str) -> str:
        """Path below the pool of the setting that restricts a label key."""
        places = {f"labels.{label}": label for label in self.pool.labels}
        places |= {name: short.key for name, short in short_forms(self.pool).items()}
        for index, requirement in enumerate(self.pool.requirements):
            places[f"requirements[{index}]"] = requirement.key
        places |= {f"the default of {name}": label for name, label in _DEFAULT_OF.items()}
        return next(path for path, label in places.items() if label == key)

    def _without(self, rules: Mapping[str, LabelRule]) -> Sequence[tuple[str, int]]:
        """Keys that alone exclude types, with the type count if dropped; largest gain first."""
        now = self.place.fitting(rules).count
        counts = {
            key: self.place.fitting({k: r for k, r in rules.items() if k != key}).count
            for key in rules
        }
        most_first = sorted(counts.items(), key=lambda each: -each[1])
        return [(key, count) for key, count in most_first if count > now]

    def _told(self, key: str) -> str:
        """A key as the message shows it: `excludeSizes (karpenter.k8s.aws/instance-size NotIn nano,
        micro)`.
        """
        matching = [each for each in every_requirement(self.pool) if each.key == key]
        clauses = [f"{each.operator} {_listed(each.values)}".rstrip() for each in matching]
        if key in self.pool.labels:
            clauses.append(f"In {self.pool.labels[key]}")
        return f"{self.asked_at(key)} ({key} {' and '.join(clauses)})"


def _listed(values: Sequence[str]) -> str:
    more = len(values) - SHOWN
    return f"{', '.join(values[:SHOWN])} and {more} more" if more > 0 else ", ".join(values)
