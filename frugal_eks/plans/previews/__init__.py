"""Reads what `pulumi preview --json` prints, of any Pulumi program."""

from frugal_eks.plans.previews.changes import Change, Operation
from frugal_eks.plans.previews.components import by_component, component
from frugal_eks.plans.previews.preview import Preview
from frugal_eks.plans.previews.steps import SECRET, UNKNOWN, PreviewStep, PropertyDiff, Resource

__all__ = [
    "SECRET",
    "UNKNOWN",
    "Change",
    "Operation",
    "Preview",
    "PreviewStep",
    "PropertyDiff",
    "Resource",
    "by_component",
    "component",
]
