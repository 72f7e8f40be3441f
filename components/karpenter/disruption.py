"""When Karpenter removes nodes or replaces them by cheaper ones, and how many at once."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from ..kubernetes.quantities import BudgetDuration, DurationOrNever, refused
from ..section import Mistake, Section
from .schedule import Schedule

MOST_BUDGETS = 50
"""Most budgets that the API accepts in one pool."""

Reason = Literal["Underutilized", "Empty", "Drifted"]


def _share_or_number(value: Any) -> Any:
    # The API takes text only, and would refuse the number that YAML makes of `nodes: 10`.
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise refused('is no number of nodes: write one, or a share, for example 1 or "10%"')
    number, percent, rest = value.partition("%")
    if not (number.isascii() and number.isdigit()) or rest:
        raise refused('is no number of nodes: write one, or a share, for example 1 or "10%"')
    if percent and (int(number) > 100 or len(number) > 3):  # noqa: PLR2004 (a share of all)
        raise refused('is more than all of them: write at most "100%"')
    return value


BudgetNodes = Annotated[
    str,
    BeforeValidator(_share_or_number),
    WithJsonSchema(
        {
            "type": ["string", "integer"],
            "pattern": "^[0-9]+$|^[0-9]{1,3}%$",
            "minimum": 0,
            "examples": ["10%", "1"],
        }
    ),
]
"""A share of the nodes, `10%`, rounded up to whole nodes, or a number, `"1"`."""


class BudgetConfig(Section):
    """A limit on nodes disrupted at once. Of several open budgets, the strictest counts."""

    nodes: BudgetNodes = "10%"
    """How many of the pool's nodes at once: a number, or a share, rounded up to whole nodes."""
    schedule: Schedule | None = None
    """When the budget's window opens. Absent: the window is always open."""
    duration: BudgetDuration | None = None
    """How long the window stays open."""
    reasons: tuple[Reason, ...] = ()
    """Reasons of disruption that the budget limits. Absent: all of them."""

    def mistakes(self) -> Iterator[Mistake]:
        """schedule and duration must be given together."""
        if (self.schedule is None) != (self.duration is None):
            absent = "schedule" if self.schedule is None else "duration"
            yield Mistake(absent, "schedule and duration belong together: give both or none")

    def budget(self) -> dict[str, Any]:
        """The budget as the API takes it."""
        fields: dict[str, Any] = {"nodes": self.nodes}
        if self.schedule is not None:
            fields |= {"schedule": self.schedule, "duration": self.duration}
        if self.reasons:
            fields["reasons"] = list(self.reasons)
        return fields


class DisruptionWindowConfig(Section):
    """A recurring time in which nodes of all pools are left alone, or nearly so. Expiry and
    interruptions ignore budgets and go on.
    """

    schedule: Schedule
    """When the window opens: a cron line in UTC."""
    duration: BudgetDuration
    """How long the window stays open."""
    nodes: BudgetNodes = "0"
    """How many nodes of each pool may still be disrupted at once."""
    reasons: tuple[Reason, ...] = ()
    """Reasons of disruption that the window limits. Absent: all of them."""

    @property
    def as_budget(self) -> BudgetConfig:
        """The window as a budget of a pool."""
        return BudgetConfig(
            nodes=self.nodes,
            schedule=self.schedule,
            duration=self.duration,
            reasons=self.reasons,
        )


class DisruptionConfig(Section):
    """When Karpenter removes nodes or replaces them by cheaper ones."""

    consolidation_policy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"] = (
        "WhenEmptyOrUnderutilized"
    )
    """Nodes that Karpenter consolidates. WhenEmpty: nodes without pods. WhenEmptyOrUnderutilized:
    also nodes whose pods fit elsewhere or on a cheaper node. Balanced: of these only where the
    saving outweighs the disruption.
    """
    consolidate_after: DurationOrNever = "1m"
    """How long a node's pods must stay unchanged before the node is consolidated. `Never` turns
    consolidation off.
    """
    budgets: tuple[BudgetConfig, ...] = Field(default=(BudgetConfig(),), max_length=MOST_BUDGETS)
    """Limits on nodes disrupted at once; of several open budgets, the strictest counts."""

    def budgets_with(self, window: DisruptionWindowConfig | None) -> Sequence[BudgetConfig]:
        """The pool's own budgets, followed by the window for all pools if there is one."""
        return [*self.budgets, window.as_budget] if window else self.budgets

    def has_room_for(self, window: DisruptionWindowConfig | None) -> Iterator[Mistake]:
        """A mistake if the pool's budgets and the window exceed the API's limit. Paths are below
        the pool.
        """
        count = len(self.budgets_with(window))
        if count > MOST_BUDGETS:
            problem = f"with disruptionWindow there are {count}, and the API takes {MOST_BUDGETS}"
            yield Mistake("disruption.budgets", f"{problem}: drop {count - MOST_BUDGETS}")

    def disruption(self, window: DisruptionWindowConfig | None) -> dict[str, Any]:
        """The `disruption` part of a pool's spec."""
        return {
            "consolidationPolicy": self.consolidation_policy,
            "consolidateAfter": self.consolidate_after,
            "budgets": [budget.budget() for budget in self.budgets_with(window)],
        }
