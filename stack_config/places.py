"""Places in a stack file by their path, and what may be written there."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from stack_config.schema import PROJECT, Schema

NAME = "NAME"
"""Placeholder in a path for a name of the user's choice."""
_ANY = ("*", NAME)
_WORDS = {
    "boolean": "true | false",
    "integer": "whole number",
    "number": "number",
    "object": "keys",
    "string": "text",
}


class UnknownPathError(Exception):
    """No stack file has this path; the message says what there is instead."""


class Place(NamedTuple):
    """A key of a stack file, or an item below one."""

    path: str
    """Path in the file's own spelling, `karpenter.nodePools.NAME.disruption`; empty: the whole
    file.
    """
    node: Schema
    """JSON schema of the place, with its `$ref` and `anyOf` unresolved."""


class Row(NamedTuple):
    """One key of a section, as the explanation shows it."""

    key: str
    kind: str
    """Possible values, in words."""
    default: str
    """Default as YAML, or `required`; empty if there is none."""
    why: str


class Places:
    """All places of a stack file, by its plain schema."""

    def __init__(self, schema: Schema) -> None:
        self.root = Place("", schema)
        self._sections: Mapping[str, Schema] = schema["$defs"]

    def find(self, path: str) -> Place:
        """The place of a path. `*`, or any name, stands where names are free; items of a list need
        no index. Raises UnknownPathError.
        """
        place = self.root
        for part in re.findall(r"[^.\[\]]+", path.removeprefix(f"{PROJECT}:")):
            place = self._below(place, part)
        return place

    def sections(self, place: Place) -> list[Schema]:
        """Sections that may be written at a place; several are alternatives. A list has those of
        its items.
        """
        return [node for node in self._shapes(place.node) if "properties" in node]

    def entry(self, place: Place) -> Place:
        """The place where keys begin: below names of the user's choice, if the place has such
        names.
        """
        for node in self._alternatives(place.node):
            below = node.get("additionalProperties")
            if isinstance(below, dict) and not self.sections(place):
                return self.entry(Place(f"{place.path}.{NAME}", below))
        return place

    def rows(self, section: Schema) -> Iterator[Row]:
        """The keys of a section."""
        needed = section.get("required", ())
        for key, node in section["properties"].items():
            default = "required" if key in needed else self.default(node)
            yield Row(key, self.kind(node), default, node.get("description", ""))

    def default(self, node: Schema) -> str:
        """Default as YAML on one line; empty if there is none."""
        default = node.get("default")
        if default is None or default in ({}, []):
            return ""
        return _flow(default)

    def kind(self, node: Schema) -> str:
        """Possible values, in words."""
        words = dict.fromkeys(self._word(each) for each in self._alternatives(node))
        return " or ".join(words)

    def title(self, node: Schema) -> str:
        """Title of the section; empty if there is none or more than one."""
        titles = [each["title"] for each in self._alternatives(node) if "properties" in each]
        return titles[0] if len(titles) == 1 else ""

    def _below(self, place: Place, part: str) -> Place:
        shapes = list(self._shapes(place.node))
        matching = [
            node["properties"][part] for node in shapes if part in node.get("properties", {})
        ]
        if matching:
            return Place(f"{place.path}.{part}".lstrip("."), _either(matching))
        entry = self.entry(place)
        if entry != place:
            if any(part in section["properties"] for section in self.sections(entry)):
                return self._below(entry, part)
            return entry
        if part in _ANY or part.isdecimal():
            items = [node["items"] for node in self._alternatives(place.node) if "items" in node]
            if items:
                return Place(f"{place.path}[]", _either(items))
        raise UnknownPathError(self._unknown(place, part))

    def _unknown(self, place: Place, part: str) -> str:
        keys = [key for section in self.sections(place) for key in section["properties"]]
        where = place.path or "A stack file"
        if not keys:
            return f"{where} has no keys below it: it is {self.kind(place.node)}"
        lower = {key.lower(): key for key in keys}
        near = difflib.get_close_matches(part.lower(), lower, n=2, cutoff=0.6)
        if near:
            meant = " or ".join(lower[each] for each in near)
            return f"{where} has no key {part}: did you mean {meant}?"
        return f"{where} has no key {part}: it has {', '.join(keys)}"

    def _shapes(self, node: Schema) -> Iterator[Schema]:
        """All alternatives, including those of a list's items."""
        for each in self._alternatives(node):
            yield each
            if "items" in each:
                yield from self._shapes(each["items"])

    def _alternatives(self, node: Schema) -> Iterator[Schema]:
        if "$ref" in node:
            yield from self._alternatives(self._sections[node["$ref"].rpartition("/")[2]])
        elif "anyOf" in node:
            for each in node["anyOf"]:
                yield from self._alternatives(each)
        else:
            yield node

    def _word(self, node: Schema) -> str:
        values = [node["const"]] if "const" in node else node.get("enum")
        if values:
            return " | ".join(map(str, values))
        kind = node.get("type")
        if kind == "array":
            return f"list of {self.kind(node['items'])}"
        if kind == "object" and "properties" not in node:
            return f"names → {self.kind(node['additionalProperties'])}"
        # What `kind` may be else: a list of kinds, or nothing at all.
        word = _WORDS.get(str(kind), "number or text" if kind else "anything")
        return word + _bounds(node) if kind in ("integer", "number") else word + _such_as(node)


def _either(nodes: Sequence[Schema]) -> Schema:
    if len(nodes) == 1:
        return nodes[0]
    common = {key: nodes[0][key] for key in ("description", "default") if key in nodes[0]}
    return common | {"anyOf": list(nodes)}


def _bounds(node: Schema) -> str:
    low = node.get("minimum", node.get("exclusiveMinimum"))
    high = node.get("maximum")
    if low is None and high is None:
        return ""
    if high is None:
        return f" above {low}" if "exclusiveMinimum" in node else f" from {low}"
    return f" to {high}" if low is None else f", {low} to {high}"


def _such_as(node: Schema) -> str:
    examples = node.get("examples", ())
    return f" such as {', '.join(examples)}" if examples else ""


def _flow(value: Any) -> str:
    """A value as YAML on one line, with braces."""
    if isinstance(value, Mapping):
        items = cast(Mapping[str, Any], value).items()
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, cast(list[Any], value))) + "]"
    is_plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w./@-]*|[0-9]+[A-Za-z]+", value)
    return str(value) if is_plain else json.dumps(value)
