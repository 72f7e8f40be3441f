"""Values that `load()` accepts besides those people should write; the schema must accept them
too.
"""

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
"""Keys of a schema whose own keys are names, not words of JSON Schema."""


def as_loaded(node: Any, *, is_value: bool = False) -> Any:
    """A schema that also accepts numbers in quotes, `yes` for true, and an empty value for an empty
    text. `is_value` is true below a key, where Pulumi turns null into an empty text.
    """
    tolerant: Schema = {}
    for key, value in node.items():
        if key in _NAMES:
            below = key == "properties"
            tolerant[key] = {name: as_loaded(each, is_value=below) for name, each in value.items()}
        elif key == "anyOf":
            tolerant[key] = [as_loaded(each, is_value=is_value) for each in value]
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            tolerant[key] = as_loaded(value, is_value=key == "additionalProperties")
        else:
            tolerant[key] = value
    return _taken(tolerant, is_value=is_value)


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
    """The node, or a value of these kinds that follows the rules. Editors offer the node only."""
    said = ("title", "description", "default", "examples")
    annotations = {key: node[key] for key in said if key in node}
    own = {key: value for key, value in node.items() if key not in annotations}
    # As a `not`, since what is named by its kind an editor would offer.
    others = {"not": {"type": [kind for kind in _KINDS if kind not in kinds]}} | rules
    return annotations | {"anyOf": [own, others]}


def _may_be_empty(node: Schema) -> bool:
    return not node.get("minLength") and bool(re.search(node.get("pattern", ""), ""))
