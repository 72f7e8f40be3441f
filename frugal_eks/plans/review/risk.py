"""Risks of a change, which a human reviews before it goes in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import code


class Concern(Enum):
    """Kind of a risk; the values are headings, in the order of the comment."""

    HOLDS = "State or traffic goes"
    NODES = "Nodes are replaced"
    RIGHTS = "Permissions widen"
    NETWORK = "The network opens"
    PROTECTION = "Protection is removed"
    VERSIONS = "Versions jump"


@dataclass(frozen=True)
class Risk:
    """A finding about one resource."""

    concern: Concern
    change: Change
    text: str
    """Markdown without a full stop; text from the preview is in code spans."""

    def __str__(self) -> str:
        return f"{resource(self.change)} {self.text}"


Finder = Callable[[Preview], Iterator[Risk]]


def kind(change: Change) -> str:
    """Last part of a resource's type, such as `NodePool`."""
    return change.type.rpartition(":")[2] or change.type


def resource(change: Change) -> str:
    """Kind and name in Markdown; a cloud resource's kind has its module, since many have a
    `Group`.
    """
    package, _, rest = change.type.partition(":")
    module = rest.partition(":")[0].partition("/")[0]
    label = kind(change)
    if package == "pulumi":
        label = f"{module} {label}"
    elif package != "kubernetes" and module not in {"", "index"}:
        label = f"{module}.{label}"
    return f"{code(label)} {code(change.name)}"


def is_reviewed(change: Change) -> bool:
    """True if reviewers want to see the change: not of the stack itself, nor of components."""
    return change.resource.custom and change.type != "pulumi:pulumi:Stack"


def changed(preview: Preview) -> Iterator[Change]:
    """Changes that create, update, replace, delete or import a resource."""
    operations = {"create", "update", "replace", "delete", "import"}
    return (
        change
        for change in preview.changes
        if change.operation in operations and is_reviewed(change)
    )
