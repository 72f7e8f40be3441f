"""Instance types with prices, and choices among them."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from components.ec2.instance_types import known_types
from frugal_eks.plans.cost.prices import Found, UnknownPrice


class Offer(NamedTuple):
    """An instance type at a price."""

    type: str
    usd: float
    """USD an hour."""
    vcpu: int
    memory_mib: int
    reckoned: bool

    @property
    def shape(self) -> tuple[int, int]:
        """vCPUs and memory in MiB, as pods see them."""
        return self.vcpu, self.memory_mib


class Offers(NamedTuple):
    """Prices of some instance types, in the order of the types."""

    known: Sequence[Offer]
    unknown: Sequence[str]
    """Types without a known price, as descriptions."""

    @property
    def cheapest(self) -> Offer:
        """The cheapest known offer; fails if none is known."""
        return min(self.known, key=lambda each: each.usd)

    @property
    def dearest(self) -> Offer:
        """The dearest known offer; fails if none is known."""
        return max(self.known, key=lambda each: each.usd)

    @property
    def mean(self) -> float:
        """Mean of the known prices, USD an hour: which type EC2 takes is not known."""
        return sum(each.usd for each in self.known) / len(self.known)

    @property
    def reckoned(self) -> bool:
        """True if a price was calculated instead of read."""
        return any(each.reckoned for each in self.known)


def shape(instance_type: str) -> tuple[int, int]:
    """vCPUs and memory in MiB of a known instance type; (0, 0) of another."""
    facts = known_types().types.get(instance_type)
    return (facts.vcpu, facts.memory_mib) if facts else (0, 0)


def offers(types: Iterable[str], price: Callable[[str], Found]) -> Offers:
    """Looks up the prices of instance types."""
    known: list[Offer] = []
    unknown: list[str] = []
    for name in types:
        try:
            usd, reckoned = price(name)
        except UnknownPrice as each:
            unknown.append(str(each))
            continue
        known.append(Offer(name, usd, *shape(name), reckoned))
    return Offers(known, unknown)


def sensible(all_of_them: Iterable[Offer]) -> Sequence[Offer]:
    """Offers that a buyer who looks at prices may take: none for which a cheaper one is as
    large.
    """
    kept: list[Offer] = []
    for each in sorted(all_of_them, key=lambda offer: (offer.usd, -offer.vcpu, -offer.memory_mib)):
        larger = (o for o in kept if o.vcpu >= each.vcpu and o.memory_mib >= each.memory_mib)
        if next(larger, None) is None:
            kept.append(each)
    return kept
