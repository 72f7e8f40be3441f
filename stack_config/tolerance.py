"""What `load()` takes besides what people should write: a schema may not refuse it either."""

import re
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_KINDS = ("null", "boolean", "number", "string", "array", "object")
# What pydantic reads as a number or a switch where it is written in quotes.
_WHOLE = r"^\s*[+-]?[0-9]+(_[0-9]+)*(\.0+)?\s*$"
_DECIMAL = r"^\s*[+-]?([0-9][0-9_]*\.?[0-9_]*([eE][+-]?[0-9]+)?|\.[0-9]+|[iI]nf\w*|nan|NaN)\s*$"
_SWITCH = "^({})$".format(
    "|".join(
        "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)
        for word in ["0", "1", "t", "f", "y", "n", "on", "off", "yes", "no", "true", "false"]
    )
)
_NAMES = ("properties", "$defs")
"""Whose keys are names, and no words of JSON Schema."""


def as_loaded(node: Any, *, is_value: bool = False) -> Any:
    """A schema that also takes numbers in quotes, `yes` for true, and an empty value for an empty
    text. `is_value`: below a key, where Pulumi's null becomes an empty text."""
    found: Schema = {}
    for key, value in node.items():
        if key in _NAMES:
            below = key == "properties"
            found[key] = {name: as_loaded(each, is_value=below) for name, each in value.items()}
        elif key == "anyOf":
            found[key] = [as_loaded(each, is_value=is_value) for each in value]
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            found[key] = as_loaded(value, is_value=key == "additionalProperties")
        else:
            found[key] = value
    return _taken(found, is_value=is_value)


def _taken(node: Schema, *, is_value: bool) -> Schema:
    values = [node["const"]] if "const" in node else node.get("enum")
    if values:
        # To Python true is 1.
        return _also(node, "boolean") if {0, 1}.intersection(values) else node
    kind = node.get("type")
    if kind in ("integer", "number"):
        return _also(node, "string", "boolean", pattern=_WHOLE if kind == "integer" else _DECIMAL)
    if kind == "boolean":
        zero_or_one = {"minimum": 0, "maximum": 1, "multipleOf": 1}
        return _also(node, "string", "number", pattern=_SWITCH, **zero_or_one)
    may_be_null = kind == "string" and is_value and _may_be_empty(node)
    return node | {"type": ["string", "null"]} if may_be_null else node


def _also(node: Schema, *kinds: str, **rules: Any) -> Schema:
    """The node, or a value of these kinds that keeps the rules. An editor offers the node alone."""
    said = ("title", "description", "default", "examples")
    told = {key: node[key] for key in said if key in node}
    own = {key: value for key, value in node.items() if key not in told}
    # As a `not`, since what is named by its kind an editor would offer.
    others = {"not": {"type": [kind for kind in _KINDS if kind not in kinds]}} | rules
    return told | {"anyOf": [own, others]}


def _may_be_empty(node: Schema) -> bool:
    return not node.get("minLength") and bool(re.search(node.get("pattern", ""), ""))
