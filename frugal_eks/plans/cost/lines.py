"""Lines of an estimate."""

from dataclasses import dataclass
from typing import Literal

from frugal_eks.plans.cost.amounts import Amount

Kind = Literal[
    "control plane",
    "Fargate pods",
    "nodes on demand",
    "spot nodes",
    "Karpenter's nodes",
    "volumes",
    "NAT",
    "public addresses",
    "interface endpoints",
    "load balancers",
    "files",
    "logs",
    "keys",
    "hosted zones",
]
"""Kind of cost, in the order of reports."""


@dataclass(frozen=True)
class Line:
    """One thing that costs money."""

    kind: Kind
    component: str
    """Name of the component that the resource belongs to; empty if outside all components."""
    name: str
    """Name of the resource."""
    what: str
    """Description, such as `2 pods of 1 vCPU and 2 GB on Fargate`."""
    monthly: Amount
    """USD a month."""
    note: str = ""
    """Basis of the figure, if that is not plain."""


@dataclass(frozen=True)
class Unknown:
    """Something that costs money and whose price or extent is not known."""

    component: str
    name: str
    what: str
    """Description, such as `the price of m9z.large on demand in eu-west-1`."""
