"""On which nodes the handler's DaemonSet runs, beyond a node selector."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ...kubernetes.labels import LabelKey, LabelValue
from ...section import Mistake, Section


class MatchExpressionConfig(Section):
    """What a node's label must, or must not, be."""

    key: LabelKey
    """The label's key."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How the label is compared with `values`."""
    values: tuple[LabelValue, ...] = ()
    """What it is compared with; none for Exists and DoesNotExist, for Gt and Lt one whole
    number."""

    def mistakes(self) -> Iterator[Mistake]:
        """Values where the operator takes some."""
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
        """As the API takes it."""
        values = {"values": list(self.values)} if self.values else {}
        return {"key": self.key, "operator": self.operator} | values

    def fits(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with these labels is meant, as the scheduler decides."""
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
    """Nodes for which all of this is true."""

    match_expressions: tuple[MatchExpressionConfig, ...] = Field(min_length=1)
    """All of them must be true."""

    def fits(self, labels: Mapping[str, str]) -> bool:
        """Whether all of it is true of a node with these labels."""
        return all(expression.fits(labels) for expression in self.match_expressions)


def node_affinity(
    terms: Sequence[NodeSelectorTermConfig], own: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The pod's `affinity`: one of the terms must be true, and `own` of all nodes.

    Of the API's list one term must be true, and all of a term, so that `own` is a part of each.
    """
    users = [[each.expression() for each in term.match_expressions] for term in terms]
    every = [{"matchExpressions": [*expressions, *own]} for expressions in users or [[]]]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": every}}
    return {"nodeAffinity": required}
