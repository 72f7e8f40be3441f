"""Quantities and durations as the Kubernetes and Karpenter APIs spell them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

_QUANTITY = re.compile(r"\d+(\.\d+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?")
_DURATION = re.compile(r"([0-9]+[smh])+")
_DURATION_OR_NEVER = re.compile(rf"Never|{_DURATION.pattern}")
_BUDGET_DURATION = re.compile(r"([0-9]+[hm]|[0-9]+h[0-9]+m)(0s)?")
_SECONDS = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}
_LONGEST = 2**63 // 10**9
"""Longest duration in seconds. Go counts nanoseconds: a controller cannot read a longer one."""

# Durations as people write them, which no API here takes.
_PART = re.compile(
    r"(\d+(?:\.\d+)?)(weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[wdhms])"
)
_ISO = re.compile(r"p((?:\d+[wd])*)(?:t((?:\d+[hms])+))?")

_UNITS = "m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi or Ei"
_WRITE_DURATION = "write hours, minutes and seconds, for example 720h, 90s or 1h30m"
_WRITE_WINDOW = "write hours and minutes, for example 8h or 1h30m"


def refused(problem: str) -> PydanticCustomError:
    """A mistake in one value. `problem` must include what to do: nothing is added to it."""
    # The text goes in as a value, since braces in a template would be filled in.
    return PydanticCustomError("said", "{said}", {"said": problem})


def _quantity(value: Any) -> Any:
    if isinstance(value, bool):
        raise refused(f"is no amount: write a number, or text with one of {_UNITS} behind it")
    if isinstance(value, int):
        # A number comes back from the API server as text, and would differ at every preview.
        value = str(value)
    if isinstance(value, float):
        raise refused(f"the API takes no decimal number: write {_exactly(value)}")
    if isinstance(value, str) and not _QUANTITY.fullmatch(value):
        example = "for example 1000Gi"
        raise refused(f"is no amount: write a number and at most one of {_UNITS}, {example}")
    return value


def _exactly(number: float) -> str:
    thousandths = round(number * 1000, 6)
    if number.is_integer():
        return str(int(number))
    if thousandths.is_integer():
        return f'"{int(thousandths)}m"'
    return 'a whole number, or thousandths as text, for example "1500m"'


def _duration(value: Any) -> Any:
    if value == "Never":
        raise refused(f"has to end: {_WRITE_DURATION}")
    return _duration_or_never(value)


def _duration_or_never(value: Any) -> Any:
    if isinstance(value, str) and value != "Never" and value.lower() == "never":
        raise refused("write Never, with a capital")
    if not isinstance(value, str) or not (value == "Never" or _DURATION.fullmatch(value)):
        raise refused(_as_duration(value))
    if seconds(value) > _LONGEST:
        raise refused("is more than 292 years, the longest that can be counted: write less")
    return value


def _as_duration(value: Any) -> str:
    unit = _without_unit(value)
    if unit is not None:
        return f"has no unit: write {unit}s, {unit}m or {unit}h"
    length = _length(value)
    if length is None or not length.is_integer():
        return f"is no duration: {_WRITE_DURATION}"
    return f"is not how the API writes a duration: write {duration(int(length))}"


def _budget_duration(value: Any) -> Any:
    if isinstance(value, str) and _BUDGET_DURATION.fullmatch(value):
        return value
    unit = _without_unit(value)
    if unit is not None:
        raise refused(f"has no unit: write {unit}m or {unit}h")
    length = _length(value)
    if not length:
        raise refused(f"is no length of a window: {_WRITE_WINDOW}")
    minutes = -int(-length // 60)
    raise refused(f"a window has hours and minutes only: write {duration(60 * minutes)}")


def _without_unit(value: Any) -> str | None:
    bare = isinstance(value, int | str) and not isinstance(value, bool)
    return str(value) if bare and re.fullmatch(r"[0-9]+", str(value)) else None


def _length(value: Any) -> float | None:
    """Length in seconds of a duration in a spelling that the API does not accept; None if it is not
    a duration.
    """
    text = re.sub(r"\s", "", value.lower()) if isinstance(value, str) else ""
    iso = _ISO.fullmatch(text)
    if iso:
        text = iso[1] + (iso[2] or "")
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(n) * _SECONDS[unit if unit == "ms" else unit[0]] for n, unit in parts)


def _told(pattern: re.Pattern[str], *examples: str, takes_numbers: bool = False) -> WithJsonSchema:
    """JSON schema of a type for editors, since no schema can hold a validator function."""
    kinds = {"type": ["string", "integer"], "minimum": 0} if takes_numbers else {"type": "string"}
    return WithJsonSchema(kinds | {"pattern": f"^({pattern.pattern})$", "examples": [*examples]})


Quantity = Annotated[
    str,
    BeforeValidator(_quantity),
    _told(_QUANTITY, "1000", "500m", "1000Gi", takes_numbers=True),
]
"""An amount, for example `1000`, `500m` or `1000Gi`."""

VolumeSize = Annotated[str, Field(pattern=r"^\d+(Gi|G|Ti|T)$", examples=["20Gi"])]
"""Size of a volume with its unit: the API refuses a bare number."""

Duration = Annotated[str, BeforeValidator(_duration), _told(_DURATION, "720h", "1h30m")]
"""A duration, for example `720h` or `1h30m`; there are no days."""

DurationOrNever = Annotated[
    str, BeforeValidator(_duration_or_never), _told(_DURATION_OR_NEVER, "720h", "1h30m", "Never")
]
"""A duration, or `Never`."""

BudgetDuration = Annotated[
    str, BeforeValidator(_budget_duration), _told(_BUDGET_DURATION, "8h", "1h30m")
]
"""Length of a budget's window: hours and minutes only."""


def seconds(duration: str) -> int:
    """Length in seconds of a duration that the types above accepted; 0 for `Never`."""
    return sum(int(n) * int(_SECONDS[unit]) for n, unit in re.findall(r"(\d+)([hms])", duration))


def duration(seconds: int) -> str:
    """A number of seconds as the API writes it: `720h`, `1h30m`, `5m`, `90s`."""
    if seconds < _SECONDS["h"] and seconds % 60:
        return f"{seconds}s"
    hours, rest = divmod(seconds, 3600)
    parts = ((hours, "h"), (rest // 60, "m"), (rest % 60, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"
