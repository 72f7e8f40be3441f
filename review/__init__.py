"""Writes of a preview what a reviewer decides from, as one comment in Markdown."""

from review.comment import comment
from review.risk import Concern, Risk
from review.risks import risks

__all__ = ["Concern", "Risk", "comment", "risks"]
