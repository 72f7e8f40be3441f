"""Where EC2 offers its instance types, and what Karpenter compares of each."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

FILE = Path(__file__).with_name("instance-offerings.json")
"""Made by `python -m frugal_eks.dev.instance_types`. Not in the list of types, which
every node group reads: this one is six times as long, and only node pools of Karpenter need it."""

_ZONE_ID = re.compile(r"([a-z0-9]+)-az(\d)")
"""Local and Wavelength Zones are called otherwise (`use1-bos1-az1`)."""


class LaunchFacts(NamedTuple):
    """What DescribeInstanceTypes tells of a type beside its size; absent: EC2 tells nothing."""

    capacity_types: str
    """`on-demand`, `spot` or both, with a space between."""
    manufacturer: str = ""
    """Who makes the processor, in lower case."""
    clock_mhz: int = 0
    hypervisor: str = ""
    """Empty for bare metal."""
    encrypts: bool = False
    """Traffic between instances, unasked."""
    ebs_mbps: int | None = None
    """The most, where the type is EBS optimized unasked."""
    network_mbps: int | None = None
    """Without bursts, of all cards."""
    nvme_gb: int | None = None
    """GB of all local NVMe disks together."""
    gpu: str | None = None
    """Name, manufacturer, how many, MiB of each: `t4 nvidia 1 16384`."""
    accelerator: str | None = None
    """Name, manufacturer, how many: `inferentia aws 1`."""


class Region(NamedTuple):
    """A region that was asked."""

    zones: str
    """What its zones' ids begin with: `euw1` for `euw1-az1`."""
    date: str
    """When it was asked."""


class KnownOfferings(NamedTuple):
    """The list that ships; only types that Karpenter can launch."""

    origin: str
    regions: Mapping[str, Region]
    types: Mapping[str, LaunchFacts]
    zones: Mapping[str, str]
    """Zones by instance type, as `euw1:123 use1:46`: offered in euw1-az1 to euw1-az3, use1-az4 and
    use1-az6. A zone's name is each account's own, its id is everyone's."""

    def offered(self, region: str) -> Mapping[tuple[str, ...], Sequence[str]]:
        """The types by the ids of the zones that offer them, of those that the region has.

        Raises KeyError of a region that was never asked.
        """
        prefix = self.regions[region].zones
        mark = f" {prefix}:"
        found: dict[str, list[str]] = {}
        for name, row in self.zones.items():
            numbers = f" {row}".partition(mark)[2].partition(" ")[0]
            if numbers:
                found.setdefault(numbers, []).append(name)
        return {tuple(f"{prefix}-az{n}" for n in each): names for each, names in found.items()}


def read(text: str) -> KnownOfferings:
    """The list as its file has it: type → zones, then the facts, without what is absent at the
    end."""
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
    """Read at the first need, once."""
    return read(FILE.read_text(encoding="utf-8"))


def zone_number(zone_id: str) -> tuple[str, str] | None:
    """What the id of a region's own zone says: its region's beginning, and a digit."""
    found = _ZONE_ID.fullmatch(zone_id)
    return (found[1], found[2]) if found else None
