"""What the sweep looks for: a kind of thing, a thing in the account, and what will become of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from frugal_eks.sweep.account import Account

FREE = "nothing"


@dataclass(frozen=True, kw_only=True)
class Thing:
    """Something in the account that could be the cluster's."""

    id: str
    """What AWS's calls know it by: an id, a name or an ARN."""
    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    by: str = ""
    """What says beside its tags that it is the cluster's; "" if nothing does."""
    cost: str = FREE
    """For a human: an amount, what is billed, or FREE."""
    busy: str = ""
    """Why it cannot be removed now; "" if it can."""
    owner: str = ""
    """The account it belongs to, where AWS also lists what others share; else ""."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of thing; `frugal_eks.sweep.kinds.KINDS` has them in the order of removal."""

    name: str
    """For a human, in the singular."""
    look: Callable[[Account, str], Iterable[Thing]]
    """All things of the account that could belong to the cluster of that name."""
    remove: Callable[[Account, Thing], None]
    """Asks AWS to remove one; raises botocore's ClientError. It may take time until it is gone."""
    keeps_data: bool = False
    """Whether it is removed only if that was asked for in particular (`--volumes`)."""
    made_by_up: bool = False
    """Whether `pulumi up` makes it, so that a state can tell which of them is a leftover."""


class Fate(Enum):
    """What the sweep does with a finding."""

    REMOVE = "remove"
    KEEP = "keep"
    """The cluster's alone, but it holds data and nobody asked for its removal."""
    NOT_OURS = "not ours"
    """It names the cluster, but is not the cluster's alone."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A thing that names the cluster."""

    kind: Kind
    thing: Thing
    by: str
    """The tags, or the path, that name the cluster."""
    fate: Fate
    why_not: str = ""
    """Why it is not removed; "" for Fate.REMOVE."""

    @property
    def key(self) -> tuple[str, str]:
        """Unlike any other finding's."""
        return self.kind.name, self.thing.id

    def __str__(self) -> str:
        short = self.thing.id.rpartition(":")[2]
        name = self.thing.name
        return f"{self.kind.name} {short}" + (f" ({name})" if name and name not in short else "")
