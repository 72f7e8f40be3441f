"""Results of a check."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """Effect of a finding on `up`."""

    OK = "ok"
    FAILS = "will fail"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of the table."""

    check: str
    """Name of the checked thing."""
    result: Result
    detail: str
    """Current state, and what the stack needs."""
    remedy: str = ""
    """What to do; "" if nothing."""
    missing: tuple[str, ...] = ()
    """IAM actions that are missing to read this."""


def ok(check: str, detail: str, remedy: str = "") -> Finding:
    """A finding that does not stop `up`. A remedy concerns later problems."""
    return Finding(check=check, result=Result.OK, detail=detail, remedy=remedy)


def fails(check: str, detail: str, remedy: str) -> Finding:
    """A finding that stops `up`."""
    return Finding(check=check, result=Result.FAILS, detail=detail, remedy=remedy)


def unknown(check: str, detail: str, remedy: str) -> Finding:
    """A finding that may or may not stop `up`."""
    return Finding(check=check, result=Result.UNKNOWN, detail=detail, remedy=remedy)


def unread(check: str, *missing: str) -> Finding:
    """A finding that could not be read for lack of rights, which is not the stack's fault."""
    return Finding(
        check=check,
        result=Result.UNKNOWN,
        detail="not read",
        remedy=f"allow {', '.join(missing)} to these credentials",
        missing=missing,
    )
