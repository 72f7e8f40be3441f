"""The base of every section of a stack file."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError


class Mistake(NamedTuple):
    """One mistake in a stack file."""

    path: str
    """Path in the file's own spelling, below the section that reports it; empty: the section
    itself.
    """
    problem: str
    """The broken rule, and what to do."""
    value: Any = None


def refuse(mistakes: Iterable[Mistake]) -> None:
    """Raises all mistakes as one error, if there are any; for use in a validator of a section."""
    listed = list(mistakes)
    if listed:
        # One error for all: pydantic stops at the first validator that raises.
        told = "; ".join(f"{mistake.path}: {mistake.problem}" for mistake in listed)
        context = {"told": told, "mistakes": listed}
        raise PydanticCustomError("rules", "{told}", context)  # noqa: RUF027 (pydantic's own)


class Section(BaseModel):
    """A section of a stack file: immutable and closed to unknown keys; camelCase in the file,
    snake_case in Python.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        alias_generator=to_camel,
        validate_by_name=True,
    )

    def mistakes(self) -> Iterator[Mistake]:
        """Mistakes between the section's own keys, each of which is valid by itself."""
        yield from ()

    @model_validator(mode="after")
    def _keeps_its_rules(self) -> Self:
        refuse(self.mistakes())
        return self
