"""Kubernetes quantities as numbers."""

import re
from typing import Any

_UNITS = {
    "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50,
}  # fmt: skip
_QUANTITY = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?([mkMGTP]|[KMGTP]i|)")


def quantity(value: Any) -> float | None:
    """Value of a Kubernetes quantity: `250m` is 0.25, `1Gi` 2 to the 30th. None if it is not a
    quantity, or known only after `up`.
    """
    match = _QUANTITY.fullmatch(str(value).strip())
    return float(match[1] + (match[2] or "")) * _UNITS[match[3]] if match else None


def cores_of(value: Any) -> float:
    """vCPUs of a quantity; 0 if it is absent."""
    return quantity(value) or 0.0


def bytes_of(value: Any) -> float:
    """Bytes of a quantity; 0 if it is absent."""
    return quantity(value) or 0.0
