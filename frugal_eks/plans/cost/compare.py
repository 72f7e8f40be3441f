"""What a change costs: a preview's before and after."""

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
"""Of a pull request's comment, which is 65,536 at most and has more to tell."""


@dataclass(frozen=True)
class Comparison:
    """Before and after, USD a month."""

    before: Estimate
    after: Estimate
    is_whole: bool
    """Whether the preview told unchanged resources too. Else only the difference is right."""

    @property
    def difference(self) -> Amount:
        """After less before. `high` is None if either has no limit."""
        return _less(self.after.total, self.before.total)

    @property
    def by_kind(self) -> Mapping[Kind, tuple[Amount, Amount]]:
        """Before and after, in the order in which kinds are told."""
        before, after = self.before.by_kind, self.after.by_kind
        return {
            kind: (before.get(kind, NOTHING), after.get(kind, NOTHING))
            for kind in get_args(Kind)
            if kind in before or kind in after
        }

    @property
    def by_component(self) -> Mapping[str, tuple[Amount, Amount]]:
        """Before and after."""
        before, after = self.before.by_component, self.after.by_component
        return {
            name: (before.get(name, NOTHING), after.get(name, NOTHING))
            for name in sorted({*before, *after})
        }

    def markdown(self, max_chars: int = MAX_CHARS) -> str:
        """A section of a comment: the sums first, then components, then what each rests on.

        What does not fit is left out from the end, and said to be.
        """
        return comparison_markdown(self, max_chars)


def compare(
    preview: Preview,
    assumptions: Assumptions | None = None,
    folder: Path = FOLDER,
    region: str | None = None,
) -> Comparison:
    """Raises CostError if the preview names no region, or the price list is damaged."""
    where = region or region_of(preview)
    return Comparison(
        before=estimate(preview.before, where, assumptions, folder),
        after=estimate(preview.after, where, assumptions, folder),
        is_whole=preview.is_whole,
    )


def region_of(preview: Preview) -> str:
    """From the stack's configuration, or from a provider."""
    inputs = [each.inputs for each in preview.by_urn.values() if each.type == AWS_PROVIDER]
    for found in (preview.config.get("aws:region"), *(each.get("region") for each in inputs)):
        if isinstance(found, str) and found and found != UNKNOWN:
            return found
    raise CostError(
        "the preview names no AWS region: set aws:region in the stack's configuration, or give "
        "--region"
    )


def _less(after: Amount, before: Amount) -> Amount:
    high = None if after.high is None or before.high is None else after.high - before.high
    return Amount(after.low - before.low, after.expected - before.expected, high)
