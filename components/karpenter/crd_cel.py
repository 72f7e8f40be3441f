"""The CEL rules (`x-kubernetes-validations`) of a custom resource's schema, evaluated in Python.

Two string functions that Kubernetes adds to CEL are added here too: `find` and `split`.
Python's `re` stands in for RE2, which is no difference for the expressions in Karpenter's CRDs.
"""

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from components.karpenter.crd_structure import PathParts, Schema, as_list, as_map, dotted

# Pools are much alike: what was decided for one list of requirements holds for the next.
_VERDICTS = 4096


class _Absent:
    """There is no old value: the object or this part of it is new."""


_ABSENT = _Absent()


class _Place(NamedTuple):
    """A part of the object, its schema and where it is."""

    schema: Schema
    new: Any
    old: Any
    parts: PathParts


def refusals(schema: Schema, new: Any, old: Any | None = None) -> Iterator[tuple[str, str]]:
    """Path and message of each rule that this object breaks; `old` is the object before the change.

    A rule that cannot be evaluated (a key is missing, a text is no number) refuses as well.
    """
    for place in _places(_Place(schema, new, _ABSENT if old is None else old, [])):
        for rule in as_list(place.schema.get("x-kubernetes-validations")):
            transition = "oldSelf" in rule["rule"]
            if transition and place.old is _ABSENT:
                continue
            before = json.dumps(place.old) if transition else None
            reason = _broken(rule["rule"], json.dumps(place.new), before)
            if reason is not None:
                message = rule.get("message") or f"failed rule: {rule['rule']}"
                yield dotted(place.parts, schema), message + reason


def rules(schema: Schema) -> Iterator[str]:
    """Every rule of the schema as it is written, as often as it is written."""
    for rule in as_list(schema.get("x-kubernetes-validations")):
        yield rule["rule"]
    below = [*as_map(schema.get("properties")).values()]
    for part in [*below, schema.get("items"), schema.get("additionalProperties")]:
        yield from rules(as_map(part)) if part else ()


def _places(place: _Place) -> Iterator[_Place]:
    """The place itself and all places below it that the object has."""
    yield place
    # Karpenter's lists are atomic or sets: their items have no counterpart in the old object.
    items = as_map(place.schema.get("items"))
    for index, item in enumerate(as_list(place.new)):
        yield from _places(_Place(items, item, _ABSENT, [*place.parts, index]))

    properties = as_map(place.schema.get("properties"))
    others = as_map(place.schema.get("additionalProperties"))
    old = as_map(place.old)
    for key, item in as_map(place.new).items():
        schema = as_map(properties.get(key)) or others
        yield from _places(_Place(schema, item, old.get(key, _ABSENT), [*place.parts, key]))


@lru_cache(maxsize=_VERDICTS)
def _broken(rule: str, new: str, old: str | None) -> str | None:
    """None if the rule holds; else what to add to its message: why it could not be evaluated."""
    from celpy.adapter import json_to_cel  # noqa: PLC0415 - see _environment
    from celpy.evaluation import CELEvalError  # noqa: PLC0415 - see _environment

    values = {"self": json_to_cel(json.loads(new))}
    if old is not None:
        values["oldSelf"] = json_to_cel(json.loads(old))
    try:
        return None if program(rule).evaluate(values) else ""
    except CELEvalError as error:
        return f" (the rule cannot be evaluated: {error.args[0]})"


@cache
def program(rule: str) -> Any:
    """The compiled rule. Raises celpy.CELParseError if it is no CEL."""
    environment = _environment()
    functions = {"find": _find, "split": _split, "int": _int}
    return environment.program(environment.compile(rule), functions=functions)


@cache
def _environment() -> Any:
    from celpy import Environment  # noqa: PLC0415 - 0.3 s that a program without checks saves

    return Environment()


def _find(text: str, expression: str) -> str:
    """`find` of Kubernetes: the first match or an empty text."""
    from celpy.celtypes import StringType  # noqa: PLC0415 - see _environment

    found = re.search(expression, text)
    return StringType(found[0] if found else "")


def _split(text: str, separator: str) -> Any:
    """`split` of Kubernetes: the parts between the separators."""
    from celpy.celtypes import ListType, StringType  # noqa: PLC0415 - see _environment

    return ListType([StringType(part) for part in text.split(separator)])


def _int(value: Any) -> Any:
    """CEL's `int`: stricter than Python's, which takes "1_000" and " 5" too."""
    from celpy.celtypes import IntType  # noqa: PLC0415 - see _environment

    if isinstance(value, str) and not re.fullmatch(r"[+-]?[0-9]+", value):
        raise ValueError(f"{value!r} is no integer")
    return IntType(value)
