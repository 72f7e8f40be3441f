"""Checks and converts values by AWS's published request shapes (botocore)."""

import datetime
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi.runtime.rpc import UNKNOWN

from rehearsal.aws.provider.plain import is_list, is_object

# How services name a value that they refuse.
REFUSAL = {
    "ec2": "InvalidParameterValue",
    "eks": "InvalidParameterException",
    "iam": "ValidationError",
    "logs": "InvalidParameterException",
    "sqs": "InvalidAttributeValue",
}
_NUMBERS = ("integer", "long", "float", "double")


class UnknownMember(LookupError):
    """A nested name for which AWS has no parameter; the text is its path."""


def lower_first(name: str) -> str:
    """AWS's name in the SDK's spelling: VpcId becomes vpcId."""
    return name[:1].lower() + name[1:]


def member_name(shape: Any, name: str, names: Mapping[str, str]) -> str | None:
    """AWS's name of a structure's member from the SDK's name; None if there is none."""
    wanted = names.get(name, name)
    for spelling in (wanted, wanted[:1].upper() + wanted[1:]):
        if spelling in shape.members:
            return spelling
    folded = {member.lower(): member for member in shape.members}
    return folded.get(wanted.lower())


def shape_at(shape: Any, path: str) -> Any:
    """Shape at a dotted path; None if the operation has no such parameter."""
    for part in path.split("."):
        if shape.type_name == "list":
            shape = shape.member
        if shape.type_name == "map":
            shape = shape.value
        elif shape.type_name == "structure" and (name := member_name(shape, part, {})):
            shape = shape.members[name]
        else:
            return None
    return shape


def to_api(value: Any, shape: Any, names: Mapping[str, str], path: str) -> Any:
    """The SDK's nested value in AWS's spelling and types.

    Raises UnknownMember for a name that AWS has no parameter for.
    """
    if value is None or value == UNKNOWN:
        return value
    kind = shape.type_name
    if kind == "structure" and is_object(value):
        converted: dict[str, Any] = {}
        for key, item in value.items():
            if (member := member_name(shape, key, names)) is None:
                raise UnknownMember(f"{path}.{key}")
            if item is not None:
                converted[member] = to_api(item, shape.members[member], names, f"{path}.{key}")
        return converted
    if kind == "list" and is_list(value):
        items = enumerate(value)
        return [to_api(item, shape.member, names, f"{path}[{i}]") for i, item in items]
    if kind == "map" and is_object(value):
        return {k: to_api(item, shape.value, names, f"{path}.{k}") for k, item in value.items()}
    return _scalar(value, kind)


def _scalar(value: Any, kind: str) -> Any:
    if kind == "string" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "string" and isinstance(value, int | float):
        return str(value)
    if kind in _NUMBERS and isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    if kind == "boolean" and value in {"true", "false"}:
        return value == "true"
    return value


def from_api(value: Any, names: Mapping[str, str], shape: Any = None) -> Any:
    """A nested value of AWS in the SDK's spelling; times as ISO 8601, keys of a map unchanged."""
    kind = getattr(shape, "type_name", "")
    if is_object(value) and kind == "map":
        return {key: from_api(item, names, shape.value) for key, item in value.items()}
    if is_object(value):
        ours = {api: our for our, api in names.items()}
        members: dict[str, Any] = shape.members if kind == "structure" else {}
        return {
            ours.get(key, ours.get(lower_first(key), lower_first(key))): from_api(
                item, names, members.get(key)
            )
            for key, item in value.items()
        }
    if is_list(value):
        inner = shape.member if kind == "list" else None
        return [from_api(item, names, inner) for item in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    """Errors with which AWS would answer this value, in its words; none for a good or unknown
    value.
    """
    if value is None or value == UNKNOWN:
        return
    match shape.type_name:
        case "structure":
            yield from _structure_refusals(value, shape, service, where)
        case "list":
            yield from _list_refusals(value, shape, service, where)
        case "map":
            yield from _map_refusals(value, shape, service, where)
        case "string":
            yield from _text_refusals(value, shape, service, where)
        case kind if kind in _NUMBERS:
            yield from _range_refusals(value, shape, service, where)
        case "boolean" if not isinstance(value, bool):
            yield _wording(service, where, value, "must be true or false")
        case _:
            pass


def _list_refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    if not is_list(value):
        yield _wording(service, where, value, "must be a list")
        return
    yield from _size_refusals(len(value), value, shape, service, where)
    for index, item in enumerate(value):
        yield from refusals(item, shape.member, service, f"{where}[{index}]")


def _map_refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    if not is_object(value):
        yield _wording(service, where, value, "must be a map")
        return
    yield from _size_refusals(len(value), value, shape, service, where)
    for key, item in value.items():
        yield from refusals(key, shape.key, service, f"{where} (key)")
        yield from refusals(item, shape.value, service, f"{where}.{key}")


def _structure_refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    if not is_object(value):
        yield _wording(service, where, value, "must be an object")
        return
    for name in shape.required_members:
        if name not in value:
            yield f"MissingParameter: the argument {where}.{lower_first(name)} is required"
    for name, item in value.items():
        if name in shape.members:
            inner = f"{where}.{lower_first(name)}"
            yield from refusals(item, shape.members[name], service, inner)


def _text_refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield _wording(service, where, value, "must be a text")
        return
    yield from _size_refusals(len(value), value, shape, service, where)
    if shape.enum and value not in shape.enum:
        allowed = ", ".join(shape.enum)
        yield _wording(service, where, value, f"Member must satisfy enum value set: [{allowed}]")
    pattern = shape.metadata.get("pattern")
    if pattern and not _matches(pattern, value):
        rule = f"Member must satisfy regular expression pattern: {pattern}"
        yield _wording(service, where, value, rule)


def _matches(pattern: str, value: str) -> bool:
    # The published patterns are Java's: what Python's re cannot read (\p{L}) is read by `regex`,
    # which takes its time to import.
    if r"\p" not in pattern:
        try:
            return re.fullmatch(pattern, value) is not None
        except re.error:
            pass
    import regex  # noqa: PLC0415

    try:
        return regex.fullmatch(pattern, value) is not None
    except regex.error:
        return True


def _size_refusals(size: int, value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        rule = f"Member must have length greater than or equal to {low}"
        yield _wording(service, where, value, rule)
    if high is not None and size > high:
        rule = f"Member must have length less than or equal to {high}"
        yield _wording(service, where, value, rule)


def _range_refusals(value: Any, shape: Any, service: str, where: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield _wording(service, where, value, "must be a number")
        return
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and value < low:
        rule = f"Member must have value greater than or equal to {low}"
        yield _wording(service, where, value, rule)
    if high is not None and value > high:
        rule = f"Member must have value less than or equal to {high}"
        yield _wording(service, where, value, rule)


def _wording(service: str, where: str, value: Any, rule: str) -> str:
    code = REFUSAL.get(service, "ValidationException")
    shown = textwrap.shorten(str(value), 100, placeholder="...")
    return f"{code}: Value '{shown}' at '{where}' failed to satisfy constraint: {rule}"
