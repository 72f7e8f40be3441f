"""Plain data, as JSON has it: what a value is, so that the rest can rely on it."""

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether it has keys."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list (or a tuple, in the table)."""
    return isinstance(value, list | tuple)


def as_object(value: Any) -> dict[str, Any]:
    """The object, an empty one for nothing."""
    return dict(value or {})


def as_list(value: Any) -> list[Any]:
    """The list, an empty one for nothing."""
    return list(value or [])
