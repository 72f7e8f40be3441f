"""Wording of mistakes in a stack file: path, problem, remedy, value."""

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any, cast, get_args

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from components.section import Mistake, Section

REMEDIES = {
    "missing": "add it",
    "string_pattern_mismatch": "write it in this form",
    "literal_error": "choose one of these",
    "enum": "choose one of these",
    "too_short": "add what is missing",
    "too_long": "take some away",
    "string_too_long": "shorten it",
    "less_than_equal": "lower it",
    "greater_than": "raise it",
    "greater_than_equal": "raise it",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "int_parsing": "write a whole number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "string_type": "write it as text, in quotes where it looks like a number",
    "model_type": "write it as keys with values; `{}` is all defaults",
    "mapping_type": "write it as keys with values",
    "dict_type": "write it as keys with values",
    "tuple_type": "write it as a list",
    "ip_v4_network": "write it as address/length, for example 10.20.0.0/16",
}
"""What to do, by pydantic's error type; pydantic's own messages do not say."""

# A union's tag is no key of the file.
_TAGS = {
    "cluster": {"new", "existing"},
    "network": {"new", "existing"},
    "network.availabilityZones": {"count", "names"},
    "addons.nodeTerminationHandler": {"queue", "imds"},
}


def real(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Pydantic's errors without those that only follow from others."""
    return [error for error in errors if not _counts_refused_items(error)]


def mistakes(detail: ErrorDetails, root: type[Section]) -> Iterator[Mistake]:
    """The mistakes behind one of pydantic's errors, in the file's own words; `root` is the whole
    file's model.
    """
    path = _path(detail["loc"])
    if detail["type"] == "rules":
        for mistake in detail.get("ctx", {})["mistakes"]:
            yield mistake._replace(path=".".join(filter(None, (path, mistake.path))))
        return
    if detail["type"] == "extra_forbidden":
        problem = f"unknown key: {_suggestion(detail['loc'], root)}"
        yield Mistake(path, problem, detail["input"])
        return
    problem = detail["msg"]
    remedy = REMEDIES.get(detail["type"])
    if remedy is None and detail["type"].startswith("ip_v4_network"):
        remedy = REMEDIES["ip_v4_network"]
    value = None if detail["type"] == "missing" else detail["input"]
    yield Mistake(path, f"{problem}: {remedy}" if remedy else problem, value)


def _counts_refused_items(detail: ErrorDetails) -> bool:
    """True if pydantic calls a list too short only because it left out an item that it refused."""
    if detail["type"] != "too_short" or not isinstance(detail["input"], Sequence):
        return False
    return len(cast(Sequence[Any], detail["input"])) >= detail.get("ctx", {})["min_length"]


def line(mistake: Mistake) -> str:
    """A mistake as it is printed; a section's whole content would hide the rule and is left out."""
    shown = None if isinstance(mistake.value, dict | list) else mistake.value
    got = "" if shown is None else f" (got {json.dumps(shown, ensure_ascii=False)})"
    return f"  {mistake.path}: {mistake.problem}{got}"


def _path(location: Sequence[str | int]) -> str:
    path = ""
    for part in location:
        if part in _TAGS.get(path, ()) or part == "[key]":
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _suggestion(location: Sequence[str | int], root: type[Section]) -> str:
    """Suggests the key of the same section that is most like the unknown one, if any is."""
    *way, key = location
    here = [root]
    for part in way:
        # What is no key of theirs is a name, an index or a tag on the way into them.
        fields = [f for section in here for f in _fields(section) if f.alias == part]
        here = [inner for field in fields for inner in _sections(field.annotation)] or here
    known = {field.alias or "" for section in here for field in _fields(section)}
    close = difflib.get_close_matches(str(key), known, n=1)
    return f"did you mean {close[0]}?" if close else "correct or drop it"


def _sections(annotation: Any) -> Iterator[type[Section]]:
    """Sections in the type of a field."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from _sections(part)


def _fields(section: type[Section]) -> Iterator[FieldInfo]:
    yield from section.model_fields.values()
