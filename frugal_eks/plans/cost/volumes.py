"""EBS volumes, of nodes and by themselves."""

import re
from collections.abc import Iterable
from typing import Any

from frugal_eks.plans.cost.prices import Prices, Service, UnknownPrice
from frugal_eks.plans.cost.program import Inputs, number, part

DEFAULT_GIB = 20.0
"""GiB of the root volume in images of EKS and Amazon Linux, if no size is given; other images have
8.
"""

_SERVICES: dict[str, Service] = {"gp3": "gp3GbMonth", "gp2": "gp2GbMonth"}
_FREE_IOPS, _FREE_MIBPS = 3000, 125
_UNITS = {"Ki": 1 / 2**20, "Mi": 1 / 1024, "Gi": 1.0, "Ti": 1024.0, "G": 1e9 / 2**30, "": 1.0}


def mapped(mappings: Iterable[Inputs], prices: Prices) -> float:
    """Monthly cost in USD of one instance's volumes, from its block device mappings."""
    volumes = [part(each, "ebs") for each in mappings]
    return sum(volume(each, prices) for each in volumes if each) or volume({}, prices)


def volume(ebs: Inputs, prices: Prices) -> float:
    """Monthly cost in USD of one volume. Raises UnknownPrice."""
    kind = ebs.get("volumeType") or ebs.get("type") or "gp3"
    if kind not in _SERVICES:
        raise UnknownPrice(f"the price of a volume of type {kind} in {prices.region}")
    iops, throughput = number(ebs, "iops") or 0, number(ebs, "throughput") or 0
    if kind == "gp3" and (iops > _FREE_IOPS or throughput > _FREE_MIBPS):
        raise UnknownPrice(
            f"the price of a gp3 volume with more than {_FREE_IOPS} IOPS or {_FREE_MIBPS} MiB/s "
            f"in {prices.region}"
        )
    return gib(ebs.get("volumeSize", ebs.get("size"))) * prices.of(_SERVICES[kind])


def gib(size: Any) -> float:
    """GiB of a number or a Kubernetes quantity; DEFAULT_GIB if the size is not known yet."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|G|)", str(size))
    return float(match[1]) * _UNITS[match[2]] if match else DEFAULT_GIB
