"""What a converter gets and hands over. One document goes in; parts of the stack file, comments on
its lines and what has no equivalent come out.

A converter is a module with two functions, listed in `frugal_eks/migrate/converters.py`:

    def handles(document: Mapping[str, Any]) -> bool
    def convert(source: Reader, context: Context) -> Converted

`handles` looks at apiVersion and kind, or at the keys where there is no kind. `convert` reads by
the Reader (frugal_eks/migrate/reader.py), which remembers what was read: the frame adds a note for
each leaf that nobody took, so that no field of a source is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str | int, ...]
"""A line of the stack file: `("karpenter", "nodePools", "default", "taints", 0, "effect")`, without
the project's name before the section."""


@dataclass(frozen=True)
class Note:
    """Something of a source that the stack file does not say."""

    path: str
    """Where it stands in its document, for example `spec.provider.launchTemplate`; empty: the
    document as a whole."""
    text: str
    """Why it has no place, and what to do instead."""
    value: Any = None
    """What stood there."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """What one document comes to."""

    sections: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of the stack file without `frugal-eks:` (and `aws:region`), with plain values below."""
    comments: Mapping[Place, str] = field(default_factory=dict[Place, str])
    """For each line whose meaning changed, what changed: a few words, without `#`."""
    left: Sequence[Note] = ()
    """What has no equivalent. Leaves that nobody read are added by the frame."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a converter may have to know beside its own document."""

    cluster: str | None
    """The cluster's name: that of the option, else of the ClusterConfig among the documents."""
    region: str | None
    """Likewise."""
    documents: Sequence[Mapping[str, Any]]
    """All documents of this run, with their placeholders filled in. Of two with one kind and name
    only the later is here, as kubectl would have it."""
