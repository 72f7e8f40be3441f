"""Typed access to JSON values of any shape."""

import json
from collections.abc import Mapping
from typing import Any, cast


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def elements(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """Strings of a list."""
    return [item for item in elements(value) if isinstance(item, str)]


def parsed(text: str) -> Any:
    """The text parsed as JSON; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def document(value: Any) -> Mapping[str, Any]:
    """A mapping, or JSON text of one; else an empty one."""
    return mapping(parsed(value) if isinstance(value, str) else value)


def statements(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Statements of a policy document, a list or a single one; anything else is skipped."""
    given = policy.get("Statement")
    return [mapping(item) for item in listed(given) if mapping(item)]


def listed(value: Any) -> list[Any]:
    """A list as it is, another value as a list of one: IAM takes either."""
    return elements(value) if isinstance(value, list) else [value]


def shown(value: Any) -> str:
    """A single value within a sentence, as JSON spells it, without quotes."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def last_name(path: str) -> str:
    """Last name of a path: `a.b/c` of `metadata.annotations["a.b/c"]`, `finalizers` of
    `spec.finalizers[0]`.
    """
    if path.endswith('"]'):
        return path.rpartition('["')[2].removesuffix('"]')
    return path.rpartition(".")[2].partition("[")[0]
