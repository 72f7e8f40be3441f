"""NodePool: which nodes Karpenter may launch, how many, and when it takes them away again."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from components.karpenter.quantities import (
    BudgetDuration,
    Duration,
    DurationOrNever,
    Quantity,
)
from components.section import Mistake, Section

CAPACITY_TYPE = "karpenter.sh/capacity-type"
INSTANCE_KEYS = (
    "node.kubernetes.io/instance-type",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation",
)
"""Who uses one of them has chosen instance types; otherwise the defaults below are written out."""

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")
_COMPARING = ("Gt", "Lt", "Gte", "Lte")

LabelKey = Annotated[
    str,
    Field(pattern=r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"),
]
LabelValue = Annotated[
    str, Field(pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$", max_length=63)
]
Reason = Literal["Underutilized", "Empty", "Drifted"]


class RequirementConfig(Section):
    """What a node's label must, or must not, be."""

    key: LabelKey
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]
    values: tuple[LabelValue, ...] = ()
    min_values: int | None = Field(default=None, ge=1, le=50)
    """At least so many of the values must be on offer when a node is launched."""

    def mistakes(self) -> Iterator[Mistake]:
        """Values that fit the operator, and enough of them."""
        count, values = len(self.values), ", ".join(self.values)
        if self.operator in _WITH_VALUES and not count:
            yield Mistake("values", f"operator {self.operator} needs values: list at least one")
        elif self.operator in _COMPARING and (count != 1 or not self.values[0].isdigit()):
            problem = f"operator {self.operator} compares with one whole number"
            yield Mistake("values", f'{problem}: write it as text, for example ["4"]', values)
        elif self.operator in _WITHOUT_VALUES and count:
            yield Mistake("values", f"operator {self.operator} takes no values: drop them", values)
        if self.operator == "In" and self.min_values and self.min_values > count:
            problem = f"is more than there are values, {count}: list more of them or lower it"
            yield Mistake("minValues", problem, self.min_values)

    def requirement(self) -> dict[str, Any]:
        """The requirement as the API takes it."""
        found: dict[str, Any] = {"key": self.key, "operator": self.operator}
        if self.values:
            found["values"] = list(self.values)
        if self.min_values:
            found["minValues"] = self.min_values
        return found


class TaintConfig(Section):
    """Keeps pods without the matching toleration away."""

    key: LabelKey
    value: LabelValue | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]

    def taint(self) -> dict[str, str]:
        """The taint as the API takes it."""
        value = {"value": self.value} if self.value is not None else {}
        return {"key": self.key, "effect": self.effect} | value


class BudgetConfig(Section):
    """How many nodes may be disrupted at once; of several, the strictest that is open counts."""

    nodes: str = Field(default="10%", pattern=r"^((100|[0-9]{1,2})%|[0-9]+)$")
    """A share, `10%`, or a number, `"1"`."""
    schedule: str | None = Field(
        default=None,
        pattern=r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((\S+)\s){4}(\S+)$",
    )
    """When the window opens, as a cron line in UTC."""
    duration: BudgetDuration | None = None
    reasons: tuple[Reason, ...] = ()
    """Absent: all of them."""

    def mistakes(self) -> Iterator[Mistake]:
        """A window has a start and a length."""
        if (self.schedule is None) != (self.duration is None):
            absent = "schedule" if self.schedule is None else "duration"
            yield Mistake(absent, "schedule and duration belong together: give both or none")

    def budget(self) -> dict[str, Any]:
        """The budget as the API takes it."""
        found: dict[str, Any] = {"nodes": self.nodes}
        if self.schedule is not None:
            found |= {"schedule": self.schedule, "duration": self.duration}
        if self.reasons:
            found["reasons"] = list(self.reasons)
        return found


class DisruptionConfig(Section):
    """When Karpenter takes nodes away or swaps them for cheaper ones."""

    consolidation_policy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"] = (
        "WhenEmptyOrUnderutilized"
    )
    consolidate_after: DurationOrNever = "1m"
    """How long a node must be without a change of its pods."""
    budgets: tuple[BudgetConfig, ...] = Field(default=(BudgetConfig(),), max_length=50)


class NodePoolConfig(Section):
    """Nodes of one kind. Spot prices are a third to a tenth of on-demand; the limits are the most
    that this pool can ever cost."""

    node_class: str
    """A key of `nodeClasses`."""
    capacity_types: tuple[Literal["spot", "on-demand", "reserved"], ...] | None = Field(
        default=None, min_length=1
    )
    """Absent: spot and on-demand; spot is taken first wherever there is any."""
    architectures: tuple[Literal["amd64", "arm64"], ...] | None = Field(default=None, min_length=1)
    """Absent: amd64. arm64 costs about a fifth less, for images that are built for it."""
    requirements: tuple[RequirementConfig, ...] = Field(default=(), max_length=100)
    labels: Mapping[LabelKey, LabelValue] = {}
    taints: tuple[TaintConfig, ...] = ()
    startup_taints: tuple[TaintConfig, ...] = ()
    """Taken off by whoever gets the node ready; pods wait, but no further node is launched."""
    limits: Mapping[str, Quantity] = {}
    """The most of all nodes together, for example cpu and memory. What is absent has no limit."""
    weight: int | None = Field(default=None, ge=1, le=100)
    """Of several pools that fit, the heaviest is tried first."""
    expire_after: DurationOrNever = "720h"
    """Nodes older than this are replaced, whatever the budgets say."""
    termination_grace_period: Duration = "30m"
    """The most that a drain may take; then pods go, whatever their disruption budget says. It is
    also what bounds a destroy."""
    disruption: DisruptionConfig = DisruptionConfig()

    @property
    def may_be_spot(self) -> bool:
        """Whether it may launch spot nodes."""
        asked = [r.values for r in self.requirements if r.key == CAPACITY_TYPE]
        return "spot" in (self.capacity_types or (asked[0] if asked else ("spot",)))

    def mistakes(self) -> Iterator[Mistake]:
        """Nothing is said twice."""
        keys = {requirement.key for requirement in self.requirements}
        short = {
            "capacityTypes": (CAPACITY_TYPE, self.capacity_types),
            "architectures": ("kubernetes.io/arch", self.architectures),
        }
        for name, (key, value) in short.items():
            if value is not None and key in keys:
                problem = f"requirements has {key} too, which says the same: drop one"
                yield Mistake(name, problem, ", ".join(value))
        marks = [f"{t.key}:{t.effect}" for t in (*self.taints, *self.startup_taints)]
        for mark in sorted({mark for mark in marks if marks.count(mark) > 1}):
            problem = "taints and startupTaints name it twice: drop one"
            yield Mistake("taints", problem, mark)


def node_pool_spec(config: NodePoolConfig) -> dict[str, Any]:
    """The `spec` of a NodePool, with every default that matters written out."""
    template: dict[str, Any] = {
        "nodeClassRef": {
            "group": "karpenter.k8s.aws",
            "kind": "EC2NodeClass",
            "name": config.node_class,
        },
        "requirements": requirements(config),
        "expireAfter": config.expire_after,
        "terminationGracePeriod": config.termination_grace_period,
    }
    if config.taints:
        template["taints"] = [taint.taint() for taint in config.taints]
    if config.startup_taints:
        template["startupTaints"] = [taint.taint() for taint in config.startup_taints]
    disruption = config.disruption
    spec: dict[str, Any] = {
        "template": {"spec": template},
        "disruption": {
            "consolidationPolicy": disruption.consolidation_policy,
            "consolidateAfter": disruption.consolidate_after,
            "budgets": [budget.budget() for budget in disruption.budgets],
        },
    }
    if config.labels:
        spec["template"]["metadata"] = {"labels": dict(config.labels)}
    if config.limits:
        spec["limits"] = dict(config.limits)
    if config.weight:
        spec["weight"] = config.weight
    return spec


def requirements(config: NodePoolConfig) -> list[dict[str, Any]]:
    """The short forms and defaults as requirements, then the user's own.

    The defaults are those that Karpenter's first API filled in unasked; v1 fills in nothing.
    """
    keys = {requirement.key for requirement in config.requirements}
    defaults: dict[str, tuple[str, list[str]]] = {
        "kubernetes.io/os": ("In", ["linux"]),
        "kubernetes.io/arch": ("In", list(config.architectures or ["amd64"])),
        CAPACITY_TYPE: ("In", list(config.capacity_types or ["spot", "on-demand"])),
    }
    if not keys.intersection(INSTANCE_KEYS):
        defaults |= {
            "karpenter.k8s.aws/instance-category": ("In", ["c", "m", "r"]),
            "karpenter.k8s.aws/instance-generation": ("Gt", ["2"]),
        }
    written_out = [
        {"key": key, "operator": operator, "values": values}
        for key, (operator, values) in defaults.items()
        if key not in keys
    ]
    return [*written_out, *(requirement.requirement() for requirement in config.requirements)]
