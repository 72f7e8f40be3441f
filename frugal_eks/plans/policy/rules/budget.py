"""Rules about the monthly cost."""

from collections.abc import Iterator, Sequence

from frugal_eks.plans.policy.rule import Finding, Settings, StackRule
from frugal_eks.plans.previews import Resource

_SHOWN = 3


def _over(resources: Sequence[Resource], settings: Settings) -> Iterator[Finding]:
    budget = settings.monthly_budget_usd
    if budget is None:
        return
    if not settings.region:
        yield Finding("", f"no region is known, so nothing can be compared with {budget:,.0f} USD")
        return
    # Reads price lists: only where there is a budget.
    from frugal_eks.plans.cost import CostError, estimate  # noqa: PLC0415

    try:
        cost = estimate(resources, settings.region)
    except CostError as error:
        yield Finding("", f"nothing can be compared with {budget:,.0f} USD: {error}")
        return
    for line in cost.unlimited:
        yield Finding(
            "", f"{line.name} has no limit, which no budget allows ({budget:,.0f} USD a month)"
        )
    for unknown in cost.unknown:
        yield Finding("", f"{unknown.name}: {unknown.what} is unknown, and unknown is not nothing")
    most = cost.total.high
    if most is not None and most > budget:
        by_size = sorted(cost.by_component.items(), key=lambda each: -(each[1].high or 0.0))
        parts = ", ".join(
            f"{name or 'outside components'} {of.high:,.0f}" for name, of in by_size[:_SHOWN]
        )
        yield Finding(
            "",
            f"up to {most:,.0f} USD a month ({parts}), expected {cost.total.expected:,.0f}; the "
            f"budget is {budget:,.0f}",
        )


RULES = (
    StackRule(
        name="over-budget",
        level="mandatory",
        reason="The most that may be running in a month must fit `policy.monthlyBudgetUsd`; a pool "
        "without a limit fits no budget.",
        remedy="lower a limit or a largest size, or raise `policy.monthlyBudgetUsd` on purpose",
        check=_over,
    ),
)
