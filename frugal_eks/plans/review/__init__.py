"""Writes of a preview what a reviewer decides from, as one comment in Markdown."""

from frugal_eks.plans.review.comment import comment
from frugal_eks.plans.review.risk import Concern, Risk
from frugal_eks.plans.review.risks import risks

__all__ = ["Concern", "Risk", "comment", "risks"]
