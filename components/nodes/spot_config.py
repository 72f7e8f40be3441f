"""The stack file's settings of a spot group, and the Auto Scaling groups that follow from them."""

from collections.abc import Iterator
from typing import Any, Literal, LiteralString, NamedTuple, Self, cast

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from ..ec2.image_families import RELEASE, Family, release_problem
from ..ec2.instance_types import Architecture, InstanceType, type_facts
from ..names import TAG_KEY_LIMIT
from ..section import Mistake, Section
from .distribution import DistributionConfig, RefreshConfig
from .instance_requirements import InstanceRequirementsConfig
from .nodes import NodesConfig
from .spot_tags import (
    LABEL_PREFIX,
    TAG_LIMIT,
    group_tags,
    node_template_tags,
)

_FAMILIES: dict[str, Family] = {"AL2023": "al2023", "Bottlerocket": "bottlerocket"}
_ENOUGH_TYPES = 4
_ALL = 100


class WeightedTypeConfig(Section):
    """An instance type as plain text, `m5.large`, or with a weight, `{type: m5.large, weight:
    2}`.
    """

    type: InstanceType
    """The instance type."""
    weight: int | None = Field(default=None, ge=1, le=999)
    """Units of the group's size that one such node counts for; `size` then counts units too."""

    @model_validator(mode="wrap")
    @classmethod
    def _or_its_name(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, str):
            return handler(value)
        try:
            return handler({"type": value})
        except ValidationError as refused:
            # The file has no key `type` there, so the error names the item.
            detail = refused.errors()[0]
            kind = cast(LiteralString, detail["type"])
            raise PydanticCustomError(kind, "{told}", {"told": detail["msg"]}) from refused

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        name = {"type": "string", "examples": ["m5.large"]}
        return {"anyOf": [name, handler(core_schema)]}


class SpotNodeGroupConfig(NodesConfig):
    """A group of spot nodes: an Auto Scaling group that the stack owns, not EKS.

    There is no key for a warm pool: AWS stops no spot instance, so the pool would hold on-demand
    instances, and each would join the cluster as a node and leave again.
    """

    instance_types: tuple[WeightedTypeConfig, ...] = Field(default=(), max_length=40)
    """Instance types in order of preference. They should have equal vCPUs and memory, since the
    Cluster Autoscaler takes them for one type. 40 is the API's limit.
    """
    instance_requirements: InstanceRequirementsConfig | None = None
    """Attributes of instance types, instead of a list: every type that has them may be launched."""
    image_family: Literal["AL2023", "Bottlerocket"] = "AL2023"
    """The operating system of the nodes."""
    release_version: str = Field(pattern=RELEASE)
    """The image release, pinned, for example `1.35.8-20260930`. A newer release of AWS changes
    nothing until it is set here.
    """
    distribution: DistributionConfig = DistributionConfig()
    """Share of on-demand nodes, and how spot capacity is chosen."""
    capacity_rebalance: bool = True
    """If true, AWS replaces a spot node that is likely to be interrupted before the interruption.
    """
    per_zone: bool = False
    """If true, one Auto Scaling group for each zone; together they have `size`. For pods whose
    volumes are tied to a zone.
    """
    refresh: RefreshConfig = RefreshConfig()
    """How nodes are replaced when the group's template changes."""

    @property
    def family(self) -> Family:
        """Family of the image, which decides the format of the user data."""
        return _FAMILIES[self.image_family]

    @property
    def architecture(self) -> Architecture:
        """The processor architecture of the one image that all types start from."""
        if self.instance_requirements:
            return self.instance_requirements.chosen_architecture
        arm = type_facts(self.instance_types[0].type).architecture == "arm64"
        return "arm64" if arm else "x86_64"

    @property
    def is_weighted(self) -> bool:
        """True if `size` counts units of weight instead of nodes."""
        return any(each.weight for each in self.instance_types)

    def node_template(self) -> dict[str, str]:
        """Tags that describe a future node to the Cluster Autoscaler, with the smallest resources
        of all types, so that they promise no more than any node has.

        The amounts are those that EC2 sells: the autoscaler itself subtracts nothing for system and
        kubelet either.
        """
        requirements = self.instance_requirements
        facts = [type_facts(each.type) for each in self.instance_types]
        return node_template_tags(
            labels=self.labels,
            taints=self.taints,
            cpu=requirements.v_cpu.min if requirements else min(each.vcpu for each in facts),
            memory_mib=requirements.memory_mib.min
            if requirements
            else min(each.memory_mib for each in facts),
            volume_gib=self.volume_gib,
        )

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses what AWS, kubelet or the autoscaler would refuse or ignore."""
        yield from super().mistakes()
        if problem := release_problem(self.release_version, self.family, None):
            yield Mistake("releaseVersion", problem, self.release_version)
        if bool(self.instance_types) == bool(self.instance_requirements):
            problem = "say which types: give instanceTypes or instanceRequirements, one of them"
            yield Mistake("instanceTypes", problem)
            return
        yield from self._type_mistakes()
        yield from self._strategy_mistakes()
        yield from self._tag_mistakes()

    def _type_mistakes(self) -> Iterator[Mistake]:
        places: dict[str, int] = {}
        for number, each in enumerate(self.instance_types):
            path = f"instanceTypes[{number}]"
            first = places.setdefault(each.type, number)
            if first != number:
                yield Mistake(path, f"is instanceTypes[{first}] too: drop one of them", each.type)
            architecture = type_facts(each.type).architecture
            if architecture != self.architecture:
                problem = (
                    f"is {architecture}, and instanceTypes[0] is {self.architecture}: a group has "
                    "one image, so make a group of each"
                )
                yield Mistake(path, problem, each.type)
            if self.is_weighted and not each.weight:
                problem = "has no weight, and others have one: give all types one, or none"
                yield Mistake(path, problem, each.type)

    def _strategy_mistakes(self) -> Iterator[Mistake]:
        # Priority is the order of a list.
        distribution = self.distribution
        prioritized = {
            "onDemandAllocationStrategy": distribution.on_demand_allocation_strategy
            == "prioritized",
            "spotAllocationStrategy": (
                distribution.spot_allocation_strategy == "capacity-optimized-prioritized"
            ),
        }
        for name, chosen in prioritized.items():
            if chosen and self.instance_requirements:
                problem = "needs an order, and instanceRequirements has none: choose another one"
                yield Mistake(f"distribution.{name}", problem)

    def _tag_mistakes(self) -> Iterator[Mistake]:
        longest = TAG_KEY_LIMIT - len(LABEL_PREFIX)
        keys = [(f"labels.{key}", key) for key in self.labels]
        keys += [(f"taints[{number}]", taint.key) for number, taint in enumerate(self.taints)]
        for path, key in keys:
            if len(key) > longest:
                problem = (
                    "does not fit into the tag that tells the Cluster Autoscaler: "
                    f"shorten it to {longest} characters"
                )
                yield Mistake(path, problem, key)
        places: dict[str, tuple[int, str]] = {}
        for number, taint in enumerate(self.taints):
            first, effect = places.setdefault(taint.key, (number, taint.effect))
            if effect != taint.effect:
                problem = (
                    f"has the key of taints[{first}], and the tag that tells the Cluster "
                    "Autoscaler has room for one effect: use another key"
                )
                yield Mistake(f"taints[{number}]", problem, taint.key)
        tags = group_tags(
            cluster="c", key="k", name="n", node_template=self.node_template(), handler="h"
        )
        if len(tags) > TAG_LIMIT:
            problem = f"and taints make {len(tags)} tags, and AWS allows {TAG_LIMIT}: drop some"
            yield Mistake("labels", problem)


class Share(NamedTuple):
    """Sizes of one Auto Scaling group."""

    min: int
    initial: int
    max: int
    on_demand_base: int


def group_names(cluster: str, key: str, config: SpotNodeGroupConfig, zones: int) -> list[str]:
    """Names of the Auto Scaling groups of `spotNodeGroups.<key>`, in the order of the subnets.

    `zones` is the number of private subnets. The names are known in advance, so that IAM policies
    and rules can name the groups without waiting for them.
    """
    if not config.per_zone:
        return [f"{cluster}-{key}"]
    return [f"{cluster}-{key}-{number}" for number in range(1, zones + 1)]


def shares(config: SpotNodeGroupConfig, zones: int) -> list[Share]:
    """Splits sizes and on-demand base over one group per zone; remainders go to the first groups,
    so min ≤ initial ≤ max in each.
    """
    size, base = config.size, config.distribution.on_demand_base_capacity
    whole = Share(size.min, size.initial, size.max, base)
    parts = zones if config.per_zone else 1
    return [Share(*((n + parts - 1 - part) // parts for n in whole)) for part in range(parts)]


def zone_problem(config: SpotNodeGroupConfig, zones: int) -> str | None:
    """Why there cannot be a group in each zone, and what to do; None if there can."""
    if not config.per_zone or config.size.max >= zones:
        return None
    return (
        f"perZone makes {zones} groups of {config.size.max} nodes at most in all: "
        f"raise size.max to {zones} or more"
    )


def spread_problem(config: SpotNodeGroupConfig, zones: int) -> str | None:
    """Why spot may leave this group without nodes, and what to do; None if it has enough types."""
    count = len(config.instance_types)
    on_demand = config.distribution.on_demand_percentage_above_base_capacity == _ALL
    if config.instance_requirements or count >= _ENOUGH_TYPES or on_demand:
        return None
    return (
        f"instanceTypes lists {count}, which makes {count * zones} pools of spot capacity in "
        f"{zones} zones, and AWS takes nodes of one pool back together: list {_ENOUGH_TYPES} or "
        "more, or choose by instanceRequirements"
    )
