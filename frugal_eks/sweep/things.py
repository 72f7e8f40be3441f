"""Types of the sweep: kinds, things in the account, and findings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from frugal_eks.sweep.account import Account

FREE = "nothing"


@dataclass(frozen=True, kw_only=True)
class Thing:
    """A thing in the account that may belong to the cluster."""

    id: str
    """Identifier for AWS's calls: an id, a name or an ARN."""
    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    by: str = ""
    """Evidence beside the tags that it belongs to the cluster; "" if there is none."""
    cost: str = FREE
    """Cost for humans: an amount, what is billed, or FREE."""
    busy: str = ""
    """Why it cannot be removed now; "" if it can."""
    owner: str = ""
    """Owning account, if AWS also lists what others share; else ""."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of thing; `frugal_eks.sweep.kinds.KINDS` has all in the order of removal."""

    name: str
    """Name for humans, in the singular."""
    look: Callable[[Account, str], Iterable[Thing]]
    """Lists things of the account that may belong to the cluster of that name."""
    remove: Callable[[Account, Thing], None]
    """Asks AWS to remove one thing, which may take time. Raises botocore's ClientError."""
    keeps_data: bool = False
    """True if the kind is removed only on explicit request (`--volumes`)."""
    made_by_up: bool = False
    """True if `pulumi up` creates the kind, so that a state tells which things are leftovers."""


class Fate(Enum):
    """What the sweep does with a finding."""

    REMOVE = "remove"
    KEEP = "keep"
    """The cluster's alone, but it holds data and its removal was not requested."""
    NOT_OURS = "not ours"
    """Names the cluster, but is shared or another's."""


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
        """Unique key of the finding."""
        return self.kind.name, self.thing.id

    def __str__(self) -> str:
        short = self.thing.id.rpartition(":")[2]
        name = self.thing.name
        return f"{self.kind.name} {short}" + (f" ({name})" if name and name not in short else "")
