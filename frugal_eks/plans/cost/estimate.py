"""What a program's resources cost a month."""

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
    """In no sum."""
    dates: tuple[str, str] | None
    """Of the oldest and of the newest price of the region's list."""
    assumptions: tuple[str, ...]
    """Sentences."""

    @cached_property
    def total(self) -> Amount:
        """Without what is unknown. `high` is None as soon as one thing has no limit."""
        return total([each.monthly for each in self.lines])

    @cached_property
    def by_component(self) -> dict[str, Amount]:
        """In the order of their names."""
        found: dict[str, list[Amount]] = {}
        for each in self.lines:
            found.setdefault(each.component, []).append(each.monthly)
        return {name: total(found[name]) for name in sorted(found)}

    @cached_property
    def by_kind(self) -> dict[Kind, Amount]:
        """Control plane, Fargate pods and so on, in that order."""
        of = {kind: [e.monthly for e in self.lines if e.kind == kind] for kind in get_args(Kind)}
        return {kind: total(found) for kind, found in of.items() if found}

    @property
    def unlimited(self) -> tuple[Line, ...]:
        """What has no upper bound."""
        return tuple(each for each in self.lines if each.monthly.high is None)


def estimate(
    resources: Iterable[Resource],
    region: str,
    assumptions: Assumptions | None = None,
    folder: Path = FOLDER,
) -> Estimate:
    """Of the resources of one program, as they would be after `up`, in one region.

    What costs nothing has no line; types of AWS that are not known here are named. Raises
    CostError if the region's price list is damaged.
    """
    given = assumptions or Assumptions()
    program, known = Program(resources), prices(region, folder)
    found = [each for of in ESTIMATORS for each in of(program, known, given)]
    lines = [each for each in found if isinstance(each, Line)]
    return Estimate(
        region=region,
        lines=tuple(sorted(lines, key=lambda line: (line.component, line.name, line.what))),
        unknown=tuple(each for each in found if isinstance(each, Unknown)),
        dates=known.dates,
        assumptions=tuple(given.told(program)),
    )
