"""Defaults and structure of a custom resource's schema, as the API server applies them.

No JSON schema library is used: they know neither int-or-string nor the server's messages, and those
for Python take longer to load than all of Karpenter's objects take to check.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from . import cel

Schema = Mapping[str, Any]
PathParts = tuple[str | int, ...]


class Refusal(NamedTuple):
    """One thing in a manifest that the API server refuses."""

    parts: PathParts
    """Path of the refused value: keys and list indices."""
    message: str
    """The API server's message."""
    value: Any = None
    """The refused value; None if it is missing."""
    rule: str = ""
    """The broken CEL rule; empty if the structure is wrong."""
    blocks_rules: bool = False
    """True if the API server then evaluates no CEL rule."""


class _Limit(NamedTuple):
    """A keyword of a schema: the types it applies to, its test, and the message if the test
    fails.
    """

    types: tuple[type, ...]
    holds: Callable[[Any, Any], bool]
    words: str
    blocks_rules: bool = False


_NUMBER = (int, float)
_SIZES = {"int32": 2**31, "int64": 2**63}
"""Bounds of number formats. Formats of times are left out: only a status has them."""


def _size(value: Any) -> float:
    return value if isinstance(value, _NUMBER) else len(value)


def _at_most(value: Any, limit: Any) -> bool:
    return _size(value) <= limit


def _at_least(value: Any, limit: Any) -> bool:
    return _size(value) >= limit


def _one_of(value: Any, limit: Any) -> bool:
    return value in limit


def _has_room(value: Any, limit: Any) -> bool:
    return -_SIZES[limit] <= value < _SIZES[limit]


def _has_no_repetition(value: Any, kind: Any) -> bool:
    return kind != "set" or len({json.dumps(item) for item in as_list(value)}) == len(value)


# In the words of the API server, shortened. After those with True it evaluates no CEL rule: the
# rules may rely on types and sizes.
_LIMITS: Mapping[str, _Limit] = {
    "enum": _Limit((str,), _one_of, "supported values: {}"),
    "format": _Limit((int,), _has_room, "must be of type {}", True),
    "maxItems": _Limit((list,), _at_most, "must have at most {} items", True),
    "maxLength": _Limit((str,), _at_most, "may not be more than {} bytes", True),
    "maxProperties": _Limit((dict,), _at_most, "must have at most {} items", True),
    "maximum": _Limit(_NUMBER, _at_most, "should be less than or equal to {}"),
    "minItems": _Limit((list,), _at_least, "should have at least {} items"),
    "minLength": _Limit((str,), _at_least, "should be at least {} chars long"),
    "minimum": _Limit(_NUMBER, _at_least, "should be greater than or equal to {}"),
    "pattern": _Limit((str,), cel.matches, "should match '{}'"),
    "x-kubernetes-list-type": _Limit((list,), _has_no_repetition, "must not name anything twice"),
}

_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "object": (dict,),
    "string": (str,),
}

# What of a schema is looked at elsewhere, or says nothing about an object that is sent.
_OTHERS = {
    "additionalProperties",
    "anyOf",  # beside x-kubernetes-int-or-string, whose meaning it repeats
    "default",
    "description",
    "items",
    "properties",
    "required",
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",  # of conditions, in a status
    "x-kubernetes-map-type",  # how two writers' changes are merged
    "x-kubernetes-validations",
}
KEYWORDS = _LIMITS.keys() | _OTHERS
"""Keywords of a schema that the check knows. A CRD with another keyword needs it added here."""


def as_map(value: Any) -> dict[str, Any]:
    """The value if it is a dict, else an empty dict."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty list."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def dotted(parts: PathParts, schema: Schema) -> str:
    """The path as text, `spec.limits[cpu]`: fields after a dot, list indices and map keys in
    brackets.
    """
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

    A default below an absent parent is not applied. A null where none is allowed counts as absent,
    also in a map.
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
    if others and not others.get("nullable"):
        filled = {k: item for k, item in filled.items() if item is not None or k in properties}
    return {key: with_defaults(properties.get(key, others), item) for key, item in filled.items()}


def refusals(schema: Schema, value: Any) -> list[Refusal]:
    """Everything that the schema refuses, unknown fields included, in the order of the paths."""
    return sorted(_refusals((), schema, value), key=lambda refusal: [*map(str, refusal.parts)])


def _refusals(parts: PathParts, schema: Schema, value: Any) -> Iterator[Refusal]:
    wrong = _wrong_type(schema, value)
    if wrong:
        yield Refusal(parts, wrong, value, blocks_rules=True)
        return
    for keyword, limit in _LIMITS.items():
        if keyword not in schema or not _concerns(limit, value):
            continue
        if not limit.holds(value, schema[keyword]):
            yield Refusal(parts, _words(limit, schema[keyword]), value, "", limit.blocks_rules)

    items = as_map(schema.get("items"))
    for index, item in enumerate(as_list(value)):
        yield from _refusals((*parts, index), items, item)
    if isinstance(value, dict):
        yield from _fields(parts, schema, as_map(value))


def _fields(parts: PathParts, schema: Schema, value: Mapping[str, Any]) -> Iterator[Refusal]:
    """Refusals of missing and unknown fields, and of the values of known ones."""
    for key in as_list(schema.get("required")):
        if key not in value:
            yield Refusal((*parts, key), "required value", blocks_rules=True)
    properties = as_map(schema.get("properties"))
    others = schema.get("additionalProperties")
    for key, item in value.items():
        below = properties.get(key, others)
        if below is not None:
            yield from _refusals((*parts, key), as_map(below), item)
        elif properties:  # metadata has none: its fields are those of every object
            yield Refusal((*parts, key), "unknown field, remove it or correct its spelling")


def _wrong_type(schema: Schema, value: Any) -> str | None:
    if schema.get("x-kubernetes-int-or-string"):
        fits = isinstance(value, int | str) and not isinstance(value, bool)
        return None if fits else "must be an integer or a text of the right form"
    kind = schema.get("type")
    if kind is None or kind == "boolean":
        return None if kind is None or isinstance(value, bool) else "must be of type boolean"
    # JSON knows one kind of number only: 1.0 is an integer.
    whole = isinstance(value, float) and value.is_integer() and kind == "integer"
    fits = whole or (isinstance(value, _TYPES[kind]) and not isinstance(value, bool))
    return None if fits else f"must be of type {kind}"


def _concerns(limit: _Limit, value: Any) -> bool:
    return isinstance(value, limit.types) and not isinstance(value, bool)


def _words(limit: _Limit, bound: Any) -> str:
    values = as_list(bound)
    return limit.words.format(", ".join(map(json.dumps, values)) if values else bound)
