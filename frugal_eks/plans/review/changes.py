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
"""A preview that creates more names them only: what each is made with is the program itself."""
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
    """Whether there was no room for its properties."""

    def markdown(self) -> str:
        return f"{self.title}\n\n{self.properties}\n" if self.properties else self.title


@dataclass
class _Part:
    """A component."""

    summary: str
    entries: list[_Entry]

    def markdown(self) -> str:
        told = [one.markdown() for one in self.entries if one.is_named]
        if left := len(self.entries) - len(told):
            told.append(_MORE.format(left))
        return folded(self.summary, "\n".join(told).rstrip())

    @property
    def frame(self) -> int:
        """Characters of it without an entry."""
        return size(folded(self.summary, _MORE.format(len(self.entries)))) + 2


class Changes:
    """The last section of the comment."""

    def __init__(self, changes: Sequence[Change], preview: Preview) -> None:
        self._parts = [
            _Part(_summary(name, many), [_Entry(one, _title(one)) for one in _sorted(many)])
            for name, many in by_component(changes, preview.by_urn).items()
        ]
        created = sum(change.operation == "create" for change in changes)
        self._skipped = {"delete", "create"} if created > CREATED else {"delete"}

    def markdown(self, room: int) -> list[str]:
        """Parts of the comment, of at most so many characters with two line breaks each."""
        if not self._parts:
            return []
        room -= size(_TITLE) + 2 + size(_left_out(10**6, 10**6, 10**6)) + 2
        parts: list[_Part] = []
        for part in self._parts:
            if part.frame > room:
                break
            room -= part.frame
            parts.append(part)
        entries = sorted((one for part in parts for one in part.entries), key=_seriousness)
        room = _take(entries, room, _name)
        _take([one for one in entries if self._has_properties(one)], room, _describe)
        left = _left_out(
            components=len(self._parts) - len(parts),
            names=sum(not one.is_named for one in entries),
            properties=sum(one.is_cut for one in entries),
        )
        return [_TITLE, *(part.markdown() for part in parts), *([left] if left else [])]

    def _has_properties(self, entry: _Entry) -> bool:
        return entry.is_named and _operation(entry) not in self._skipped


def _take(entries: Sequence[_Entry], room: int, add: Callable[[_Entry, int], int]) -> int:
    """The room that is left when as many as possible have been given what `add` adds."""
    for one in entries:
        room -= add(one, room)
    return room


def _name(entry: _Entry, room: int) -> int:
    needed = size(entry.title) + 1
    entry.is_named = needed <= room
    return needed if entry.is_named else 0


def _describe(entry: _Entry, room: int) -> int:
    # With room for no block at all there is no need to make one.
    found = lines(differences(entry.change)) if room >= _SMALLEST else ["?"]
    if not found:
        return 0
    told = block(found, "diff")
    needed = size(told) + 3
    entry.is_cut = needed > room or room < _SMALLEST
    if entry.is_cut:
        return 0
    entry.properties = told
    return needed


def _left_out(components: int, names: int, properties: int) -> str:
    told = [
        *([counted(components, "component")] if components else []),
        *([f"the names of {counted(names, 'resource')}"] if names else []),
        *([f"the properties of {counted(properties, 'resource')}"] if properties else []),
    ]
    if not told:
        return ""
    return (
        f"Left out, for a comment has its limits: {', '.join(told)}. "
        "`pulumi preview --diff` shows all."
    )


def _title(change: Change) -> str:
    because = ""
    if change.operation == "replace" and change.replace_reasons:
        because = f", because of {codes(change.replace_reasons)}"
    return f"- **{change.operation}** {resource(change)}{because}"


def _summary(name: str, changes: Sequence[Change]) -> str:
    count = Counter(change.operation for change in changes)
    told = ", ".join(f"{count[one]:,} to {one}" for one in _SERIOUS if count[one])
    return f"{in_html(name) if name else 'in no component'}: {told}"


def _operation(entry: _Entry) -> str:
    return entry.change.operation


def _seriousness(entry: _Entry) -> int:
    return _SERIOUS.index(_operation(entry))


def _sorted(changes: Sequence[Change]) -> list[Change]:
    # The engine's own order is another one in each run.
    return sorted(changes, key=lambda one: (_SERIOUS.index(one.operation), one.type, one.name))
