"""Type checks of plain JSON-like data."""

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """True if the value is an object."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """True if the value is a list (or a tuple, in the table)."""
    return isinstance(value, list | tuple)


def as_object(value: Any) -> dict[str, Any]:
    """The value as an object; empty for None."""
    return dict(value or {})


def as_list(value: Any) -> list[Any]:
    """The value as a list; empty for None."""
    return list(value or [])
