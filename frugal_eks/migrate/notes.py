"""Types that converters receive and return. One document goes in; parts of the stack file, comments
on its lines and what has no equivalent come out.

A converter is a module with two functions, listed in `frugal_eks/migrate/converters.py`:

    def handles(document: Mapping[str, Any]) -> bool
    def convert_provisioner(source: Reader, context: Context) -> Converted

`handles` checks apiVersion and kind, or the keys of a document without a kind. `convert_…` reads
through the Reader (frugal_eks/migrate/reader.py), which tracks what was read: conversion.py adds a
note for each leaf that no converter took, so that no field of a source is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str | int, ...]
"""A line of the stack file: `("karpenter", "nodePools", "default", "taints", 0, "effect")`, without
the project's name before the section."""


@dataclass(frozen=True)
class Note:
    """Something of a source that the stack file does not express."""

    path: str
    """Path in its document, such as `spec.provider.launchTemplate`; empty for the document as a
    whole.
    """
    text: str
    """Why it has no place, and what to do instead."""
    value: Any = None
    """The value in the source."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """Result of converting one document."""

    sections: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of the stack file without `frugal-eks:` (and `aws:region`), with plain values below."""
    comments: Mapping[Place, str] = field(default_factory=dict[Place, str])
    """A comment for each line whose meaning changed: a few words, without `#`."""
    left: Sequence[Note] = ()
    """Notes on what has no equivalent. Leaves that no converter read are added later."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """Facts beyond its own document that a converter may need."""

    cluster: str | None
    """Cluster name from the option, else from the ClusterConfig among the documents."""
    region: str | None
    """Region from the option, else from the ClusterConfig among the documents."""
    documents: Sequence[Mapping[str, Any]]
    """All documents of this run, with their placeholders filled in. Of two with one kind and name
    only the later one, as with kubectl.
    """
