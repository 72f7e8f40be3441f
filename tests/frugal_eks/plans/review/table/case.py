"""One row of the table."""

from typing import Any, NamedTuple


class Case(NamedTuple):
    """A change that a human has to look at, and one like it that needs no look."""

    rule: str
    risky: list[dict[str, Any]]
    told: list[str]
    harmless: list[dict[str, Any]]
