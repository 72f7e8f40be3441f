"""Schedules of disruption budgets: cron lines, as Karpenter reads them."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field

from ..kubernetes.quantities import refused

MACROS = ("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")
EXAMPLE = 'for example "0 9 * * mon-fri"'


class Part(NamedTuple):
    """One of the five parts of a cron line."""

    noun: str
    first: int
    last: int
    names: Mapping[str, int]


def _numbered(names: str, first: int) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.split(), start=first)}


PARTS = (
    Part("minute", 0, 59, {}),
    Part("hour", 0, 23, {}),
    Part("day of the month", 1, 31, {}),
    Part("month", 1, 12, _numbered("jan feb mar apr may jun jul aug sep oct nov dec", 1)),
    # Sunday is 0 only: 7, which other crons know, is refused by Karpenter's.
    Part("day of the week", 0, 6, _numbered("sun mon tue wed thu fri sat", 0)),
)


def _checked(line: str) -> str:
    """The line, if Karpenter can read it. A line that it cannot read closes every budget of the
    pool and is reported only in a log: no node is ever removed (`GetAllowedDisruptionsByReason`,
    karpenter 1.14.1).
    """
    if line.startswith("@"):
        if line not in MACROS:
            raise refused(f"is none of {', '.join(MACROS)}: write one of these, or a cron line")
        return line
    if "=" in line.partition(" ")[0]:
        raise refused(f"times are UTC, and no other zone can be named: drop it, {EXAMPLE}")
    words = line.split()
    if len(words) != len(PARTS):
        nouns = ", ".join(part.noun for part in PARTS)
        problem = f"has {len(words)} parts: write a cron line's five, {nouns}, {EXAMPLE}"
        raise refused(problem)
    for word, part in zip(words, PARTS, strict=True):
        if not all(_is_range(each, part) for each in word.split(",")):
            known = f"numbers from {part.first} to {part.last}"
            if part.names:
                known += f" or names from {next(iter(part.names))} to {[*part.names][-1]}"
            raise refused(f"{word} is no {part.noun}: write {known}, as `*`, `*/2`, `1-5` or `1,3`")
    return line


def _is_range(text: str, part: Part) -> bool:
    """True if the text is `*`, a number or name, or `a-b`, optionally followed by a step."""
    span, slash, step = text.partition("/")
    if slash and not (_is_number(step) and int(step)):
        return False
    if span in ("*", "?"):
        return True
    low, dash, high = span.partition("-")
    first, last = _number(low, part), _number(high if dash else low, part)
    return first is not None and last is not None and first <= last


def _number(text: str, part: Part) -> int | None:
    number = int(text) if _is_number(text) else part.names.get(text.lower(), -1)
    return number if part.first <= number <= part.last else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


Schedule = Annotated[str, AfterValidator(_checked), Field(examples=["0 9 * * mon-fri", "@daily"])]
"""A cron line `minute hour day month weekday` in UTC, or a macro such as `@daily`."""
