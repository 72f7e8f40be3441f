"""The base of every section of a stack file."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError


class Mistake(NamedTuple):
    """One thing to correct."""

    path: str
    """In the file's own spelling, below the section that tells it; empty: the section itself."""
    problem: str
    """The rule that is broken, and what to do."""
    value: Any = None


def refuse(mistakes: Iterable[Mistake]) -> None:
    """Inside a validator of a section: raises all of them as one error, if there are any."""
    found = list(mistakes)
    if found:
        # One error for all: pydantic stops at the first validator that raises.
        told = "; ".join(f"{mistake.path}: {mistake.problem}" for mistake in found)
        context = {"told": told, "mistakes": found}
        raise PydanticCustomError("rules", "{told}", context)  # noqa: RUF027 (pydantic's own)


class Section(BaseModel):
    """Immutable and closed to unknown keys; camelCase in the file, snake_case in Python."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        alias_generator=to_camel,
        validate_by_name=True,
    )

    def mistakes(self) -> Iterator[Mistake]:
        """What is wrong between the section's own keys, each of which is right by itself."""
        yield from ()

    @model_validator(mode="after")
    def _keeps_its_rules(self) -> Self:
        refuse(self.mistakes())
        return self
