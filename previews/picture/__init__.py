"""A picture of a program: its components, and what waits for what."""

from previews.picture.graph import PictureError, graph
from previews.picture.svg import svg

__all__ = ["PictureError", "graph", "svg"]
