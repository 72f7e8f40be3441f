"""Amounts that scale: the least, what is expected, and the most."""

from dataclasses import dataclass

HOURS = 730
"""Of a month, as AWS's own calculator has it."""


@dataclass(frozen=True)
class Amount:
    """Of USD a month, or of things."""

    low: float
    expected: float
    high: float | None
    """None: there is no limit."""

    @classmethod
    def fixed(cls, value: float) -> "Amount":
        """The same at any load."""
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
        """Whether its ends differ."""
        return self.high is None or self.high != self.low


NOTHING = Amount.fixed(0.0)


def total(amounts: list[Amount]) -> Amount:
    """All together; without a limit as soon as one has none."""
    return sum(amounts, NOTHING)


def _both(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
