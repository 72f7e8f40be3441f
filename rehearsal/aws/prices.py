"""Prices of EC2 instances in a rehearsal: dated list prices, and spot prices after a sample.

The data (prices.json, made by price_table.py) has Linux prices in USD an hour:

- on-demand list prices of every type in us-east-1;
- two sampled types (m6i.2xlarge, c6in.2xlarge) with their list price in each region and their
  spot price in each zone.

The rules that make every other price of them, so that nothing here passes for a quotation:

- on-demand in another region = the type's price in us-east-1 x what the sampled type costs in that
  region / what it costs in us-east-1. A region without a sample has us-east-1's prices, which is
  also what Karpenter falls back to;
- spot = on-demand x the share of its list price that the sampled type costs in that zone; types of
  the c families follow c6in, all others m6i. A zone without a sample has its region's mean share,
  a region without one us-east-1's.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "prices.json"
HOME = "us-east-1"
SAMPLES = ("m6i.2xlarge", "c6in.2xlarge")
"""Sampled types: for all families, and for the c families."""


@dataclass(frozen=True)
class Prices:
    """Prices in USD an hour, Linux, shared tenancy or bare metal."""

    list_prices: dict[str, float]
    """On-demand prices in us-east-1 by instance type."""
    samples: dict[str, dict[str, dict[str, Any]]]
    """Samples by type and region: onDemand, and spot by zone id."""
    date: str
    """Date of the list prices, ISO."""

    def on_demand(self, region: str) -> Iterator[tuple[str, float]]:
        """On-demand prices in a region, of every type that has one."""
        for instance_type, price in self.list_prices.items():
            yield instance_type, round(price * self._level(instance_type, region), 6)

    def spot(self, instance_type: str, region: str, zone_id: str) -> float | None:
        """The spot price in a zone, such as euw1-az1; None for a type without a list price."""
        price = self.list_prices.get(instance_type)
        if price is None:
            return None
        level, share = (
            self._level(instance_type, region),
            self._share(instance_type, zone_id, region),
        )
        return round(price * level * share, 6)

    def _level(self, instance_type: str, region: str) -> float:
        sample = self._sample(instance_type, region)
        return sample[region]["onDemand"] / sample[HOME]["onDemand"] if region in sample else 1.0

    def _share(self, instance_type: str, zone_id: str, region: str) -> float:
        sample = self._sample(instance_type, region)
        entry = sample.get(region, sample[HOME])
        price = entry["spot"].get(zone_id) or statistics.fmean(entry["spot"].values())
        return price / entry["onDemand"]

    def _sample(self, instance_type: str, region: str) -> dict[str, dict[str, Any]]:
        general, compute = (self.samples[name] for name in SAMPLES)
        return compute if instance_type.startswith("c") and region in compute else general


@cache
def load() -> Prices:
    """The prices of prices.json."""
    data = json.loads(DATA.read_text())
    return Prices(data["onDemand"], data["samples"], data["origin"]["onDemand"]["date"])
