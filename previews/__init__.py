"""Reads what `pulumi preview --json` prints, of any Pulumi program."""

from previews.changes import Change, Operation
from previews.components import by_component, component
from previews.preview import Preview, PreviewError
from previews.steps import SECRET, UNKNOWN, PropertyDiff, Resource, Step

__all__ = [
    "SECRET",
    "UNKNOWN",
    "Change",
    "Operation",
    "Preview",
    "PreviewError",
    "PropertyDiff",
    "Resource",
    "Step",
    "by_component",
    "component",
]
