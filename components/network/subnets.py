"""How one CIDR is cut into the subnets of a VPC."""

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
    """Cut large private subnets, where the pods are, and small public ones.

    `planned` is the number of zones that the VPC was laid out for; None means `zones`. The CIDR is
    halved until there are more blocks than planned zones. Each planned zone gets one block for its
    private subnet; the next block is cut in eight for the public ones, of which half are kept for
    that. A zone beyond the planned ones gets a block that is still free, or else the other half of
    the block of the public subnets. So with one number of planned zones no subnet depends on how
    many zones there are. Raises ValueError with the sizes where a public subnet would be smaller
    than AWS allows, and where there is no room for so many zones.
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
