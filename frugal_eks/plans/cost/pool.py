"""One pool of Karpenter: what EC2 offers it, and what its limits and its pods make of that."""

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
"""Of a type's memory, what Karpenter's vmMemoryOverheadPercent takes off: limits are counted
without it."""
OWN = Request(0.3, 2**30)
"""Of each node, what kubelet and the DaemonSets of EKS take: on 4 vCPU 0.26 and 1 GiB."""
MIB = 2**20


class Need(NamedTuple):
    """What stated workloads ask of a pool."""

    total: Request
    largest: Request
    """Of one pod."""
    names: Sequence[str]


class Bound(NamedTuple):
    """The most that a pool may cost."""

    offer: Offer
    nodes: int
    monthly: float


@dataclass(frozen=True)
class Pool:
    """A NodePool, what EC2 offers it, and what its nodes' volumes cost."""

    resource: Resource
    region: str
    prices: Prices
    volume: float
    """USD a month, of each node."""

    @property
    def spec(self) -> Inputs:
        """Karpenter's."""
        return part(self.resource.inputs, "spec")

    @property
    def replicas(self) -> float | None:
        """Of a static pool, how many nodes it keeps; None of any other."""
        return number(self.spec, "replicas")

    @property
    def unpriced(self) -> Sequence[str]:
        """Types that fit, of sizes that no type with a known price has."""
        known = {each.shape for each in self.listed.known}
        fit = fitting(self.rules, region=self.region).types
        return [name for name in fit if shape(name) not in known]

    @property
    def labels(self) -> Mapping[str, str]:
        """Of its nodes."""
        found = part(self.spec, "template", "metadata", "labels")
        return {key: str(value) for key, value in found.items()}

    @cached_property
    def rules(self) -> Mapping[str, LabelRule]:
        """What its requirements leave, by key."""
        asked = objects(part(self.spec, "template", "spec"), "requirements")
        return rules_of(asked, self.labels)

    @cached_property
    def listed(self) -> Offers:
        """What fits, on demand."""
        return offers(fitting(self.rules, region=self.region).types, self.prices.on_demand)

    @cached_property
    def usual(self) -> Offers:
        """What fits, at the price that Karpenter looks for: spot wherever there is any."""
        if not self.has_spot:
            return self.listed
        return offers((each.type for each in self.listed.known), self.prices.spot)

    @property
    def has_spot(self) -> bool:
        """Whether its requirements leave spot."""
        return self.rules.get(CAPACITY_TYPE, LabelRule(others=True)).allows("spot")

    def runs(self, workload: Workload) -> bool:
        """Whether a workload's node selector finds its nodes."""
        return all(
            self.labels.get(key) == value or (key in self.rules and self.rules[key].allows(value))
            for key, value in workload.node_selector.items()
        )

    @property
    def tainted(self) -> bool:
        """Whether pods need to say that they bear it."""
        return bool(objects(part(self.spec, "template", "spec"), "taints"))

    def nodes_at_limits(self, offer: Offer) -> int | None:
        """How many of a type the limits allow; None where nothing limits them."""
        limits = part(self.spec, "limits")
        sizes = {
            "cpu": offer.vcpu,
            "memory": offer.memory_mib * MIB * (1 - UNUSABLE),
            "nodes": 1.0,
        }
        found = [
            floor(limit / size)
            for key, size in sizes.items()
            if (limit := quantity(limits.get(key))) is not None and size
        ]
        return min(found, default=None)

    @cached_property
    def sensible(self) -> Sequence[Offer]:
        """Karpenter buys none of the others: one that is as large costs less."""
        return sensible(self.listed.known)

    @cached_property
    def bound(self) -> Bound | None:
        """The dearest sensible way to its limits; None where nothing limits it."""
        found: list[Bound] = []
        for each in self.sensible:
            nodes = self.nodes_at_limits(each)
            if nodes is None:
                return None
            found.append(Bound(each, nodes, nodes * (each.usd * HOURS + self.volume)))
        return max(found, key=lambda each: each.monthly, default=None)

    def cheapest_for(self, need: Need) -> Bound | None:
        """What Karpenter would buy for a need: nodes of one type, as cheap as can be."""
        found: list[Bound] = []
        for each in self.usual.known:
            cpu = each.vcpu - OWN.cpu
            memory = each.memory_mib * MIB * (1 - UNUSABLE) - OWN.memory
            if cpu < need.largest.cpu or memory < need.largest.memory or min(cpu, memory) <= 0:
                continue
            nodes = max(ceil(need.total.cpu / cpu), ceil(need.total.memory / memory), 1)
            found.append(Bound(each, nodes, nodes * (each.usd * HOURS + self.volume)))
        return min(found, key=lambda each: each.monthly, default=None)
