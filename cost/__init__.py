"""What a stack costs a month, and what a change adds: `python -m cost STACK`."""

from cost.amounts import Amount
from cost.compare import Comparison, compare
from cost.errors import CostError
from cost.estimate import Assumptions, Estimate, estimate
from cost.lines import Line, Unknown

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
