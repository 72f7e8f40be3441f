"""CEL as the API server speaks it: Google's evaluator and the functions that Kubernetes adds.

The library is loaded when something is evaluated: a stack without Karpenter does not pay for it.
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
    """An expression that has no value here: a key is missing, a text is no number."""


def holds(expression: str, values: Mapping[str, Any]) -> bool:
    """Whether the expression is true of these plain values. Raises CelError."""
    outcome = program(expression).eval(data=dict(values))
    if outcome.type().name() == "ERROR":
        # The evaluator puts the kind of error first: `NOT_FOUND: Key not found in map : "a"`.
        raise CelError(str(outcome.value()).partition(": ")[2])
    return outcome.value() is True


# Pools are much alike: what was found in one text holds for the next.
@lru_cache(maxsize=4096)
def matches(text: str, pattern: str) -> bool:
    """Whether a pattern of a schema is found in the text, by RE2, as in the API server."""
    return holds(f"self.matches({json.dumps(pattern)})", {"self": text})


@cache
def program(expression: str) -> Any:
    """The compiled expression. Raises RuntimeError if it is no CEL."""
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
    """`find` of Kubernetes: the first match or an empty text. Python's `re` stands in for RE2,
    which is no difference for the expressions in Karpenter's CRDs."""
    found = re.search(expression, text)
    return found[0] if found else ""


def _whole_number(text: str) -> int:
    """`int` of CEL: stricter than Python's, which takes "1_000" and " 5" too."""
    number = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None
    if number is None or not -_INT64 <= number < _INT64:
        raise ValueError(f"{text!r} is no integer")
    return number
