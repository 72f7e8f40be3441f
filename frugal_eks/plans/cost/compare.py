"""The difference in cost between a preview's before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from frugal_eks.plans.cost.amounts import NOTHING, Amount
from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.estimate import Assumptions, Estimate, estimate
from frugal_eks.plans.cost.lines import Kind
from frugal_eks.plans.cost.markdown import comparison_markdown
from frugal_eks.plans.cost.prices import FOLDER
from frugal_eks.plans.previews import UNKNOWN, Preview

AWS_PROVIDER = "pulumi:providers:aws"
MAX_CHARS = 20_000
"""Limit of the cost section; a pull request's comment holds 65,536 and has other sections."""


@dataclass(frozen=True)
class Comparison:
    """Monthly cost in USD before and after a change."""

    before: Estimate
    after: Estimate
    is_whole: bool
    """True if the preview lists unchanged resources too; otherwise only the difference is right."""

    @property
    def difference(self) -> Amount:
        """The total after minus the total before. `high` is None if either total has no limit."""
        return _less(self.after.total, self.before.total)

    @property
    def by_kind(self) -> Mapping[Kind, tuple[Amount, Amount]]:
        """Amounts before and after by kind, in the order of Kind."""
        before, after = self.before.by_kind, self.after.by_kind
        return {
            kind: (before.get(kind, NOTHING), after.get(kind, NOTHING))
            for kind in get_args(Kind)
            if kind in before or kind in after
        }

    @property
    def by_component(self) -> Mapping[str, tuple[Amount, Amount]]:
        """Amounts before and after by component."""
        before, after = self.before.by_component, self.after.by_component
        return {
            name: (before.get(name, NOTHING), after.get(name, NOTHING))
            for name in sorted({*before, *after})
        }

    def markdown(self, max_chars: int = MAX_CHARS) -> str:
        """The comment's section: sums, then components, then the basis of each figure. What does
        not fit is cut from the end, with a notice.
        """
        return comparison_markdown(self, max_chars)


def compare(
    preview: Preview,
    assumptions: Assumptions | None = None,
    folder: Path = FOLDER,
    region: str | None = None,
) -> Comparison:
    """Estimates the preview's before and after. Raises CostError if the preview names no region, or
    the price list is damaged.
    """
    where = region or region_of(preview)
    return Comparison(
        before=estimate(preview.before, where, assumptions, folder),
        after=estimate(preview.after, where, assumptions, folder),
        is_whole=preview.is_whole,
    )


def region_of(preview: Preview) -> str:
    """The AWS region from the stack's configuration, else from a provider. Raises CostError."""
    inputs = [each.inputs for each in preview.by_urn.values() if each.type == AWS_PROVIDER]
    for value in (preview.config.get("aws:region"), *(each.get("region") for each in inputs)):
        if isinstance(value, str) and value and value != UNKNOWN:
            return value
    raise CostError(
        "the preview names no AWS region: set aws:region in the stack's configuration, or give "
        "--region"
    )


def _less(after: Amount, before: Amount) -> Amount:
    high = None if after.high is None or before.high is None else after.high - before.high
    return Amount(after.low - before.low, after.expected - before.expected, high)
