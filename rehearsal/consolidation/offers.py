"""The cheapest offering for a pod among the types that Karpenter offered, at the played prices."""

from collections.abc import Collection, Iterator

from components.ec2.instance_types import TypeFacts, known_types
from rehearsal.aws import prices
from rehearsal.clients import aws_client
from rehearsal.consolidation.trace import Offer
from rehearsal.state import Endpoints

GIB = 1024**3
UNITS = {"Ki": 1024, "Mi": 1024**2, "Gi": GIB, "Ti": 1024 * GIB, "k": 10**3, "M": 10**6, "G": 10**9}


def cheapest(
    endpoints: Endpoints,
    types: Collection[str],
    capacities: Collection[str],
    requests: dict[str, str],
) -> Offer | None:
    """Cheapest offer for pods with these `requests` (cpu, memory); None if no type is known."""
    cpu, memory = quantity(requests.get("cpu", "0")), quantity(requests.get("memory", "0"))
    known = known_types().types
    room = {name: _fitting(known[name], cpu, memory) for name in types if name in known}
    offers = [
        Offer(name, capacity, zone, price, room[name])
        for name, capacity, zone, price in _priced(endpoints)
        if name in room and capacity in capacities and room[name] > 0
    ]
    return min(offers, key=lambda offer: (offer.per_pod, offer.instance_type), default=None)


def quantity(text: str) -> float:
    """The number that a Kubernetes quantity such as 1536Mi or 500m stands for."""
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    return float(text.removesuffix("m")) / 1000 if text.endswith("m") else float(text)


def _fitting(facts: TypeFacts, cpu: float, memory: float) -> float:
    """Number of pods that fit a type, fractions included."""
    limits = [facts.vcpu / cpu] if cpu else []
    limits += [facts.memory_mib * 1024**2 / memory] if memory else []
    return min(limits, default=0.0)


def _priced(endpoints: Endpoints) -> Iterator[tuple[str, str, str, float]]:
    """Type, capacity type, zone ("any" on demand) and USD an hour of all offerings."""
    for name, price in prices.load().on_demand(endpoints["region"]):
        yield name, "on-demand", "any zone", price
    ec2 = aws_client("ec2", endpoints)
    for page in ec2.get_paginator("describe_spot_price_history").paginate():
        for entry in page["SpotPriceHistory"]:
            yield (
                entry["InstanceType"],
                "spot",
                entry["AvailabilityZone"],
                float(entry["SpotPrice"]),
            )
