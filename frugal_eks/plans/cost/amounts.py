"""Monthly amounts with a lower bound, an expected value and an upper bound."""

from dataclasses import dataclass

HOURS = 730
"""Hours in a month, as AWS's own calculator counts them."""


@dataclass(frozen=True)
class Amount:
    """A monthly amount (USD, or a count of things): lower bound, expected value, upper bound."""

    low: float
    expected: float
    high: float | None
    """None if there is no upper limit."""

    @classmethod
    def fixed(cls, value: float) -> "Amount":
        """An amount that is the same at any load."""
        return cls(value, value, value)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.low + other.low, self.expected + other.expected, _both(self.high, other.high)
        )

    def __mul__(self, factor: float) -> "Amount":
        high = None if self.high is None else self.high * factor
        return Amount(self.low * factor, self.expected * factor, high)

    @property
    def scales(self) -> bool:
        """True if the bounds differ, so that the amount depends on load."""
        return self.high is None or self.high != self.low


NOTHING = Amount.fixed(0.0)


def total(amounts: list[Amount]) -> Amount:
    """Sum of the amounts; its upper bound is None as soon as one amount has none."""
    return sum(amounts, NOTHING)


def _both(first: float | None, other: float | None) -> float | None:
    return None if first is None or other is None else first + other
