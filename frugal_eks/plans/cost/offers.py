"""Instance types with their prices, and the choices among them."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from components.ec2.instance_types import known_types
from frugal_eks.plans.cost.prices import Found, UnknownPrice


class Offer(NamedTuple):
    """A type at a price."""

    type: str
    usd: float
    """An hour."""
    vcpu: int
    memory_mib: int
    reckoned: bool

    @property
    def shape(self) -> tuple[int, int]:
        """What a pod sees of it."""
        return self.vcpu, self.memory_mib


class Offers(NamedTuple):
    """What is known of some types, in their order."""

    known: Sequence[Offer]
    unknown: Sequence[str]
    """What is not, in words."""

    @property
    def cheapest(self) -> Offer:
        """Of those that are known: there must be one."""
        return min(self.known, key=lambda each: each.usd)

    @property
    def dearest(self) -> Offer:
        """Of those that are known: there must be one."""
        return max(self.known, key=lambda each: each.usd)

    @property
    def mean(self) -> float:
        """USD an hour: which of them EC2 takes is not known."""
        return sum(each.usd for each in self.known) / len(self.known)

    @property
    def reckoned(self) -> bool:
        """Whether any price was not read but reckoned."""
        return any(each.reckoned for each in self.known)


def shape(instance_type: str) -> tuple[int, int]:
    """vCPUs and MiB of a known type; of another, nothing."""
    facts = known_types().types.get(instance_type)
    return (facts.vcpu, facts.memory_mib) if facts else (0, 0)


def offers(types: Iterable[str], price: Callable[[str], Found]) -> Offers:
    """What these types cost."""
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
    """Those that somebody may buy who looks at prices: none that is dearer than one as large."""
    found: list[Offer] = []
    for each in sorted(all_of_them, key=lambda offer: (offer.usd, -offer.vcpu, -offer.memory_mib)):
        larger = (o for o in found if o.vcpu >= each.vcpu and o.memory_mib >= each.memory_mib)
        if next(larger, None) is None:
            found.append(each)
    return found
