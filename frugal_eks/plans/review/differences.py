"""Differences between a resource before and after a change, down to single values."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from typing import Any

from frugal_eks.plans.json_values import elements, mapping, parsed
from frugal_eks.plans.previews import SECRET, UNKNOWN, Change
from frugal_eks.plans.review import secrets


class Absent(Enum):
    """Marker for a property that does not exist."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
_PLAIN = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_STEP = re.compile(r'\[(?P<index>\d+)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|(?P<name>[^.\[\]]+)')
_MATCHED = 200
"""Longest lists whose elements are aligned; longer ones are compared by position."""


@dataclass(frozen=True)
class Difference:
    """One value that differs, without secrets."""

    path: str
    """Path as Pulumi spells it: `spec.tags["a.b/c"]`, `ingress[0].cidrBlocks`."""
    old: Any
    """ABSENT if there was no such property."""
    new: Any
    """ABSENT if there will be no such property; UNKNOWN if it is known only after `up`."""


def differences(change: Change) -> list[Difference]:
    """Differences of a change: for an update or a replacement the properties that the provider
    names, else all.
    """
    old = secrets.inputs(change.old)
    new = secrets.inputs(change.new)
    if not (change.diffs and change.old and change.new):
        return list(compare(old, new))
    result: list[Difference] = []
    for top, paths in _by_top(change.diffs).items():
        inside = list(compare(old.get(top, ABSENT), new.get(top, ABSENT), _joined("", top)))
        result += inside
        # What differs as a secret, or only from what was read in the account, inputs do not show.
        for path in paths:
            read = _read(change, new, path)
            if not inside or (SECRET in (read.old, read.new) and read.old == read.new):
                result.append(read)
    return result


def compare(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """Values in which two sides differ. None counts as absent."""
    old = ABSENT if old is None else old
    new = ABSENT if new is None else new
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _mappings(mapping(old), mapping(new), path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lists(elements(old), elements(new), path)
    elif not _same_json(old, new):
        yield Difference(path, old, new)


def at(value: Any, path: str) -> Any:
    """The value at a path, or ABSENT."""
    for step in _STEP.finditer(path):
        if step["index"] is not None:
            element = elements(value)[int(step["index"]) :][:1]
            value = element[0] if element else ABSENT
        else:
            name = step["name"] or re.sub(r"\\(.)", r"\1", step["quoted"] or "")
            value = mapping(value).get(name, ABSENT)
    return value


def _mappings(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[Difference]:
    for name in dict.fromkeys([*old, *new]):
        if not name.startswith("__"):
            yield from compare(old.get(name, ABSENT), new.get(name, ABSENT), _joined(path, name))


def _lists(old: list[Any], new: list[Any], path: str) -> Iterator[Difference]:
    left, right = [_text(item) for item in old], [_text(item) for item in new]
    if len(old) + len(new) > _MATCHED:
        parts = [("replace", 0, len(old), 0, len(new))]
    else:
        parts = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    for tag, start, end, other, other_end in parts:
        if tag == "equal":
            continue
        pairs = min(end - start, other_end - other)
        for i in range(pairs):
            yield from compare(old[start + i], new[other + i], f"{path}[{other + i}]")
        for i in range(start + pairs, end):
            yield Difference(f"{path}[{i}]", old[i], ABSENT)
        for i in range(other + pairs, other_end):
            yield Difference(f"{path}[{i}]", ABSENT, new[i])


def _by_top(paths: Mapping[str, Any]) -> dict[str, list[str]]:
    by_top: dict[str, list[str]] = {}
    for path in paths:
        step = _STEP.match(path)
        top = (step["name"] or step["quoted"] or path) if step else path
        if not top.startswith("__"):
            by_top.setdefault(top, []).append(path)
    return by_top


def _read(change: Change, new: Mapping[str, Any], path: str) -> Difference:
    there: Any = secrets.masked(change.old.outputs) if change.old else {}
    old, wanted = at(there, path), at(new, path)
    if path == "" or old is ABSENT:
        old = at(secrets.inputs(change.old), path)
    return Difference(path, old, wanted)


def _joined(path: str, name: str) -> str:
    if not _PLAIN.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def _same_json(old: Any, new: Any) -> bool:
    if not (isinstance(old, str) and isinstance(new, str)) or UNKNOWN in (old, new):
        return False
    if not (old.startswith(("{", "[")) and new.startswith(("{", "["))):
        return False
    read = parsed(old)
    return read is not None and read == parsed(new)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
