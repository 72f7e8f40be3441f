"""Types of data sources, and helpers that pick one item of a list."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.resource_types.entry import Values

Answer = Callable[[Account, Values], Values]


class NoAnswer(ValueError):
    """Why the data source has no answer."""


@dataclass(frozen=True)
class DataSource:
    """A Pulumi function: its arguments and its implementation."""

    arguments: tuple[str, ...]
    answer: Answer
    required: tuple[str, ...] = field(default=())


def filters_of(arguments: Values) -> list[Values]:
    """Filters and tags among the arguments, in EC2's form."""
    filters = [
        {"Name": f["name"], "Values": f["values"]} for f in as_list(arguments.get("filters"))
    ]
    tags = as_object(arguments.get("tags")).items()
    return filters + [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags]


def single(noun: str, matches: list[Values], arguments: Values) -> Values:
    """The only match. Raises NoAnswer in the words of AWS's provider, with the arguments."""
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise NoAnswer(f"no matching {noun} found ({arguments})")
    raise NoAnswer(
        f"multiple {noun}s matched; use additional constraints to reduce matches to a single "
        f"{noun} ({arguments})"
    )
