"""Reads a source document and tracks what was read, so that no field is lost unnoticed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from frugal_eks.migrate.notes import Note

_Keys = tuple[str | int, ...]
UNKNOWN = "has no place in the stack file"


class ShapeError(Exception):
    """A field that violates its API: path and problem."""

    def __init__(self, path: str, problem: str, keys: _Keys = ()) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.keys = keys
        """Path into the document as keys, which gives the line."""


class Reader:
    """A mapping of a document. Readers of one document share what was read."""

    def __init__(
        self, value: Mapping[str, Any], keys: _Keys = (), read: set[_Keys] | None = None
    ) -> None:
        self.value = value
        self._keys = keys
        self._read: set[_Keys] = set() if read is None else read

    @property
    def path(self) -> str:
        """Path of this part, such as `spec.taints[0]`; empty for the document."""
        return written(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def keys(self) -> list[str]:
        """Keys in the order of the document."""
        return list(self.value)

    def take(self, key: str, default: Any = None) -> Any:
        """Takes a plain value with all below it: from here on the converter is responsible for
        it.
        """
        if key not in self.value:
            return default
        way = (*self._keys, key)
        # An empty mapping is a leaf as well.
        self._read.update(way + inner for inner, _ in leaves(self.value[key]))
        return self.value[key]

    def text(self, key: str, default: str | None = None) -> Any:
        """Takes a text or a number, as text. Raises ShapeError for other types."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, Mapping | list):
            raise ShapeError(self._at(key), "must be a text", (*self._keys, key))
        return value if isinstance(value, str) else _plain(value)

    def texts(self, key: str) -> list[str]:
        """Takes a list of texts, empty if absent. Raises ShapeError for other types.
        A single text counts as a list of one.
        """
        value = self.take(key)
        items = cast(list[Any], value) if isinstance(value, list) else [value]
        if any(isinstance(item, Mapping | list) for item in items):
            raise ShapeError(self._at(key), "must be a list of texts", (*self._keys, key))
        return [
            item if isinstance(item, str) else _plain(item) for item in items if item is not None
        ]

    def labels(self, key: str) -> dict[str, str]:
        """Takes a mapping of texts, empty if absent. Raises ShapeError."""
        below = self.part(key)
        return {label: below.text(label) or "" for label in below.value}

    def number(self, key: str) -> int | None:
        """Takes a whole number, None if absent. Raises ShapeError for other types."""
        value = self.take(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise ShapeError(self._at(key), "must be a whole number", (*self._keys, key))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Takes true or false, the default if absent. Raises ShapeError for other types."""
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            raise ShapeError(self._at(key), "must be true or false", (*self._keys, key))
        return default if value is None else value

    def expect(self, key: str, *values: Any) -> bool:
        """Takes the key if its value is one of those that every stack has, and returns True.
        Otherwise the key stays unread, and is reported.
        """
        if key in self.value and any(_same(self.value[key], value) for value in values):
            self.take(key)
            return True
        return False

    def part(self, key: str) -> "Reader":
        """Reader of the mapping below a key, empty if absent. Raises ShapeError for other types."""
        value = self.value.get(key)
        way = (*self._keys, key)
        if value is None or value == {}:
            self.take(key)
            return Reader({}, way, self._read)
        if not isinstance(value, Mapping):
            raise ShapeError(self._at(key), "must be keys with values", way)
        return Reader(cast(Mapping[str, Any], value), way, self._read)

    def parts(self, key: str) -> "list[Reader]":
        """Readers of the mappings in a list, none if absent. Raises ShapeError."""
        value = self.value.get(key)
        way = (*self._keys, key)
        if value is None or value == []:
            self.take(key)
            return []
        if not isinstance(value, list):
            raise ShapeError(self._at(key), "must be a list", way)
        items = cast(list[Any], value)
        for number, item in enumerate(items):
            if not isinstance(item, Mapping):
                raise ShapeError(f"{self._at(key)}[{number}]", "must be keys with values", way)
        return [Reader(item, (*way, number), self._read) for number, item in enumerate(items)]

    def note(self, key: str, text: str) -> list[Note]:
        """Takes the key and notes why it has no place; nothing if it is absent."""
        if key not in self.value:
            return []
        return [Note(self._at(key), text, self.take(key))]

    def fixed(self, key: str, text: str, *values: Any) -> list[Note]:
        """Takes the key; notes it unless its value is one of those that every stack has."""
        return [] if self.expect(key, *values) else self.note(key, text)

    def rest(self, text: str = UNKNOWN) -> list[Note]:
        """Takes everything unread below this part, with a note for each."""
        notes: list[Note] = []
        for way, value in self._untouched(self.value, self._keys):
            self._read.update(way + inner for inner, _ in leaves(value))
            notes.append(Note(written(way), text, value))
        return notes

    def _untouched(self, value: Any, way: _Keys) -> Iterator[tuple[_Keys, Any]]:
        below = [way + inner for inner, _ in leaves(value)]
        if not self._read.intersection(below):
            # An absent part reads as an empty one; a document is more than one thing.
            if value != {} and way:
                yield way, value
                return
        elif self._read.issuperset(below):
            return
        for key, inner in _inside(value):
            yield from self._untouched(inner, (*way, key))

    def _at(self, key: str) -> str:
        return written((*self._keys, key))


def leaves(value: Any) -> Iterator[tuple[_Keys, Any]]:
    """Each leaf (a scalar, or an empty mapping or list) with the keys that lead to it."""
    inside = list(_inside(value))
    if not inside:
        yield (), value
    for key, inner in inside:
        yield from (((key, *way), leaf) for way, leaf in leaves(inner))


def _inside(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, Mapping):
        yield from cast(Mapping[str, Any], value).items()
    elif isinstance(value, list):
        yield from enumerate(cast(Sequence[Any], value))


def written(keys: _Keys) -> str:
    """Keys as a path, such as `spec.taints[0].key`."""
    path = ""
    for key in keys:
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key
    return path


def _same(left: Any, right: Any) -> bool:
    # True equals 1 in Python, and not in a manifest.
    return type(left) is type(right) and left == right


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
