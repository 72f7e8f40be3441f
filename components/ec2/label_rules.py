"""Values of a label that several requirements allow together, computed as Karpenter 1.14 does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LabelRule:
    """Values that a label may have: those listed, or with `others` all but those listed."""

    values: frozenset[str] = frozenset()
    others: bool = False
    least: int | None = None
    most: int | None = None
    """Largest value. With `least` or `most` a value must be a whole number."""

    def allows(self, value: str) -> bool:
        """True if a node with this value fits."""
        return (value in self.values) != self.others and self._within(value)

    @property
    def allows_absence(self) -> bool:
        """True if a node without the label fits, as NotIn and DoesNotExist allow.

        NotIn together with Gt allows it too, and so do two In without a common value: Karpenter
        treats those two together as DoesNotExist.
        """
        return bool(self.values) == self.others

    def both(self, other: "LabelRule") -> "LabelRule":
        """The rule that allows what this rule and the other both allow."""
        others = self.others and other.others
        least = _tighter(self.least, other.least, max)
        most = _tighter(self.most, other.most, min)
        if least is not None and most is not None and least > most:
            return LabelRule()
        if others:
            values = self.values | other.values
        elif self.others or other.others:
            listed, left_out = (other, self) if self.others else (self, other)
            values = listed.values - left_out.values
        else:
            values = self.values & other.values
        bounded = LabelRule(frozenset(), others=True, least=least, most=most)
        values = frozenset(value for value in values if bounded.allows(value))
        return LabelRule(values, others, least, most) if others else LabelRule(values)

    def meets(self, other: "LabelRule") -> bool:
        """True if some node fits both rules: by a value of the label, or by not having it."""
        together = self.both(other)
        has_value = bool(together.values) or together.others
        return has_value or (self.allows_absence and other.allows_absence)

    def _within(self, value: str) -> bool:
        if self.least is None and self.most is None:
            return True
        try:
            number = int(value)
        except ValueError:
            return False
        above = self.least is None or number >= self.least
        return above and (self.most is None or number <= self.most)


def rules_of(
    requirements: Iterable[Mapping[str, Any]], labels: Mapping[str, str] = {}
) -> dict[str, LabelRule]:
    """Rules by label key from a pool's requirements and labels; a label counts as an In."""
    combined: dict[str, LabelRule] = {}
    rules = [(str(r["key"]), _OPERATORS[r["operator"]](r.get("values", ()))) for r in requirements]
    rules += [(key, LabelRule(frozenset({value}))) for key, value in labels.items()]
    for key, rule in rules:
        combined[key] = combined[key].both(rule) if key in combined else rule
    return combined


_OPERATORS: Mapping[str, Callable[[Sequence[str]], LabelRule]] = {
    "In": lambda values: LabelRule(frozenset(values)),
    "NotIn": lambda values: LabelRule(frozenset(values), others=True),
    "Exists": lambda _: LabelRule(others=True),
    "DoesNotExist": lambda _: LabelRule(),
    "Gt": lambda values: LabelRule(others=True, least=int(values[0]) + 1),
    "Gte": lambda values: LabelRule(others=True, least=int(values[0])),
    "Lt": lambda values: LabelRule(others=True, most=int(values[0]) - 1),
    "Lte": lambda values: LabelRule(others=True, most=int(values[0])),
}


def _tighter(
    bound: int | None, other: int | None, choose: Callable[[Iterable[int]], int]
) -> int | None:
    bounds = [each for each in (bound, other) if each is not None]
    return choose(bounds) if bounds else None
