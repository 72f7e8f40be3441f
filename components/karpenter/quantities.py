"""Quantities and durations as the Kubernetes and Karpenter APIs spell them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_SECONDS = {"h": 3600, "m": 60, "s": 1}


def _as_text(value: Any) -> Any:
    # A number comes back from the API server as text, and would differ at every preview.
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Quantity = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(pattern=r"^\d+(\.\d+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$"),
]
"""An amount, for example `1000`, `500m` or `1000Gi`."""

VolumeSize = Annotated[str, Field(pattern=r"^\d+(Gi|G|Ti|T)$")]
"""The size of a volume, with its unit: the API refuses a bare number."""

Duration = Annotated[str, Field(pattern=r"^([0-9]+(s|m|h))+$")]
"""For example `720h` or `1h30m`; there are no days."""

DurationOrNever = Annotated[str, Field(pattern=r"^(([0-9]+(s|m|h))+|Never)$")]
"""A duration, or `Never`."""

BudgetDuration = Annotated[str, Field(pattern=r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$")]
"""How long a budget's window is open: hours and minutes only."""


def seconds(duration: str) -> int:
    """The length of a duration that the types above accepted; `Never` has none."""
    return sum(int(n) * _SECONDS[unit] for n, unit in re.findall(r"(\d+)([hms])", duration))
