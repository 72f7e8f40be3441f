"""Reads a source document and remembers what was read, so that no field gets lost unseen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from frugal_eks.migrate.notes import Note

_Keys = tuple[str | int, ...]
UNKNOWN = "has no place in the stack file"


class ShapeError(Exception):
    """A field that is not what its API says: `path` and what is wrong with it."""

    def __init__(self, path: str, problem: str, keys: _Keys = ()) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.keys = keys
        """Its way into the document, by which its line is found."""


class Reader:
    """A mapping of a document, by its keys. Parts of one document share what was read."""

    def __init__(
        self, value: Mapping[str, Any], keys: _Keys = (), read: set[_Keys] | None = None
    ) -> None:
        self.value = value
        self._keys = keys
        self._read: set[_Keys] = set() if read is None else read

    @property
    def path(self) -> str:
        """Where this part stands: `spec.taints[0]`; empty: the document."""
        return written(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def keys(self) -> list[str]:
        """In the order of the document."""
        return list(self.value)

    def take(self, key: str, default: Any = None) -> Any:
        """The plain value with all that is below it: from here on the converter answers for it."""
        if key not in self.value:
            return default
        way = (*self._keys, key)
        # An empty mapping is a leaf as well.
        self._read.update(way + inner for inner, _ in leaves(self.value[key]))
        return self.value[key]

    def text(self, key: str, default: str | None = None) -> Any:
        """The value where it is a text or a number, as text; raises ShapeError for others."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, Mapping | list):
            raise ShapeError(self._at(key), "must be a text", (*self._keys, key))
        return value if isinstance(value, str) else _plain(value)

    def texts(self, key: str) -> list[str]:
        """The list of texts below a key, empty where there is none; raises ShapeError for others.

        One text alone stands for a list of it.
        """
        value = self.take(key)
        items = cast(list[Any], value) if isinstance(value, list) else [value]
        if any(isinstance(item, Mapping | list) for item in items):
            raise ShapeError(self._at(key), "must be a list of texts", (*self._keys, key))
        return [
            item if isinstance(item, str) else _plain(item) for item in items if item is not None
        ]

    def labels(self, key: str) -> dict[str, str]:
        """The mapping of texts below a key, empty where there is none; raises ShapeError."""
        below = self.part(key)
        return {label: below.text(label) or "" for label in below.value}

    def number(self, key: str) -> int | None:
        """The whole number, None where there is none; raises ShapeError for others."""
        value = self.take(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise ShapeError(self._at(key), "must be a whole number", (*self._keys, key))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false, the default where there is neither; raises ShapeError for others."""
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            raise ShapeError(self._at(key), "must be true or false", (*self._keys, key))
        return default if value is None else value

    def expect(self, key: str, *values: Any) -> bool:
        """Takes the key where its value is one of those that hold in every stack; else it stays
        unread, and is reported. Whether it was there with one of them."""
        if key in self.value and any(_same(self.value[key], value) for value in values):
            self.take(key)
            return True
        return False

    def part(self, key: str) -> "Reader":
        """The mapping below a key, empty where there is none; raises ShapeError for others."""
        value = self.value.get(key)
        way = (*self._keys, key)
        if value is None or value == {}:
            self.take(key)
            return Reader({}, way, self._read)
        if not isinstance(value, Mapping):
            raise ShapeError(self._at(key), "must be keys with values", way)
        return Reader(cast(Mapping[str, Any], value), way, self._read)

    def parts(self, key: str) -> "list[Reader]":
        """The mappings of the list below a key, none where there is none; raises ShapeError."""
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
        """Takes the key and says why it has no place; nothing where it is absent."""
        if key not in self.value:
            return []
        return [Note(self._at(key), text, self.take(key))]

    def fixed(self, key: str, text: str, *values: Any) -> list[Note]:
        """Takes the key; a note where its value is none of those that hold in every stack."""
        return [] if self.expect(key, *values) else self.note(key, text)

    def rest(self, text: str = UNKNOWN) -> list[Note]:
        """A note for each thing below this part of which nobody took anything, which takes it."""
        found: list[Note] = []
        for way, value in self._untouched(self.value, self._keys):
            self._read.update(way + inner for inner, _ in leaves(value))
            found.append(Note(written(way), text, value))
        return found

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
    """Each value that is neither a mapping nor a list, or an empty one, with its way there."""
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
    """`spec.taints[0].key`."""
    path = ""
    for key in keys:
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key
    return path


def _same(left: Any, right: Any) -> bool:
    # True equals 1 in Python, and not in a manifest.
    return type(left) is type(right) and left == right


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
