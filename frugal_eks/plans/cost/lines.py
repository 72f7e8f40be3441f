"""What an estimate is made of."""

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
"""In the order in which they are told."""


@dataclass(frozen=True)
class Line:
    """One thing that is paid for."""

    kind: Kind
    component: str
    """The part of the program that it belongs to; empty outside of all."""
    name: str
    """Of the resource."""
    what: str
    """For example `2 pods of 1 vCPU and 2 GB on Fargate`."""
    monthly: Amount
    """USD."""
    note: str = ""
    """What the figure rests on, where that is not plain."""


@dataclass(frozen=True)
class Unknown:
    """Something that is paid for and whose price, or whose extent, is not known."""

    component: str
    name: str
    what: str
    """For example `the price of m9z.large on demand in eu-west-1`."""
