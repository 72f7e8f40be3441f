"""Converts metadata of Karpenter's objects: the name is used, the rest has no place or is the
server's.
"""

from collections.abc import Mapping
from typing import Any

from components.karpenter.crd_structure import as_map
from frugal_eks.migrate.notes import Note
from frugal_eks.migrate.reader import Reader

# What the API server, kubectl, Pulumi and Karpenter itself write there.
_SERVERS = {
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
}
_TOOLS = ("kubectl.kubernetes.io/last-applied-configuration", "pulumi.com/")
_HASHES = ("-hash", "-hash-version")
_OWN = ("karpenter.sh/", "karpenter.k8s.aws/")
_UNKNOWN = "has no place in the stack file: labels and annotations there are the nodes'"


def take_object(source: Reader) -> list[Note]:
    """Takes everything of an object but its spec, and notes what is left."""
    for key in ("apiVersion", "kind", "status"):
        source.take(key)
    notes: list[Note] = []
    for key, value in as_map(source.take("metadata")).items():
        if key in ("labels", "annotations"):
            below = as_map(value).items()
            notes += [
                Note(f"metadata.{key}.{name}", _UNKNOWN, text)
                for name, text in below
                if not _by_a_tool(name)
            ]
        elif key != "name" and key not in _SERVERS:
            notes.append(Note(f"metadata.{key}", "has no place in the stack file", value))
    return notes


def renamed(annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Annotations of pods and nodes under their current names; an annotation already under a
    current name wins.
    """
    current_names = {_NAMES.get(key, key): value for key, value in annotations.items()}
    return current_names | {key: value for key, value in annotations.items() if key not in _NAMES}


_NAMES = {
    "karpenter.sh/do-not-evict": "karpenter.sh/do-not-disrupt",
    "karpenter.sh/do-not-consolidate": "karpenter.sh/do-not-disrupt",
}


def _by_a_tool(annotation: str) -> bool:
    return annotation.startswith(_TOOLS) or (
        annotation.startswith(_OWN) and annotation.endswith(_HASHES)
    )
