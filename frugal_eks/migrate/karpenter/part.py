"""One node pool or node class of the stack file while it is written."""

from typing import Any

from frugal_eks.migrate.notes import Note
from frugal_eks.migrate.sections import Sections


class Part:
    """The keys below one place, in the order in which they are put."""

    def __init__(self, sections: Sections, kind: str, name: str) -> None:
        self.sections = sections
        self.place = ("karpenter", kind, name)
        sections.put(self.place, {})

    @property
    def values(self) -> dict[str, Any]:
        """What was put."""
        return self.sections.get(self.place)

    def put(self, key: str, value: Any, comment: str = "") -> None:
        """A line, with what changed its meaning."""
        self.sections.put((*self.place, key), value, comment)

    def say(self, comment: str, *below: str | int) -> None:
        """A comment on a line of this part; on the part's own without `below`."""
        self.sections.say((*self.place, *below), comment)

    def leave(self, path: str, text: str, value: Any = None) -> None:
        """Something of the source without a place in the stack file."""
        self.sections.leave([Note(path, text, value)])
