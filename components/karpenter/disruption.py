"""When Karpenter takes nodes away or swaps them for cheaper ones, and how many at once."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from ..kubernetes.quantities import BudgetDuration, DurationOrNever, refused
from ..section import Mistake, Section
from .schedule import Schedule

MOST_BUDGETS = 50
"""What the API takes of one pool."""

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
"""A share, `10%`, rounded up to whole nodes, or a number, `"1"`."""


class BudgetConfig(Section):
    """How many nodes may be disrupted at once; of several, the strictest that is open counts."""

    nodes: BudgetNodes = "10%"
    """How many of the pool's nodes at once: a number, or a share, rounded up to whole nodes."""
    schedule: Schedule | None = None
    """When the window opens. Absent: it is always open."""
    duration: BudgetDuration | None = None
    """How long it stays open."""
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


class DisruptionWindowConfig(Section):
    """A time in which nodes of all pools are left alone, or nearly so. Expiry and interruptions
    know no budgets, and go on."""

    schedule: Schedule
    """When the window opens: a cron line in UTC."""
    duration: BudgetDuration
    """How long it stays open."""
    nodes: BudgetNodes = "0"
    """How many nodes of each pool may still be disrupted at once."""
    reasons: tuple[Reason, ...] = ()
    """Absent: all of them."""

    @property
    def as_budget(self) -> BudgetConfig:
        """What it is in each pool."""
        return BudgetConfig(
            nodes=self.nodes,
            schedule=self.schedule,
            duration=self.duration,
            reasons=self.reasons,
        )


class DisruptionConfig(Section):
    """When Karpenter takes nodes away or swaps them for cheaper ones."""

    consolidation_policy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"] = (
        "WhenEmptyOrUnderutilized"
    )
    """Only nodes without pods; also those whose pods fit elsewhere or on something cheaper; or of
    these only where the saving outweighs the disruption."""
    consolidate_after: DurationOrNever = "1m"
    """How long a node must be without a change of its pods. `Never` leaves all nodes alone."""
    budgets: tuple[BudgetConfig, ...] = Field(default=(BudgetConfig(),), max_length=MOST_BUDGETS)
    """How many nodes at once; of several that are open, the strictest counts."""

    def budgets_with(self, window: DisruptionWindowConfig | None) -> Sequence[BudgetConfig]:
        """The pool's own, and that of a window for all pools."""
        return [*self.budgets, window.as_budget] if window else self.budgets

    def has_room_for(self, window: DisruptionWindowConfig | None) -> Iterator[Mistake]:
        """The window counts among the budgets of each pool. Paths are below the pool."""
        count = len(self.budgets_with(window))
        if count > MOST_BUDGETS:
            problem = f"with disruptionWindow there are {count}, and the API takes {MOST_BUDGETS}"
            yield Mistake("disruption.budgets", f"{problem}: drop {count - MOST_BUDGETS}")

    def disruption(self, window: DisruptionWindowConfig | None) -> dict[str, Any]:
        """The part of a pool's spec."""
        return {
            "consolidationPolicy": self.consolidation_policy,
            "consolidateAfter": self.consolidate_after,
            "budgets": [budget.budget() for budget in self.budgets_with(window)],
        }
