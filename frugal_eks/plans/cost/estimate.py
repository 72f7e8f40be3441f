"""Estimates the monthly cost of a program's resources."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import get_args

from frugal_eks.plans.cost.amounts import Amount, total
from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.fargate import fargate_pods
from frugal_eks.plans.cost.groups import node_groups
from frugal_eks.plans.cost.lines import Kind, Line, Unknown
from frugal_eks.plans.cost.pools import node_pools
from frugal_eks.plans.cost.prices import FOLDER, Prices, prices
from frugal_eks.plans.cost.program import Program
from frugal_eks.plans.cost.services import services
from frugal_eks.plans.cost.unreckoned import unreckoned
from frugal_eks.plans.previews import Resource

__all__ = ["Assumptions", "Estimate", "estimate"]

Estimator = Callable[[Program, Prices, Assumptions], Iterator[Line | Unknown]]
ESTIMATORS: tuple[Estimator, ...] = (services, fargate_pods, node_groups, node_pools, unreckoned)


@dataclass(frozen=True)
class Estimate:
    """USD a month of 730 hours, before taxes and discounts."""

    region: str
    lines: tuple[Line, ...]
    unknown: tuple[Unknown, ...]
    """Things without a known price; no sum includes them."""
    dates: tuple[str, str] | None
    """Dates of the oldest and the newest price in the region's list."""
    assumptions: tuple[str, ...]
    """Sentences that name the assumptions in use."""

    @cached_property
    def total(self) -> Amount:
        """Sum of the known lines. `high` is None as soon as one line has no limit."""
        return total([each.monthly for each in self.lines])

    @cached_property
    def by_component(self) -> dict[str, Amount]:
        """Amounts by component, in order of name."""
        amounts: dict[str, list[Amount]] = {}
        for each in self.lines:
            amounts.setdefault(each.component, []).append(each.monthly)
        return {name: total(amounts[name]) for name in sorted(amounts)}

    @cached_property
    def by_kind(self) -> dict[Kind, Amount]:
        """Amounts by kind, in the order of Kind."""
        of = {kind: [e.monthly for e in self.lines if e.kind == kind] for kind in get_args(Kind)}
        return {kind: total(amounts) for kind, amounts in of.items() if amounts}

    @property
    def unlimited(self) -> tuple[Line, ...]:
        """Lines without an upper bound."""
        return tuple(each for each in self.lines if each.monthly.high is None)


def estimate(
    resources: Iterable[Resource],
    region: str,
    assumptions: Assumptions | None = None,
    folder: Path = FOLDER,
) -> Estimate:
    """Estimates the resources of one program, as they would be after `up`, in one region.
    Free resources have no line; AWS types that this package does not know are named. Raises
    CostError if the region's price list is damaged.
    """
    given = assumptions or Assumptions()
    program, known = Program(resources), prices(region, folder)
    results = [each for of in ESTIMATORS for each in of(program, known, given)]
    lines = [each for each in results if isinstance(each, Line)]
    return Estimate(
        region=region,
        lines=tuple(sorted(lines, key=lambda line: (line.component, line.name, line.what))),
        unknown=tuple(each for each in results if isinstance(each, Unknown)),
        dates=known.dates,
        assumptions=tuple(given.sentences(program)),
    )
