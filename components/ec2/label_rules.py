"""What requirements together allow a label to be, as Karpenter 1.14 reckons it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LabelRule:
    """The values that a label may have: those listed, or with `others` all but those listed."""

    values: frozenset[str] = frozenset()
    others: bool = False
    least: int | None = None
    most: int | None = None
    """With a bound a value must be a whole number."""

    def allows(self, value: str) -> bool:
        """Whether a node with this value fits."""
        return (value in self.values) != self.others and self._within(value)

    @property
    def allows_absence(self) -> bool:
        """Whether a node without the label fits: NotIn and DoesNotExist are content with it.

        NotIn beside Gt is too, and so are two In without a common value: to Karpenter those two
        together are a DoesNotExist.
        """
        return bool(self.values) == self.others

    def both(self, other: "LabelRule") -> "LabelRule":
        """What fits this rule and the other."""
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
        """Whether some node fits both: by a value of the label, or by not having it."""
        together = self.both(other)
        found = bool(together.values) or together.others
        return found or (self.allows_absence and other.allows_absence)

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
    """By key, what a pool's requirements allow, and its labels, each of which is an In."""
    found: dict[str, LabelRule] = {}
    asked = [(str(r["key"]), _OPERATORS[r["operator"]](r.get("values", ()))) for r in requirements]
    asked += [(key, LabelRule(frozenset({value}))) for key, value in labels.items()]
    for key, rule in asked:
        found[key] = found[key].both(rule) if key in found else rule
    return found


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
    one: int | None, other: int | None, choose: Callable[[Iterable[int]], int]
) -> int | None:
    bounds = [bound for bound in (one, other) if bound is not None]
    return choose(bounds) if bounds else None
