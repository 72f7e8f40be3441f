"""Splits a CIDR into the subnets of a VPC."""

from dataclasses import dataclass
from ipaddress import IPv4Network

LARGEST, SMALLEST = 16, 28
"""Prefix lengths that AWS allows for a VPC and for a subnet."""
_PUBLIC_BITS = 3


@dataclass(frozen=True, kw_only=True)
class SubnetPlan:
    """A private and a public subnet for each zone, in the order of the zones."""

    private: tuple[IPv4Network, ...]
    public: tuple[IPv4Network, ...]


def subnet_plan(cidr: IPv4Network, zones: int, planned: int | None = None) -> SubnetPlan:
    """Plans large private subnets, where the pods are, and small public ones.

    `planned` is the number of zones that the VPC was laid out for; None means `zones`. The CIDR is
    halved until there are more blocks than planned zones. Each planned zone gets one block for its
    private subnet. The next block is divided into eight for the public subnets, half of which are
    reserved for them. A zone beyond the planned ones gets a free block, or else the other half of
    the public subnets' block. So with the same `planned` no subnet depends on the number of zones.
    Raises ValueError with the sizes if a public subnet would be smaller than AWS allows, or if
    there is no room for so many zones.
    """
    planned = planned or zones
    block = cidr.prefixlen + planned.bit_length()
    public = block + _PUBLIC_BITS
    if public > SMALLEST:
        wanted = SMALLEST - _PUBLIC_BITS - planned.bit_length()
        raise ValueError(
            f"/{cidr.prefixlen} is too small for {planned} zones: private subnets would be "
            f"/{block} and public ones /{public}, AWS allows /{SMALLEST} at the smallest; "
            f"give /{wanted} or larger"
        )
    blocks = list(cidr.subnets(new_prefix=block))
    public_half, other_half = blocks.pop(planned).subnets()
    private = [*blocks, other_half]
    public_blocks = list(public_half.subnets(new_prefix=public))
    room = min(len(private), len(public_blocks))
    if zones > room:
        raise ValueError(f"a network for {planned} zones has room for {room}, not for {zones}")
    return SubnetPlan(private=tuple(private[:zones]), public=tuple(public_blocks[:zones]))
