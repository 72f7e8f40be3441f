"""Formats amounts as text."""

from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.estimate import Estimate

NO_LIMIT = "no limit"


def sum_of(cost: Estimate) -> str:
    """Label of the sum, which says if something is missing from it."""
    return "total of what is known" if cost.unknown else "total"


def usd(value: float | None) -> str:
    """An amount such as `1,234.50`, or NO_LIMIT."""
    return NO_LIMIT if value is None else f"{value:,.2f}"


def signed(value: float | None) -> str:
    """A difference such as `+1.20`, `-1.20` or `0.00`."""
    if value is None:
        return NO_LIMIT
    return "0.00" if abs(value) < 0.005 else f"{value:+,.2f}"  # noqa: PLR2004 (half a cent)


def span(amount: Amount) -> str:
    """An amount as `73.00`, or `0.00 / 58.40 / 1,234.50` if its bounds differ."""
    if not amount.scales:
        return usd(amount.expected)
    return f"{usd(amount.low)} / {usd(amount.expected)} / {usd(amount.high)}"


def dates(oldest_newest: tuple[str, str] | None) -> str:
    """Dates of a price list in words."""
    if oldest_newest is None:
        return "no price of it is known"
    oldest, newest = oldest_newest
    return f"prices of {newest}" if oldest == newest else f"prices of {oldest} to {newest}"
