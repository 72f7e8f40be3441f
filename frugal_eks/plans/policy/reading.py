"""Reads the properties of a resource, which may be unknown, missing or spelled as text."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from frugal_eks.plans.json_values import mapping
from frugal_eks.plans.previews import SECRET, UNKNOWN

Object = Mapping[str, Any]


def is_unknown(value: object) -> bool:
    """True if the value is known only after `up`, or secret: no rule finds anything in it."""
    return value in {UNKNOWN, SECRET} if isinstance(value, str) else False


def each(value: object) -> Iterator[Any]:
    """Items of a list, or the single value; None and unknown items are left out."""
    listed = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
    yield from (item for item in listed if item is not None and not is_unknown(item))


def objects(value: object) -> Iterator[Object]:
    """Items of a list that are mappings."""
    yield from (cast(Object, item) for item in each(value) if isinstance(item, Mapping))


def first(value: object) -> Object:
    """A block that a provider may take as a list of one; empty if there is none."""
    return next(objects(value), cast(Object, {}))


def dig(value: object, path: str) -> Any:
    """The value at a path such as `spec.template`; None if there is none.
    UNKNOWN as soon as a part of the path is unknown.
    """
    for key in path.split("."):
        if is_unknown(value):
            return UNKNOWN
        value = mapping(value).get(key)
    return value


def is_true(value: object) -> bool:
    """True for true, also as text, as launch templates and storage classes spell it."""
    return value is True or value == "true"


def is_false(value: object) -> bool:
    """True for an explicit false: neither missing nor unknown."""
    return value is False or value == "false"


def is_off(value: object) -> bool:
    """True if the value is missing or false, but not unknown."""
    return not is_true(value) and not is_unknown(value)


def number(value: object) -> float | None:
    """A number, or a Kubernetes quantity in units, thousandths or thousands; else None."""
    if isinstance(value, bool) or is_unknown(value):
        return None
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    factors = {"m": 0.001, "k": 1000.0}
    factor = factors.get(value[-1:], 1.0)
    try:
        return float(value.rstrip("mk")) * factor
    except ValueError:
        return None
