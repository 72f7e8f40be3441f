"""What a human has to look at before a change goes in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import code


class Concern(Enum):
    """Why; the values are headings, in the order of the comment."""

    HOLDS = "State or traffic goes"
    NODES = "Nodes are replaced"
    RIGHTS = "Permissions widen"
    NETWORK = "The network opens"
    PROTECTION = "Protection is removed"
    VERSIONS = "Versions jump"


@dataclass(frozen=True)
class Risk:
    """One thing to look at, of one resource."""

    concern: Concern
    change: Change
    text: str
    """Markdown in which all that the preview says is in code spans; no full stop at the end."""

    def __str__(self) -> str:
        return f"{resource(self.change)} {self.text}"


Finder = Callable[[Preview], Iterator[Risk]]


def kind(change: Change) -> str:
    """The last part of its type, `NodePool`."""
    return change.type.rpartition(":")[2] or change.type


def resource(change: Change) -> str:
    """Kind and name in Markdown; a cloud's kind with its module, since many have a `Group`."""
    package, _, rest = change.type.partition(":")
    module = rest.partition(":")[0].partition("/")[0]
    told = kind(change)
    if package == "pulumi":
        told = f"{module} {told}"
    elif package != "kubernetes" and module not in {"", "index"}:
        told = f"{module}.{told}"
    return f"{code(told)} {code(change.name)}"


def is_told(change: Change) -> bool:
    """Whether a reviewer wants to read of it: not of the stack itself, nor of components."""
    return change.resource.custom and change.type != "pulumi:pulumi:Stack"


def changed(preview: Preview) -> Iterator[Change]:
    """What is created, updated, replaced or deleted."""
    found = {"create", "update", "replace", "delete", "import"}
    return (one for one in preview.changes if one.operation in found and is_told(one))
