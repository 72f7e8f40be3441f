"""Parts of the stack file while they are written."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from frugal_eks.migrate.notes import Converted, Note, Place


@dataclass
class Sections:
    """Values and comments by their places, and what is left over."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    comments: dict[Place, str] = field(default_factory=dict[Place, str])
    left: list[Note] = field(default_factory=list[Note])

    def put(self, place: Place, value: Any, comment: str = "") -> None:
        """A value, with what changed its meaning. Keys on the way there are made."""
        inside: Any = self.values
        for key in place[:-1]:
            inside = inside.setdefault(key, {})
        inside[place[-1]] = value
        if comment:
            self.say(place, comment)

    def ensure(self, place: Place) -> None:
        """A section with all its defaults, unless something is in it."""
        if not self.has(place):
            self.put(place, {})

    def has(self, place: Place) -> bool:
        """Whether there is a value."""
        return self.get(place) is not None

    def get(self, place: Place) -> Any:
        """The value, None where there is none."""
        inside: Any = self.values
        for key in place:
            if not isinstance(inside, dict):
                return None
            inside = cast(dict[Any, Any], inside).get(key)
        return inside

    def keys(self, place: Place) -> list[str]:
        """The keys of a mapping in their order, none where there is none."""
        value = self.get(place)
        return list(cast(dict[str, Any], value)) if isinstance(value, dict) else []

    def append(self, place: Place, value: Any, comment: str = "") -> None:
        """One more item of a list; nothing where it is in it already."""
        if not self.has(place):
            self.put(place, [])
        items = self.get(place)
        if value not in items:
            items.append(value)
        if comment:
            self.say((*place, items.index(value)), comment)

    def say(self, place: Place, comment: str) -> None:
        """A comment on a line."""
        before = self.comments.get(place)
        self.comments[place] = f"{before}; {comment}" if before else comment

    def leave(self, notes: Iterable[Note]) -> None:
        """What has no equivalent."""
        self.left.extend(notes)

    def converted(self) -> Converted:
        """What a converter hands over."""
        return Converted(sections=self.values, comments=self.comments, left=self.left)
