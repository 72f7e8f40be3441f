"""Converts property values between the program's form and AWS's, and compares them."""

import json
from collections.abc import Iterator
from typing import Any

from pulumi.runtime.rpc import UNKNOWN

from rehearsal.aws.provider import shapes
from rehearsal.aws.provider.plain import is_list, is_object
from rehearsal.aws.provider.templates import placeholders
from rehearsal.aws.resource_types.entry import EXACT, UNORDERED, Call, Property, ResourceType


def is_unknown(value: Any) -> bool:
    """True if the value, or a part of it, is known only after the update."""
    if is_object(value):
        return any(map(is_unknown, value.values()))
    if is_list(value):
        return any(map(is_unknown, value))
    return value == UNKNOWN


def is_empty(value: Any) -> bool:
    """True if AWS and the program would both treat the value as absent."""
    return value in (None, "", [], {}) or value is False or value == 0


def api_path(operation_input: Any, name: str, prop: Property) -> str | None:
    """Path of the property in the operation's parameters; None if it takes none."""
    if operation_input is None:
        return None
    if prop.api:
        return prop.api if shapes.shape_at(operation_input, prop.api) is not None else None
    return shapes.member_name(operation_input, name, {})


def shape_of(kind: ResourceType, name: str, model: Any) -> Any:
    """The published shape of a property, from the first request that takes it."""
    steps = [*kind.create, *(when.step for when in kind.steps())]
    for step in steps:
        if not isinstance(step, Call):
            continue
        inputs = model.operation_model(step.operation).input_shape
        if shape := _shape_in_template(step.parameters, inputs, name):
            return shape
        if name in placeholders(step.parameters) or (
            step.takes is not None and name not in step.takes
        ):
            continue
        if path := api_path(inputs, name, kind.properties[name]):
            return shapes.shape_at(inputs, path)
    return None


def _shape_in_template(template: Any, shape: Any, name: str) -> Any:
    """Shape at the place where a template has "{name}"; None if it has none."""
    if isinstance(template, str) and template in {f"{{{name}}}", f"{{{name}?}}"}:
        return shape
    if is_object(template) and shape.type_name == "structure":
        inner = ((v, shape.members[key]) for key, v in template.items() if key in shape.members)
    elif is_list(template) and shape.type_name == "list":
        inner = ((item, shape.member) for item in template)
    else:
        return None
    return next((s for v, member in inner if (s := _shape_in_template(v, member, name))), None)


def to_api(value: Any, prop: Property, shape: Any, path: str) -> Any:
    """The value in AWS's form."""
    if prop.codec:
        value = value if value == UNKNOWN else prop.codec.to_api(value)
        if not prop.codec.inside:
            return value
    return value if shape is None else shapes.to_api(value, shape, prop.names, path)


def from_api(value: Any, prop: Property, shape: Any) -> Any:
    """The value in the program's form; None if absent."""
    if value is None:
        return None
    if prop.codec is None:
        return shapes.from_api(value, prop.names, shape)
    given = prop.codec.from_api(value)
    return shapes.from_api(given, prop.names) if prop.codec.inside else given


def filled_inside(value: Any, prop: Property) -> Any:
    """A nested value of the program, with the real provider's defaults."""
    if not is_object(value):
        return value
    return {**prop.defaults_inside, **{k: v for k, v in value.items() if v is not None}}


def settle(given: Any, read: Any, prop: Property) -> Any:
    """State of a property: the program's own wording if AWS's is equivalent."""
    if given is None:
        return read
    if read is None:
        return given
    if not same(given, read, prop):
        return read
    if is_object(given) and is_object(read):
        return {**read, **given}
    return given


def same(wanted: Any, actual: Any, prop: Property) -> bool:
    """True if AWS has what the program wants; what the program leaves open does not matter."""
    if prop.codec and prop.codec.same:
        return wanted is not None and actual is not None and prop.codec.same(wanted, actual)
    return _covers(wanted, actual, prop)


def _covers(wanted: Any, actual: Any, prop: Property) -> bool:
    if is_object(wanted) and is_object(actual):
        if EXACT in prop and wanted.keys() != actual.keys():
            return False
        items = ((item, actual.get(key)) for key, item in wanted.items() if item is not None)
        return all((is_empty(a) and is_empty(b)) or _covers(a, b, prop) for a, b in items)
    if is_list(wanted) and is_list(actual):
        if len(wanted) != len(actual):
            return False
        if UNORDERED in prop:
            wanted, actual = (sorted(items, key=_order) for items in (wanted, actual))
        return all(_covers(a, b, prop) for a, b in zip(wanted, actual, strict=True))
    return wanted == actual or _text(wanted) == _text(actual)


def _order(item: Any) -> str:
    return json.dumps(item, sort_keys=True, default=str)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def changed_paths(old: Any, new: Any, path: str) -> Iterator[tuple[str, str]]:
    """Paths and kinds (add, update, delete) of the differences, down to the innermost object."""
    if is_object(old) and is_object(new) and old and new:
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                yield from changed_paths(old.get(key), new.get(key), f"{path}.{key}")
    elif old is None:
        yield path, "add"
    elif new is None:
        yield path, "delete"
    else:
        yield path, "update"
