"""Collects parts of the stack file."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from frugal_eks.migrate.notes import Converted, Note, Place


@dataclass
class Sections:
    """Values and comments by place, and notes on what is left over."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    comments: dict[Place, str] = field(default_factory=dict[Place, str])
    left: list[Note] = field(default_factory=list[Note])

    def put(self, place: Place, value: Any, comment: str = "") -> None:
        """Puts a value, with a comment if its meaning changed; creates missing keys on the way."""
        inside: Any = self.values
        for key in place[:-1]:
            inside = inside.setdefault(key, {})
        inside[place[-1]] = value
        if comment:
            self.say(place, comment)

    def ensure(self, place: Place) -> None:
        """Adds a section with all its defaults, unless it has a value."""
        if not self.has(place):
            self.put(place, {})

    def has(self, place: Place) -> bool:
        """True if the place has a value."""
        return self.get(place) is not None

    def get(self, place: Place) -> Any:
        """The value at a place; None if there is none."""
        inside: Any = self.values
        for key in place:
            if not isinstance(inside, dict):
                return None
            inside = cast(dict[Any, Any], inside).get(key)
        return inside

    def keys(self, place: Place) -> list[str]:
        """Keys of a mapping in order; none if it is absent."""
        value = self.get(place)
        return list(cast(dict[str, Any], value)) if isinstance(value, dict) else []

    def append(self, place: Place, value: Any, comment: str = "") -> None:
        """Appends to a list, unless the item is in it already."""
        if not self.has(place):
            self.put(place, [])
        items = self.get(place)
        if value not in items:
            items.append(value)
        if comment:
            self.say((*place, items.index(value)), comment)

    def say(self, place: Place, comment: str) -> None:
        """Adds a comment to a line."""
        before = self.comments.get(place)
        self.comments[place] = f"{before}; {comment}" if before else comment

    def leave(self, notes: Iterable[Note]) -> None:
        """Notes what has no equivalent."""
        self.left.extend(notes)

    def converted(self) -> Converted:
        """The result that a converter returns."""
        return Converted(sections=self.values, comments=self.comments, left=self.left)
