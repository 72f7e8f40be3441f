"""Wording of mistakes in a stack file: path, problem, remedy, value."""

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
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

_ASSUMED_ROLE = re.compile(
    r"arn:(?P<partition>aws[a-z-]*):sts::(?P<account>\d{12}):assumed-role/(?P<role>[^/]+)/.+"
)
"""What `aws sts get-caller-identity` prints of somebody who assumed a role."""
_TOP_OF_A_VARIANT = 3
"""Length of the location of a key in a section that is a union: section, tag, key."""
# A union's tag is no key of the file.
_TAGS = {
    "cluster": {"new", "existing"},
    "network": {"new", "existing"},
    "network.availabilityZones": {"count", "names"},
    "addons.nodeTerminationHandler": {"queue", "imds"},
}


_VARIANTS = {
    "cluster": ("existing", "names a cluster that is there already"),
    "network": ("vpcId", "names a VPC that is there already"),
}
"""Sections that either make something or name it: the key that names it, and its meaning."""


def contradictions(
    errors: Sequence[ErrorDetails], root: type[Section]
) -> tuple[list[Mistake], list[ErrorDetails]]:
    """One mistake for each section that both makes a thing and names an existing one, and the
    errors that do not follow from it. `root` is the whole file's model.
    """
    merged: list[Mistake] = []
    rest = list(errors)
    for section, (key, meaning) in _VARIANTS.items():
        inside = [error for error in rest if error["loc"][:2] == (section, "existing")]
        others = [
            str(error["loc"][2])
            for error in inside
            if error["type"] == "extra_forbidden"
            and len(error["loc"]) == _TOP_OF_A_VARIANT
            and error["loc"][2] in _known(error["loc"][:2], root)
        ]
        if others:
            problem = (
                f"{meaning}, and {', '.join(others)} would make another one: drop {key}, or drop "
                f"{'that key' if len(others) == 1 else 'those keys'}"
            )
            merged.append(Mistake(f"{section}.{key}", problem))
            follow = ("extra_forbidden", "missing")
            rest = [each for each in rest if each not in inside or each["type"] not in follow]
    return merged, rest


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
        problem = f"unknown key: {_remedy_of_unknown(detail, root)}"
        yield Mistake(path, problem, detail["input"])
        return
    value = None if detail["type"] == "missing" else detail["input"]
    yield Mistake(path, _in_own_words(detail) or _problem(detail), value)


def _problem(detail: ErrorDetails) -> str:
    kind = "ip_v4_network" if detail["type"].startswith("ip_v4_network") else detail["type"]
    remedy = REMEDIES.get(kind)
    return f"{detail['msg']}: {remedy}" if remedy else detail["msg"]


def _in_own_words(detail: ErrorDetails) -> str | None:
    """Problem and remedy where pydantic's words would mislead; None elsewhere."""
    value = detail["input"]
    match detail["type"]:
        case "model_type" if value is False:
            return "is no switch: remove the key, which turns it off"
        case "model_type" if value is True:
            return "is no switch: write `{}`, which is on with all defaults"
        case "too_short" if not value:
            return "is empty: write at least one"
        case kind if kind.startswith("ip_v4_network") and isinstance(value, str):
            network = _network_of(value)
            return network and f"has bits of a host: write {network}"
        case "string_pattern_mismatch" if role := _ASSUMED_ROLE.fullmatch(str(value)):
            return f"is a session of a role: write the role's own ARN, {_role_arn(role)}"
        case _:
            return None


def _network_of(address: str) -> str | None:
    """The network that an address with its length lies in; None where it is none."""
    try:
        return str(IPv4Network(address, strict=False)) if "/" in address else None
    except ValueError:
        return None


def _role_arn(session: re.Match[str]) -> str:
    return f"arn:{session['partition']}:iam::{session['account']}:role/{session['role']}"


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


def _remedy_of_unknown(detail: ErrorDetails, root: type[Section]) -> str:
    """Remedy of a key that its section does not have: the key most like it, if any is."""
    *way, key = detail["loc"]
    if key == "enabled" and way:
        off = str(detail["input"]).lower() == "false"
        return f"remove {way[-1]}, which turns it off" if off else "drop it, since {} is on already"
    close = difflib.get_close_matches(str(key), _known(way, root), n=1)
    return f"did you mean {close[0]}?" if close else "correct or drop it"


def _known(way: Sequence[str | int], root: type[Section]) -> set[str]:
    """Keys of the sections at a location, of all variants of a union."""
    here = [root]
    for part in way:
        # What is no key of theirs is a name, an index or a tag on the way into them.
        fields = [f for section in here for f in _fields(section) if f.alias == part]
        here = [inner for field in fields for inner in _sections(field.annotation)] or here
    return {field.alias or "" for section in here for field in _fields(section)}


def _sections(annotation: Any) -> Iterator[type[Section]]:
    """Sections in the type of a field."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from _sections(part)


def _fields(section: type[Section]) -> Iterator[FieldInfo]:
    yield from section.model_fields.values()
