"""A picture of a program: its components, and what waits for what."""

from frugal_eks.plans.previews.picture.graph import PictureError, graph
from frugal_eks.plans.previews.picture.svg import svg

__all__ = ["PictureError", "graph", "svg"]
