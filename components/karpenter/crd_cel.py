"""The CEL rules (`x-kubernetes-validations`) of a custom resource's schema."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import cel
from .crd_structure import PathParts, Refusal, Schema, as_list, as_map


class _Absent:
    """Marks a missing old value: the object, or this part of it, is new."""


_ABSENT = _Absent()


class _Place(NamedTuple):
    """A part of the object, with its schema, old value and path."""

    schema: Schema
    new: Any
    old: Any
    parts: PathParts


def refusals(schema: Schema, new: Any, old: Any | None = None) -> Iterator[Refusal]:
    """Each CEL rule that the object breaks; `old` is the object before the change.

    A rule that cannot be evaluated (a key is missing, a text is not a number) counts as broken.
    """
    for place in _places(_Place(schema, new, _ABSENT if old is None else old, ())):
        for rule in as_list(place.schema.get("x-kubernetes-validations")):
            transition = "oldSelf" in rule["rule"]
            if transition and place.old is _ABSENT:
                continue
            reason = _broken(rule["rule"], place.new, place.old if transition else None)
            if reason is not None:
                message = rule.get("message") or f"failed rule: {rule['rule']}"
                yield Refusal(place.parts, message + reason, place.new, rule=rule["rule"])


def narrowed(refusal: Refusal) -> Iterator[Refusal]:
    """Items of a list or map that break the rule by themselves, if the rule is about each item.

    The API server names only the whole list or map.
    """
    items: list[tuple[str | int, Any]] = []
    if refusal.rule.startswith("self.all("):
        items = [*enumerate(as_list(refusal.value)), *as_map(refusal.value).items()]
    narrower = [
        refusal._replace(parts=(*refusal.parts, key), value=item)
        for key, item in items
        if _broken(refusal.rule, [item] if isinstance(key, int) else {key: item}, None) is not None
    ]
    yield from narrower or [refusal]


def rules(schema: Schema) -> Iterator[str]:
    """The text of every CEL rule in the schema, repetitions included."""
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
        yield from _places(_Place(items, item, _ABSENT, (*place.parts, index)))

    properties = as_map(place.schema.get("properties"))
    others = as_map(place.schema.get("additionalProperties"))
    old = as_map(place.old)
    for key, item in as_map(place.new).items():
        schema = as_map(properties.get(key)) or others
        yield from _places(_Place(schema, item, old.get(key, _ABSENT), (*place.parts, key)))


def _broken(rule: str, new: Any, old: Any | None) -> str | None:
    """The suffix of a broken rule's message: why the rule cannot be evaluated, or an empty text;
    None if the rule holds.
    """
    values = {"self": new} if old is None else {"self": new, "oldSelf": old}
    try:
        return None if cel.holds(rule, values) else ""
    except cel.CelError as error:
        return f" (the rule cannot be evaluated: {error})"
