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


def subnet_plan(cidr: IPv4Network, zones: int) -> SubnetPlan:
    """Cut large private subnets, where the pods are, and small public ones.

    The CIDR is halved until there are more blocks than zones. Each zone gets one block for its
    private subnet; the next block is cut in eight for the public ones. What remains of it, and the
    blocks after it, stay free: room for what comes later. Raises ValueError with the sizes where
    a public subnet would be smaller than AWS allows.
    """
    block = cidr.prefixlen + zones.bit_length()
    public = block + _PUBLIC_BITS
    if public > SMALLEST:
        wanted = SMALLEST - _PUBLIC_BITS - zones.bit_length()
        raise ValueError(
            f"/{cidr.prefixlen} is too small for {zones} zones: private subnets would be "
            f"/{block} and public ones /{public}, AWS allows /{SMALLEST} at the smallest; "
            f"give /{wanted} or larger"
        )
    blocks = list(cidr.subnets(new_prefix=block))
    public_blocks = list(blocks[zones].subnets(new_prefix=public))
    return SubnetPlan(private=tuple(blocks[:zones]), public=tuple(public_blocks[:zones]))
