"""Draws a program's components and their dependencies."""

from frugal_eks.plans.previews.picture.graph import PictureError, graph
from frugal_eks.plans.previews.picture.svg import svg

__all__ = ["PictureError", "graph", "svg"]
