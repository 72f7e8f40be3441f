"""Amounts in words."""

from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.estimate import Estimate

NO_LIMIT = "no limit"


def sum_of(told: Estimate) -> str:
    """What a sum is called: it says so where something is missing."""
    return "total of what is known" if told.unknown else "total"


def usd(value: float | None) -> str:
    """`1,234.50`; what has no limit is said."""
    return NO_LIMIT if value is None else f"{value:,.2f}"


def signed(value: float | None) -> str:
    """`+1.20`, `-1.20`, `0.00`."""
    if value is None:
        return NO_LIMIT
    return "0.00" if abs(value) < 0.005 else f"{value:+,.2f}"  # noqa: PLR2004 (half a cent)


def span(amount: Amount) -> str:
    """`73.00`, or `0.00 / 58.40 / 1,234.50` where its ends differ."""
    if not amount.scales:
        return usd(amount.expected)
    return f"{usd(amount.low)} / {usd(amount.expected)} / {usd(amount.high)}"


def dates(found: tuple[str, str] | None) -> str:
    """Of a price list."""
    if found is None:
        return "no price of it is known"
    oldest, newest = found
    return f"prices of {newest}" if oldest == newest else f"prices of {oldest} to {newest}"
