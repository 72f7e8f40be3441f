"""Writes one node pool or node class of the stack file."""

from typing import Any

from frugal_eks.migrate.notes import Note
from frugal_eks.migrate.sections import Sections


class Part:
    """Keys of one pool or class, in the order in which they are put."""

    def __init__(self, sections: Sections, kind: str, name: str) -> None:
        self.sections = sections
        self.place = ("karpenter", kind, name)
        sections.put(self.place, {})

    @property
    def values(self) -> dict[str, Any]:
        """The values that were put."""
        return self.sections.get(self.place)

    def put(self, key: str, value: Any, comment: str = "") -> None:
        """Puts a value, with a comment if its meaning changed."""
        self.sections.put((*self.place, key), value, comment)

    def say(self, comment: str, *below: str | int) -> None:
        """Comments on a line of this part; on the part itself without `below`."""
        self.sections.say((*self.place, *below), comment)

    def leave(self, path: str, text: str, value: Any = None) -> None:
        """Notes something of the source without a place in the stack file."""
        self.sections.leave([Note(path, text, value)])
