"""Nodes that a pool may launch: defaults and short forms as requirements, then the user's own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from ..ec2.labels import (
    ARCHITECTURE,
    CAPACITY_TYPE,
    CATEGORY,
    FAMILY,
    GENERATION,
    INSTANCE_TYPE,
    OS,
    SIZE,
)
from ..kubernetes.labels import LabelKey, LabelValue
from ..section import Mistake, Section
from . import old_keys

INSTANCE_KEYS = (INSTANCE_TYPE, FAMILY, CATEGORY, GENERATION)
"""Keys that choose instance types: a pool with a requirement on one of them gets no default for
any.
"""

KNOWN_VALUES: Mapping[str, Sequence[str]] = {
    ARCHITECTURE: ("amd64", "arm64"),
    CAPACITY_TYPE: ("spot", "on-demand", "reserved"),
    OS: ("linux", "windows"),
    "karpenter.k8s.aws/instance-tenancy": ("default", "dedicated"),
}
"""Keys whose other values fit no node. The API server accepts them; Karpenter only logs them, or
the pool never becomes ready if no known value is left.
"""

MOST = 100
"""Most requirements of a node, labels included, that the API accepts."""

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")
_COMPARING = ("Gt", "Lt", "Gte", "Lte")

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]
Category = Annotated[str, Field(pattern=r"^[a-z]+$")]
"""The part of a type before the generation: `m` of m7g.large, `inf` of inf2.xlarge."""
Size = Annotated[str, Field(pattern=r"^(nano|micro|small|medium|large|\d*xlarge|metal(-\d+xl)?)$")]
"""The part of a type after the dot: `large` of m7g.large."""


class RequirementConfig(Section):
    """A condition on a label of nodes."""

    key: LabelKey
    """The label's key."""
    operator: Operator
    """How the label is compared with `values`."""
    values: tuple[LabelValue, ...] = ()
    """Values to compare with: none for Exists and DoesNotExist; for Gt, Gte, Lt and Lte one whole
    number as text.
    """
    min_values: int | None = Field(default=None, ge=1, le=50)
    """Fewest different values that must be on offer when a node is launched."""

    def mistakes(self) -> Iterator[Mistake]:
        """The key must be of this API; values must fit the operator and the key, and be enough."""
        if self.key in old_keys.LABELS:
            yield Mistake("key", old_keys.LABELS[self.key], self.key)
        count, values = len(self.values), ", ".join(self.values)
        if self.operator in _WITH_VALUES and not count:
            yield Mistake("values", f"operator {self.operator} needs values: list at least one")
        elif self.operator in _COMPARING and (count != 1 or not self.values[0].isdigit()):
            problem = f"operator {self.operator} compares with one whole number"
            yield Mistake("values", f'{problem}: write it as text, for example ["4"]', values)
        elif self.operator in _WITHOUT_VALUES and count:
            yield Mistake("values", f"operator {self.operator} takes no values: drop them", values)
        elif self.operator in _WITH_VALUES:
            yield from self._unknown_values()
        if self.operator == "In" and self.min_values and self.min_values > count:
            problem = f"is more than there are values, {count}: list more of them or lower it"
            yield Mistake("minValues", problem, self.min_values)

    def _unknown_values(self) -> Iterator[Mistake]:
        known = KNOWN_VALUES.get(self.key)
        for index, value in enumerate(self.values if known else ()):
            if known and value not in known:
                problem = f"no node has this {self.key}: choose of {', '.join(known)}"
                yield Mistake(f"values[{index}]", problem, value)

    def admits(self, value: str) -> bool:
        """True if a node with this value, which is not a number, fits."""
        if self.operator == "In":
            return value in self.values
        return self.operator == "Exists" or (self.operator == "NotIn" and value not in self.values)

    def requirement(self) -> dict[str, Any]:
        """The requirement as the API takes it."""
        fields: dict[str, Any] = {"key": self.key, "operator": self.operator}
        if self.values:
            fields["values"] = list(self.values)
        if self.min_values:
            fields["minValues"] = self.min_values
        return fields


DEFAULTS = (
    RequirementConfig(key=OS, operator="In", values=("linux",)),
    RequirementConfig(key=ARCHITECTURE, operator="In", values=("amd64",)),
    RequirementConfig(key=CAPACITY_TYPE, operator="In", values=("spot", "on-demand")),
    RequirementConfig(key=CATEGORY, operator="In", values=("c", "m", "r")),
    # As stacks of 0.1 have it: written in another way, each of them would show a change.
    RequirementConfig(key=GENERATION, operator="Gt", values=("2",)),
)


class NodeChoiceConfig(Section):
    """Which nodes fit. Restrict a label key in one place only: short form, `requirements` or a
    label.
    """

    capacity_types: tuple[Literal["spot", "on-demand", "reserved"], ...] | None = Field(
        default=None, min_length=1
    )
    """Capacity types. Absent: spot and on-demand; spot is preferred wherever available."""
    architectures: tuple[Literal["amd64", "arm64"], ...] | None = Field(default=None, min_length=1)
    """Processor architectures. Absent: amd64. arm64 costs about a fifth less, for images that are
    built for it.
    """
    instance_categories: tuple[Category, ...] | None = Field(default=None, min_length=1)
    """Instance categories. Absent: c, m and r, unless `requirements` choose instance types."""
    min_generation: int | None = Field(default=None, ge=1, le=99)
    """Oldest generation; 7 allows m7g and later. Absent: 3, unless `requirements` choose instance
    types. Some categories, such as inf and trn, have no third generation: write 1 for them.
    """
    exclude_sizes: tuple[Size, ...] | None = Field(default=None, min_length=1)
    """Sizes that are not launched. Absent: none."""
    requirements: tuple[RequirementConfig, ...] = Field(default=(), max_length=MOST)
    """Conditions on labels of nodes; several with one key must all be met."""
    labels: Mapping[LabelKey, LabelValue] = {}
    """Labels of the nodes. A label that describes nodes, such as `kubernetes.io/arch`, also
    restricts which are launched.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Each key may be restricted once, and the API's limit on requirements holds."""
        places = {key: f"labels has {key}" for key in self.labels}
        for index, requirement in reversed([*enumerate(self.requirements)]):
            places[requirement.key] = f"requirements[{index}] has {requirement.key}"
        for name, short in short_forms(self).items():
            if short.key in places:
                problem = f"{places[short.key]} too: ask for it in one place, drop one of both"
                yield Mistake(name, problem, ", ".join(short.values))
        for key in (key for key in self.labels if key in old_keys.LABELS):
            yield Mistake(f"labels.{key}", old_keys.LABELS[key], self.labels[key])
        count = len(every_requirement(self)) + len(self.labels)
        if count > MOST:
            problem = f"with labels, short forms and defaults there are {count}, and a node takes"
            yield Mistake("requirements", f"{problem} {MOST}: drop {count - MOST}")

    @property
    def may_be_spot(self) -> bool:
        """True if the pool may launch spot nodes."""
        return self._may_be("spot")

    @property
    def may_be_on_demand(self) -> bool:
        """True if the pool may launch on-demand nodes."""
        return self._may_be("on-demand")

    def _may_be(self, capacity_type: str) -> bool:
        label = self.labels.get(CAPACITY_TYPE, capacity_type)
        matching = [each for each in every_requirement(self) if each.key == CAPACITY_TYPE]
        return label == capacity_type and all(each.admits(capacity_type) for each in matching)


def short_forms(config: NodeChoiceConfig) -> Mapping[str, RequirementConfig]:
    """Requirements that the short forms in use stand for, by the name of the short form."""
    oldest = config.min_generation
    each: dict[str, tuple[str, Operator, tuple[str, ...] | None]] = {
        "capacityTypes": (CAPACITY_TYPE, "In", config.capacity_types),
        "architectures": (ARCHITECTURE, "In", config.architectures),
        "instanceCategories": (CATEGORY, "In", config.instance_categories),
        "minGeneration": (GENERATION, "Gte", None if oldest is None else (str(oldest),)),
        "excludeSizes": (SIZE, "NotIn", config.exclude_sizes),
    }
    return {
        name: RequirementConfig(key=key, operator=operator, values=values)
        for name, (key, operator, values) in each.items()
        if values is not None
    }


def every_requirement(config: NodeChoiceConfig) -> Sequence[RequirementConfig]:
    """Defaults and short forms as requirements, then the user's own.

    The defaults are those that Karpenter's first API added by itself; v1 adds none. A default is
    left out if its key is restricted elsewhere.
    """
    own = {requirement.key for requirement in config.requirements} | config.labels.keys()
    written_out = {default.key: default for default in DEFAULTS if default.key not in own}
    if own.intersection(INSTANCE_KEYS):
        written_out = {k: default for k, default in written_out.items() if k not in INSTANCE_KEYS}
    written_out |= {short.key: short for short in short_forms(config).values()}
    return [*written_out.values(), *config.requirements]


def requirements(config: NodeChoiceConfig) -> list[dict[str, Any]]:
    """The requirements of the config in the form of the Karpenter API."""
    return [requirement.requirement() for requirement in every_requirement(config)]
