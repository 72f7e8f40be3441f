"""Joins the steps of a preview into one change per resource."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from frugal_eks.plans.previews.steps import PreviewStep, PropertyDiff, Resource

Operation = Literal["create", "update", "replace", "delete", "same", "read", "import", "refresh"]

# The engine's words for the steps of a replacement, and for those that mean the same here.
_OPERATIONS: dict[str, Operation] = {
    "create": "create",
    "update": "update",
    "delete": "delete",
    "same": "same",
    "read": "read",
    "import": "import",
    "refresh": "refresh",
    "replace": "replace",
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "import-replacement": "replace",
    "read-replacement": "replace",
    "discard": "delete",
    "discard-replaced": "replace",
    "remove-pending-replace": "replace",
}


@dataclass(frozen=True)
class Change:
    """The change of one resource."""

    operation: Operation
    urn: str
    old: Resource | None
    """None if the resource is created."""
    new: Resource | None
    """None if the resource is deleted."""
    diffs: dict[str, PropertyDiff]
    """Diffs by property path; by top-level property if the provider gives no paths."""
    replace_reasons: tuple[str, ...]

    @property
    def resource(self) -> Resource:
        """The resource after the change; before it, if it is deleted."""
        side = self.new or self.old
        assert side
        return side

    @property
    def type(self) -> str:
        """Type token of the resource."""
        return self.resource.type

    @property
    def name(self) -> str:
        """Last part of the URN."""
        return self.urn.rpartition("::")[2]


def changes(steps: Sequence[PreviewStep]) -> list[Change]:
    """One change per resource, in the order of its first step. Raises KeyError for an unknown
    operation.
    """
    by_urn: dict[str, list[PreviewStep]] = {}
    for step in steps:
        if step.old or step.new:
            by_urn.setdefault(step.urn, []).append(step)
    return [_change(urn, steps_of_urn) for urn, steps_of_urn in by_urn.items()]


def _change(urn: str, steps: Sequence[PreviewStep]) -> Change:
    operations = {_OPERATIONS[step.op] for step in steps}
    operation = "replace" if "replace" in operations else _OPERATIONS[steps[-1].op]
    old = next((step.old for step in steps if step.old), None)
    new = next((step.new for step in reversed(steps) if step.new), None)
    gone = operation == "delete"
    return Change(
        operation,
        urn,
        # Of what is discarded there is but one side.
        old=(old or new) if gone else old,
        new=None if gone else new,
        diffs=_diffs(steps),
        replace_reasons=_unique(key for step in steps for key in step.replace_reasons),
    )


def _diffs(steps: Sequence[PreviewStep]) -> dict[str, PropertyDiff]:
    detailed: dict[str, PropertyDiff] = {}
    for step in steps:
        detailed |= step.detailed_diff or {}
    named = _unique(key for step in steps for key in step.diff_reasons)
    covered = {path.partition(".")[0].partition("[")[0] for path in detailed}
    return detailed | {key: PropertyDiff(kind="update") for key in named if key not in covered}


def _unique(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))
