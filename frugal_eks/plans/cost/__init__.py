"""What a stack costs a month, and what a change adds: `./frugal-eks cost STACK`."""

from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.compare import Comparison, compare
from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.estimate import Assumptions, Estimate, estimate
from frugal_eks.plans.cost.lines import Line, Unknown

__all__ = [
    "Amount",
    "Assumptions",
    "Comparison",
    "CostError",
    "Estimate",
    "Line",
    "Unknown",
    "compare",
    "estimate",
]
