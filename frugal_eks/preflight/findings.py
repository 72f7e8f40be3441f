"""What a check comes to."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """Whether `up` gets past the thing that was looked at."""

    OK = "ok"
    FAILS = "will fail"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of the table."""

    check: str
    """What was looked at."""
    result: Result
    found: str
    """What there is, and what the stack needs of it."""
    remedy: str = ""
    """What to do; "" where there is nothing to do."""
    missing: tuple[str, ...] = ()
    """IAM actions without which this could not be read."""


def ok(check: str, found: str, remedy: str = "") -> Finding:
    """Nothing here stops `up`. A remedy tells what may come later."""
    return Finding(check=check, result=Result.OK, found=found, remedy=remedy)


def fails(check: str, found: str, remedy: str) -> Finding:
    """Here `up` stops."""
    return Finding(check=check, result=Result.FAILS, found=found, remedy=remedy)


def unknown(check: str, found: str, remedy: str) -> Finding:
    """It cannot be told from here whether `up` stops."""
    return Finding(check=check, result=Result.UNKNOWN, found=found, remedy=remedy)


def unread(check: str, *missing: str) -> Finding:
    """It could not be read for lack of rights, which is no fault of the stack's."""
    return Finding(
        check=check,
        result=Result.UNKNOWN,
        found="not read",
        remedy=f"allow {', '.join(missing)} to these credentials",
        missing=missing,
    )
