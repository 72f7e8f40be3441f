"""Values of any shape, as JSON has them, read as what is expected of them."""

import json
from collections.abc import Mapping
from typing import Any, cast


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def elements(value: Any) -> list[Any]:
    """A list; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The texts in a list."""
    return [one for one in elements(value) if isinstance(one, str)]


def parsed(text: str) -> Any:
    """What a text says as JSON; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def shown(value: Any) -> str:
    """A single value within a sentence, as JSON spells it, without quotes."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def last_name(path: str) -> str:
    """Of `metadata.annotations["a.b/c"]` `a.b/c`, of `spec.finalizers[0]` `finalizers`."""
    if path.endswith('"]'):
        return path.rpartition('["')[2].removesuffix('"]')
    return path.rpartition(".")[2].partition("[")[0]
