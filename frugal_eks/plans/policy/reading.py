"""Reads the properties of a resource, which may be unknown, missing or spelled as text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from frugal_eks.plans.previews import SECRET, UNKNOWN

Object = Mapping[str, Any]


def is_unknown(value: object) -> bool:
    """Whether it is told only after `up`, or not at all: no rule finds anything in it."""
    return value in {UNKNOWN, SECRET} if isinstance(value, str) else False


def mapping(value: object) -> Object:
    """The value as keys with values; empty where it is anything else."""
    return cast(Object, value) if isinstance(value, Mapping) else {}


def each(value: object) -> Iterator[Any]:
    """The items of a list, one value by itself, nothing of None; unknown items are left out."""
    listed = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
    yield from (one for one in listed if one is not None and not is_unknown(one))


def objects(value: object) -> Iterator[Object]:
    """The items of a list that are keys with values."""
    yield from (cast(Object, one) for one in each(value) if isinstance(one, Mapping))


def first(value: object) -> Object:
    """A block that a provider may take as a list of one; empty where there is none."""
    return next(objects(value), cast(Object, {}))


def dig(value: object, path: str) -> Any:
    """What lies at `path`, such as `spec.template`; None where there is nothing.

    UNKNOWN as soon as a part of the way is unknown.
    """
    for key in path.split("."):
        if is_unknown(value):
            return UNKNOWN
        value = mapping(value).get(key)
    return value


def is_true(value: object) -> bool:
    """Launch templates and storage classes spell it as text."""
    return value is True or value == "true"


def is_false(value: object) -> bool:
    """Whether it is said to be false: neither missing nor unknown."""
    return value is False or value == "false"


def is_off(value: object) -> bool:
    """Whether it is missing or false, but not unknown."""
    return not is_true(value) and not is_unknown(value)


def number(value: object) -> float | None:
    """A number, or a quantity of Kubernetes in units, thousandths or thousands; else None."""
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


def document(value: object) -> Object:
    """A policy document, as JSON text or as an object; empty where it is neither or unknown."""
    if isinstance(value, str) and not is_unknown(value):
        try:
            return mapping(json.loads(value))
        except json.JSONDecodeError:
            return {}
    return mapping(value)
