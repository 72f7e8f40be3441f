"""All changes by component, folded: names first, then properties, as far as they fit."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from frugal_eks.plans.previews import Change, Preview, by_component
from frugal_eks.plans.previews.markdown import block, codes, counted, folded, in_html, size
from frugal_eks.plans.review.diff_text import lines
from frugal_eks.plans.review.differences import differences
from frugal_eks.plans.review.risk import resource

CREATED = 25
"""A preview that creates more resources shows their names only."""
_SERIOUS = ("replace", "delete", "update", "import", "create")
_MORE = "- … and {:,} more"
_TITLE = "#### All changes"
_SMALLEST = len("```diff\n\n```")


@dataclass
class _Entry:
    change: Change
    title: str
    is_named: bool = False
    properties: str = ""
    is_cut: bool = False
    """True if there was no room for the properties."""

    def markdown(self) -> str:
        return f"{self.title}\n\n{self.properties}\n" if self.properties else self.title


@dataclass
class _Part:
    """Changes of one component."""

    summary: str
    entries: list[_Entry]

    def markdown(self) -> str:
        shown = [entry.markdown() for entry in self.entries if entry.is_named]
        if left := len(self.entries) - len(shown):
            shown.append(_MORE.format(left))
        return folded(self.summary, "\n".join(shown).rstrip())

    @property
    def frame(self) -> int:
        """Characters of the part without any entry."""
        return size(folded(self.summary, _MORE.format(len(self.entries)))) + 2


class Changes:
    """Section of the comment with all changes."""

    def __init__(self, changes: Sequence[Change], preview: Preview) -> None:
        self._parts = [
            _Part(
                _summary(name, many), [_Entry(change, _title(change)) for change in _sorted(many)]
            )
            for name, many in by_component(changes, preview.by_urn).items()
        ]
        created = sum(change.operation == "create" for change in changes)
        self._skipped = {"delete", "create"} if created > CREATED else {"delete"}

    def markdown(self, room: int) -> list[str]:
        """Parts of the comment, at most `room` characters with two line breaks each."""
        if not self._parts:
            return []
        room -= size(_TITLE) + 2 + size(_left_out(10**6, 10**6, 10**6)) + 2
        parts: list[_Part] = []
        for part in self._parts:
            if part.frame > room:
                break
            room -= part.frame
            parts.append(part)
        entries = sorted((entry for part in parts for entry in part.entries), key=_seriousness)
        room = _take(entries, room, _name)
        _take([entry for entry in entries if self._has_properties(entry)], room, _describe)
        left = _left_out(
            components=len(self._parts) - len(parts),
            names=sum(not entry.is_named for entry in entries),
            properties=sum(entry.is_cut for entry in entries),
        )
        return [_TITLE, *(part.markdown() for part in parts), *([left] if left else [])]

    def _has_properties(self, entry: _Entry) -> bool:
        return entry.is_named and _operation(entry) not in self._skipped


def _take(entries: Sequence[_Entry], room: int, add: Callable[[_Entry, int], int]) -> int:
    """Lets `add` extend each entry while there is room; returns the room that is left."""
    for entry in entries:
        room -= add(entry, room)
    return room


def _name(entry: _Entry, room: int) -> int:
    needed = size(entry.title) + 1
    entry.is_named = needed <= room
    return needed if entry.is_named else 0


def _describe(entry: _Entry, room: int) -> int:
    # With room for no block at all there is no need to make one.
    diff = lines(differences(entry.change)) if room >= _SMALLEST else ["?"]
    if not diff:
        return 0
    text = block(diff, "diff")
    needed = size(text) + 3
    entry.is_cut = needed > room or room < _SMALLEST
    if entry.is_cut:
        return 0
    entry.properties = text
    return needed


def _left_out(components: int, names: int, properties: int) -> str:
    cut = [
        *([counted(components, "component")] if components else []),
        *([f"the names of {counted(names, 'resource')}"] if names else []),
        *([f"the properties of {counted(properties, 'resource')}"] if properties else []),
    ]
    if not cut:
        return ""
    return (
        f"Left out, for a comment has its limits: {', '.join(cut)}. "
        "`pulumi preview --diff` shows all."
    )


def _title(change: Change) -> str:
    because = ""
    if change.operation == "replace" and change.replace_reasons:
        because = f", because of {codes(change.replace_reasons)}"
    return f"- **{change.operation}** {resource(change)}{because}"


def _summary(name: str, changes: Sequence[Change]) -> str:
    count = Counter(change.operation for change in changes)
    counts = ", ".join(
        f"{count[operation]:,} to {operation}" for operation in _SERIOUS if count[operation]
    )
    return f"{in_html(name) if name else 'in no component'}: {counts}"


def _operation(entry: _Entry) -> str:
    return entry.change.operation


def _seriousness(entry: _Entry) -> int:
    return _SERIOUS.index(_operation(entry))


def _sorted(changes: Sequence[Change]) -> list[Change]:
    # The engine's own order is another one in each run.
    return sorted(
        changes, key=lambda change: (_SERIOUS.index(change.operation), change.type, change.name)
    )
