"""Node affinity of the handler's DaemonSet, beyond a node selector."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ...kubernetes.labels import LabelKey, LabelValue
from ...section import Mistake, Section


class MatchExpressionConfig(Section):
    """A condition on a label of nodes."""

    key: LabelKey
    """The label's key."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How the label is compared with `values`."""
    values: tuple[LabelValue, ...] = ()
    """Values to compare with: none for Exists and DoesNotExist; for Gt and Lt one whole number."""

    def mistakes(self) -> Iterator[Mistake]:
        """Values must fit the operator."""
        if self.operator in ("Exists", "DoesNotExist"):
            if self.values:
                problem = f"operator {self.operator} takes no values: drop them"
                yield Mistake("values", problem, ", ".join(self.values))
        elif not self.values:
            yield Mistake("values", f"operator {self.operator} needs values: list at least one")
        elif self.operator in ("Gt", "Lt") and not (
            len(self.values) == 1 and self.values[0].isdigit()
        ):
            problem = f"operator {self.operator} compares with one whole number"
            yield Mistake(
                "values", f'{problem}: write it as text, for example ["4"]', ", ".join(self.values)
            )

    def expression(self) -> dict[str, Any]:
        """The expression as the Kubernetes API takes it."""
        values = {"values": list(self.values)} if self.values else {}
        return {"key": self.key, "operator": self.operator} | values

    def fits(self, labels: Mapping[str, str]) -> bool:
        """True if the expression holds for a node with these labels, as the scheduler decides."""
        has, value = self.key in labels, labels.get(self.key, "")
        match self.operator:
            case "In":
                return has and value in self.values
            case "NotIn":
                return value not in self.values if has else True
            case "Exists":
                return has
            case "DoesNotExist":
                return not has
            case "Gt":
                return value.isdigit() and int(value) > int(self.values[0])
            case "Lt":
                return value.isdigit() and int(value) < int(self.values[0])


class NodeSelectorTermConfig(Section):
    """A set of conditions that a node must all meet."""

    match_expressions: tuple[MatchExpressionConfig, ...] = Field(min_length=1)
    """Conditions, all of which must hold."""

    def fits(self, labels: Mapping[str, str]) -> bool:
        """True if all conditions hold for a node with these labels."""
        return all(expression.fits(labels) for expression in self.match_expressions)


def node_affinity(
    terms: Sequence[NodeSelectorTermConfig], own: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The pod's `affinity`: one of the terms must hold, and always the expressions `own`.

    In the API's list one term must hold, with all its expressions, so `own` is added to each term.
    """
    users = [[each.expression() for each in term.match_expressions] for term in terms]
    every = [{"matchExpressions": [*expressions, *own]} for expressions in users or [[]]]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": every}}
    return {"nodeAffinity": required}
