"""What becomes of each resource: one change a resource, however many steps that takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from frugal_eks.plans.previews.steps import PropertyDiff, Resource, Step

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
    """What becomes of one resource."""

    operation: Operation
    urn: str
    old: Resource | None
    """None if it is created."""
    new: Resource | None
    """None if it is deleted."""
    diffs: dict[str, PropertyDiff]
    """By the property's path; where the provider gives no paths, by top-level properties."""
    replace_reasons: tuple[str, ...]

    @property
    def resource(self) -> Resource:
        """As it will be; as it was, if it is deleted."""
        found = self.new or self.old
        assert found
        return found

    @property
    def type(self) -> str:
        """Its type token."""
        return self.resource.type

    @property
    def name(self) -> str:
        """The last part of its URN."""
        return self.urn.rpartition("::")[2]


def changes(steps: Sequence[Step]) -> list[Change]:
    """In the order of the engine's first step about each. Raises KeyError for an unknown step."""
    by_urn: dict[str, list[Step]] = {}
    for step in steps:
        if step.old or step.new:
            by_urn.setdefault(step.urn, []).append(step)
    return [_change(urn, found) for urn, found in by_urn.items()]


def _change(urn: str, steps: Sequence[Step]) -> Change:
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


def _diffs(steps: Sequence[Step]) -> dict[str, PropertyDiff]:
    found: dict[str, PropertyDiff] = {}
    for step in steps:
        found |= step.detailed_diff or {}
    named = _unique(key for step in steps for key in step.diff_reasons)
    told = {path.partition(".")[0].partition("[")[0] for path in found}
    return found | {key: PropertyDiff(kind="update") for key in named if key not in told}


def _unique(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))
