"""What a Pulumi function (data source) is here, and how one thing is picked out of a list."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.resource_types.entry import Values

Answer = Callable[[Account, Values], Values]


class NoAnswer(ValueError):
    """The data source cannot say what was asked."""


@dataclass(frozen=True)
class DataSource:
    """A Pulumi function: the arguments it knows and how it is answered."""

    arguments: tuple[str, ...]
    answer: Answer
    required: tuple[str, ...] = field(default=())


def filters_of(asked: Values) -> list[Values]:
    """The filters and tags that are asked for, as EC2 takes them."""
    filters = [{"Name": f["name"], "Values": f["values"]} for f in as_list(asked.get("filters"))]
    tags = as_object(asked.get("tags")).items()
    return filters + [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags]


def single(noun: str, found: list[Values], asked: Values) -> Values:
    """The only one. Raises NoAnswer in the words of AWS's provider, and with what was asked."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoAnswer(f"no matching {noun} found ({asked})")
    raise NoAnswer(
        f"multiple {noun}s matched; use additional constraints to reduce matches to a single "
        f"{noun} ({asked})"
    )
