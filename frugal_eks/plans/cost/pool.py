"""One Karpenter NodePool: its offers, and the cost of its pods and of its limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import NamedTuple

from components.ec2.label_rules import LabelRule, rules_of
from components.ec2.labels import CAPACITY_TYPE
from components.ec2.offerings import fitting
from frugal_eks.plans.cost.amounts import HOURS
from frugal_eks.plans.cost.offers import Offer, Offers, offers, sensible, shape
from frugal_eks.plans.cost.prices import Prices
from frugal_eks.plans.cost.program import Inputs, number, objects, part
from frugal_eks.plans.cost.quantities import quantity
from frugal_eks.plans.cost.workloads import Request, Workload
from frugal_eks.plans.previews import Resource

UNUSABLE = 0.075
"""Share of a type's memory that Karpenter's vmMemoryOverheadPercent takes off; limits count memory
without it.
"""
OWN = Request(0.3, 2**30)
"""Request of kubelet and EKS's DaemonSets on each node: on 4 vCPU 0.26 and 1 GiB."""
MIB = 2**20


class Need(NamedTuple):
    """Requests of the known workloads that run in a pool."""

    total: Request
    largest: Request
    """Request of the largest pod."""
    names: Sequence[str]


class Bound(NamedTuple):
    """Nodes of one type that a pool may run, with their cost."""

    offer: Offer
    nodes: int
    monthly: float


@dataclass(frozen=True)
class Pool:
    """A NodePool with its priced offers and the cost of its nodes' volumes."""

    resource: Resource
    region: str
    prices: Prices
    volume: float
    """Volumes of each node, USD a month."""

    @property
    def spec(self) -> Inputs:
        """The NodePool's spec."""
        return part(self.resource.inputs, "spec")

    @property
    def replicas(self) -> float | None:
        """Number of nodes of a static pool; None for other pools."""
        return number(self.spec, "replicas")

    @property
    def unpriced(self) -> Sequence[str]:
        """Fitting types of sizes for which no type has a known price."""
        known = {each.shape for each in self.listed.known}
        fit = fitting(self.rules, region=self.region).types
        return [name for name in fit if shape(name) not in known]

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of the pool's nodes."""
        labels = part(self.spec, "template", "metadata", "labels")
        return {key: str(value) for key, value in labels.items()}

    @cached_property
    def rules(self) -> Mapping[str, LabelRule]:
        """Values that the pool's requirements allow, by label key."""
        requirements = objects(part(self.spec, "template", "spec"), "requirements")
        return rules_of(requirements, self.labels)

    @cached_property
    def listed(self) -> Offers:
        """On-demand offers of the fitting types."""
        return offers(fitting(self.rules, region=self.region).types, self.prices.on_demand)

    @cached_property
    def usual(self) -> Offers:
        """Offers of the fitting types at the price that Karpenter looks for: spot if the pool
        allows it.
        """
        if not self.has_spot:
            return self.listed
        return offers((each.type for each in self.listed.known), self.prices.spot)

    @property
    def has_spot(self) -> bool:
        """True if the pool's requirements allow spot."""
        return self.rules.get(CAPACITY_TYPE, LabelRule(others=True)).allows("spot")

    def runs(self, workload: Workload) -> bool:
        """True if a workload's node selector matches the pool's nodes."""
        return all(
            self.labels.get(key) == value or (key in self.rules and self.rules[key].allows(value))
            for key, value in workload.node_selector.items()
        )

    @property
    def tainted(self) -> bool:
        """True if the pool's nodes have taints, which pods must tolerate."""
        return bool(objects(part(self.spec, "template", "spec"), "taints"))

    def nodes_at_limits(self, offer: Offer) -> int | None:
        """Number of nodes of this offer that the limits allow; None without limits."""
        limits = part(self.spec, "limits")
        sizes = {
            "cpu": offer.vcpu,
            "memory": offer.memory_mib * MIB * (1 - UNUSABLE),
            "nodes": 1.0,
        }
        counts = [
            floor(limit / size)
            for key, size in sizes.items()
            if (limit := quantity(limits.get(key))) is not None and size
        ]
        return min(counts, default=None)

    @cached_property
    def sensible(self) -> Sequence[Offer]:
        """Offers that Karpenter may buy: none for which a cheaper one is as large."""
        return sensible(self.listed.known)

    @cached_property
    def bound(self) -> Bound | None:
        """The dearest sensible offer at the pool's limits; None without limits."""
        bounds: list[Bound] = []
        for each in self.sensible:
            nodes = self.nodes_at_limits(each)
            if nodes is None:
                return None
            bounds.append(Bound(each, nodes, nodes * (each.usd * HOURS + self.volume)))
        return max(bounds, key=lambda each: each.monthly, default=None)

    def cheapest_for(self, need: Need) -> Bound | None:
        """The cheapest nodes of one type that hold a need, as Karpenter would buy them; None if no
        type fits.
        """
        candidates: list[Bound] = []
        for each in self.usual.known:
            cpu = each.vcpu - OWN.cpu
            memory = each.memory_mib * MIB * (1 - UNUSABLE) - OWN.memory
            if cpu < need.largest.cpu or memory < need.largest.memory or min(cpu, memory) <= 0:
                continue
            nodes = max(ceil(need.total.cpu / cpu), ceil(need.total.memory / memory), 1)
            candidates.append(Bound(each, nodes, nodes * (each.usd * HOURS + self.volume)))
        return min(candidates, key=lambda each: each.monthly, default=None)
