"""Writes the review comment of a preview, in Markdown."""

from frugal_eks.plans.review.comment import comment
from frugal_eks.plans.review.risk import Concern, Risk
from frugal_eks.plans.review.risks import risks

__all__ = ["Concern", "Risk", "comment", "risks"]
