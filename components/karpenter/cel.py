"""CEL as the API server evaluates it: Google's evaluator with the functions that Kubernetes adds.

The library is loaded on the first evaluation: a stack without Karpenter does not pay for it.
"""

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

# The evaluator's own `int` takes " 5" too, which Go's does not. It can only be avoided.
_INT = re.compile(r"\bint\(")
_WHOLE_NUMBER = "wholeNumber("
_INT64 = 2**63


class CelError(Exception):
    """A CEL expression that has no value: a key is missing, or a text is not a number."""


def holds(expression: str, values: Mapping[str, Any]) -> bool:
    """True if the expression is true of these plain values. Raises CelError if it has no value."""
    outcome = program(expression).eval(data=dict(values))
    if outcome.type().name() == "ERROR":
        # The evaluator puts the kind of error first: `NOT_FOUND: Key not found in map : "a"`.
        raise CelError(str(outcome.value()).partition(": ")[2])
    return outcome.value() is True


# Pools are much alike: what was found in one text holds for the next.
@lru_cache(maxsize=4096)
def matches(text: str, pattern: str) -> bool:
    """True if the text contains a match of a schema's pattern, by RE2 as in the API server."""
    return holds(f"self.matches({json.dumps(pattern)})", {"self": text})


@cache
def program(expression: str) -> Any:
    """The compiled expression. Raises RuntimeError if it is not valid CEL."""
    return _environment().compile(_INT.sub(_WHOLE_NUMBER, expression))


@cache
def _environment() -> Any:
    from cel_expr_python import cel  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]
    from cel_expr_python.ext import (  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]
        ext_strings,
    )

    text, whole = cel.Type.STRING, cel.Type.INT
    find = cel.Overload(
        "string_find_string", return_type=text, parameters=[text, text], is_member=True, impl=_find
    )
    number = cel.Overload(
        "string_to_whole_number", return_type=whole, parameters=[text], impl=_whole_number
    )
    return cel.NewEnv(
        variables={"self": cel.Type.DYN, "oldSelf": cel.Type.DYN},
        extensions=[ext_strings.ExtStrings()],
        functions=[
            cel.FunctionDecl("find", [find]),
            cel.FunctionDecl(_WHOLE_NUMBER.rstrip("("), [number]),
        ],
    )


def _find(text: str, expression: str) -> str:
    """Kubernetes' function `find`: the first match, or an empty text. Python's `re` replaces RE2,
    which makes no difference for the expressions in Karpenter's CRDs.
    """
    match = re.search(expression, text)
    return match[0] if match else ""


def _whole_number(text: str) -> int:
    """CEL's function `int`, stricter than Python's, which also takes "1_000" and " 5"."""
    number = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None
    if number is None or not -_INT64 <= number < _INT64:
        raise ValueError(f"{text!r} is no integer")
    return number
