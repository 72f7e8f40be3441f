"""Zones that offer EC2's instance types, and the facts of each type that Karpenter compares."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

FILE = Path(__file__).with_name("instance-offerings.json")
"""File of the offerings, made by `python -m frugal_eks.dev.instance_types`. It is separate from the
list of types, which every node group reads: this one is six times as long, and only Karpenter's
node pools need it.
"""

_ZONE_ID = re.compile(r"([a-z0-9]+)-az(\d)")
"""Pattern of zone ids. Those of Local and Wavelength Zones look different (`use1-bos1-az1`)."""


class LaunchFacts(NamedTuple):
    """Facts of a type in DescribeInstanceTypes besides its size; None if EC2 reports nothing."""

    capacity_types: str
    """`on-demand`, `spot` or both, separated by a space."""
    manufacturer: str = ""
    """Manufacturer of the processor, in lower case."""
    clock_mhz: int = 0
    hypervisor: str = ""
    """Name of the hypervisor; empty for bare metal."""
    encrypts: bool = False
    """True if traffic between instances is encrypted by default."""
    ebs_mbps: int | None = None
    """Highest EBS bandwidth, if the type is EBS-optimized by default."""
    network_mbps: int | None = None
    """Network bandwidth without bursts, of all cards together."""
    nvme_gb: int | None = None
    """Size in GB of all local NVMe disks together."""
    gpu: str | None = None
    """Name, manufacturer, number, MiB of each: `t4 nvidia 1 16384`."""
    accelerator: str | None = None
    """Name, manufacturer, number: `inferentia aws 1`."""


class Region(NamedTuple):
    """A region in the list of offerings."""

    zones: str
    """Prefix of its zones' ids: `euw1` for `euw1-az1`."""
    date: str
    """Date when EC2 was asked."""


class KnownOfferings(NamedTuple):
    """The list of offerings in this release; only types that Karpenter can launch."""

    origin: str
    regions: Mapping[str, Region]
    types: Mapping[str, LaunchFacts]
    zones: Mapping[str, str]
    """Zones by instance type, as `euw1:123 use1:46`: offered in euw1-az1 to euw1-az3, use1-az4 and
    use1-az6. The name of a zone differs between accounts, its id does not.
    """

    def offered(self, region: str) -> Mapping[tuple[str, ...], Sequence[str]]:
        """Types of a region, grouped by the ids of the zones that offer them.

        Raises KeyError for a region that the list lacks.
        """
        prefix = self.regions[region].zones
        mark = f" {prefix}:"
        names_by_numbers: dict[str, list[str]] = {}
        for name, row in self.zones.items():
            numbers = f" {row}".partition(mark)[2].partition(" ")[0]
            if numbers:
                names_by_numbers.setdefault(numbers, []).append(name)
        return {
            tuple(f"{prefix}-az{n}" for n in each): names
            for each, names in names_by_numbers.items()
        }


def read(text: str) -> KnownOfferings:
    """Parses the list's file: for each type its zones, then the facts, without absent ones at the
    end.
    """
    content: dict[str, Any] = json.loads(text)
    rows = cast(dict[str, list[Any]], content["types"])
    regions = cast(dict[str, list[str]], content["regions"])
    return KnownOfferings(
        content["origin"],
        {name: Region(*each) for name, each in regions.items()},
        {name: LaunchFacts(*row[1:]) for name, row in rows.items()},
        {name: row[0] for name, row in rows.items()},
    )


@lru_cache(maxsize=1)
def known_offerings() -> KnownOfferings:
    """The list of offerings, which is read once, when first needed."""
    return read(FILE.read_text(encoding="utf-8"))


def zone_number(zone_id: str) -> tuple[str, str] | None:
    """Prefix and digit of a zone id; None for a Local or Wavelength Zone."""
    match = _ZONE_ID.fullmatch(zone_id)
    return (match[1], match[2]) if match else None
