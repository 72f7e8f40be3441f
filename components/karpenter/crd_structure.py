"""Defaults and structure of a custom resource's schema, as the API server applies them."""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

Schema = Mapping[str, Any]
PathParts = Sequence[str | int]


class Finding(Protocol):
    """A jsonschema.ValidationError, as far as it is used: keyword, its value, what broke it."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Any
    message: str
    absolute_path: Iterable[str | int]


Checks = Callable[[Any], Iterator[Finding]]
Said = list[tuple[PathParts, str]]

# After these the API server evaluates no CEL rule: the rules may rely on types and required fields.
_BLOCKING = {"anyOf", "maxItems", "maxLength", "maxProperties", "required", "type"}


class StructureError(NamedTuple):
    """What the schema refuses and where; `blocks_rules`: no CEL rule is evaluated then."""

    path: str
    message: str
    blocks_rules: bool


def as_map(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def dotted(parts: PathParts, schema: Schema) -> str:
    """`spec.limits[cpu]`: a field after a dot, an index or the key of a map in brackets."""
    text, node = "", schema
    for part in parts:
        properties = as_map(node.get("properties"))
        if properties:
            text += f".{part}" if text else str(part)
            node = as_map(properties.get(str(part)))
        else:
            text += f"[{part}]"
            node = as_map(node.get("items")) or as_map(node.get("additionalProperties"))
    return text


def with_defaults(schema: Schema, value: Any) -> Any:
    """A copy with the schema's defaults, parents before children.

    A default below an absent parent is not applied. A null where none is allowed counts as absent.
    """
    if isinstance(value, list):
        items = as_map(schema.get("items"))
        return [with_defaults(items, item) for item in as_list(value)]
    if not isinstance(value, dict):
        return value

    filled = as_map(value).copy()
    properties = as_map(schema.get("properties"))
    for key, below in properties.items():
        if filled.get(key) is None and not below.get("nullable"):
            filled.pop(key, None)
            if "default" in below:
                filled[key] = copy.deepcopy(below["default"])
    others = as_map(schema.get("additionalProperties"))
    return {key: with_defaults(properties.get(key, others), item) for key, item in filled.items()}


def checks(schema: Schema) -> Checks:
    """Finds what breaks the schema; making it takes longer than using it."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 0.1 s that few programs need

    return cast("Any", Draft202012Validator(_closed(schema))).iter_errors


def errors(check: Checks, schema: Schema, value: Any) -> Iterator[StructureError]:
    """What the schema refuses, unknown fields included, in the order of the paths."""
    for found in sorted(
        check(value), key=lambda found: [str(part) for part in found.absolute_path]
    ):
        for below, message in _WORDS.get(found.validator, _as_jsonschema_says)(found):
            path = dotted([*found.absolute_path, *below], schema)
            yield StructureError(path, message, found.validator in _BLOCKING)


def _closed(schema: Any) -> Any:
    """The schema as it is meant: other than the listed fields is unknown, a set has no repetition.

    An object with free keys says so by additionalProperties or preserve-unknown-fields.
    """
    if isinstance(schema, list):
        return [_closed(item) for item in as_list(schema)]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in as_map(schema).items()}
    if closed.get("x-kubernetes-list-type") == "set":
        closed["uniqueItems"] = True
    open_ended = {"additionalProperties", "x-kubernetes-preserve-unknown-fields"}
    if isinstance(closed.get("properties"), dict) and not open_ended & closed.keys():
        closed["additionalProperties"] = False
    return closed


def _as_jsonschema_says(found: Finding) -> Said:
    return [([], found.message)]


def _unknown_fields(found: Finding) -> Said:
    unknown = sorted(as_map(found.instance).keys() - as_map(found.schema["properties"]).keys())
    return [([key], "unknown field, remove it or correct its spelling") for key in unknown]


def _required(found: Finding) -> Said:
    """jsonschema reports each missing field by itself, and names it in its message only."""
    missing = [key for key in found.validator_value if found.message.startswith(repr(key))]
    return [([key], "required value") for key in missing]


def _bound(words: str) -> Callable[[Finding], Said]:
    def say(found: Finding) -> Said:
        limits = as_list(found.validator_value)
        limit = ", ".join(map(json.dumps, limits)) if limits else found.validator_value
        return [([], f"{words.format(limit)} (got {json.dumps(found.instance)})")]

    return say


# In the words of the API server, shortened: keyword of the schema -> what it says.
_WORDS: dict[str, Callable[[Finding], Said]] = {
    "additionalProperties": _unknown_fields,
    "anyOf": _bound("must be an integer or a text of the right form"),
    "enum": _bound("supported values: {}"),
    "maxItems": _bound("must have at most {} items"),
    "maxLength": _bound("may not be more than {} bytes"),
    "maxProperties": _bound("must have at most {} items"),
    "maximum": _bound("should be less than or equal to {}"),
    "minItems": _bound("should have at least {} items"),
    "minLength": _bound("should be at least {} chars long"),
    "minimum": _bound("should be greater than or equal to {}"),
    "pattern": _bound("should match '{}'"),
    "required": _required,
    "type": _bound("must be of type {}"),
    "uniqueItems": _bound("must not name anything twice"),
}
