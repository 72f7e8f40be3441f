"""Price lists that ship: one dated file for each region; regions do not share prices."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from frugal_eks.plans.cost.errors import CostError

FOLDER = Path(__file__).with_name("price_lists")
"""Folder of the price lists; `./frugal-eks prices` refreshes them."""

Service = Literal[
    "eksHour",
    "eksExtendedHour",  # on top of eksHour
    "fargateVcpuHour",
    "fargateGbHour",
    "natHour",
    "natGb",
    "publicIpv4Hour",
    "gp2GbMonth",
    "gp3GbMonth",
    "kmsKeyMonth",
    "logsIngestedGb",
    "logsStoredGbMonth",
    "loadBalancerHour",
    "networkLoadBalancerHour",
    "endpointHour",
    "efsGbMonth",
    "hostedZoneMonth",
]


Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None
"""ISO date; null if the source has none."""


class _Written(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Price(_Written):
    """Price of one unit."""

    usd: float = Field(gt=0)
    date: Date
    source: str


class InstancePrices(_Written):
    """Prices of many instance types from one source: USD an hour, Linux, shared tenancy."""

    date: Date
    source: str
    reckoned: bool = False
    """True if the prices were calculated by a rule, which `source` names."""
    usd: Mapping[str, float]


class SpotShare(_Written):
    """Share of the on-demand price that spot costs, for types without a known spot price."""

    date: Date
    source: str
    share: float = Field(gt=0, le=1)
    families: str = ""
    """Prefix of the types; empty for all others."""


class PriceList(_Written):
    """Price list file of a region."""

    region: str
    services: Mapping[Service, Price]
    on_demand: tuple[InstancePrices, ...] = ()
    """On-demand prices; the first entry that has a type counts."""
    spot: tuple[InstancePrices, ...] = ()
    spot_shares: tuple[SpotShare, ...] = ()
    """Spot shares; the first entry whose families match counts."""


class Found(NamedTuple):
    """Price of an instance, USD an hour."""

    usd: float
    reckoned: bool


class UnknownPrice(Exception):
    """A price that the region's list does not have."""


class Prices:
    """Prices of one region. Look-ups raise UnknownPrice."""

    def __init__(self, region: str, known: PriceList | None) -> None:
        self.region = region
        self._known = known or PriceList(region=region, services={})

    @cached_property
    def dates(self) -> tuple[str, str] | None:
        """Dates of the oldest and the newest price; None if the region has no prices."""
        dates = [each.date for each in self._known.services.values() if each.date]
        dates += [each.date for each in self._known.on_demand if each.date]
        return (min(dates), max(dates)) if dates else None

    def of(self, service: Service) -> float:
        """USD for one unit of the service."""
        price = self._known.services.get(service)
        if price is None:
            raise UnknownPrice(f"the price of {service} in {self.region}")
        return price.usd

    def on_demand(self, instance_type: str) -> Found:
        """On-demand price, USD an hour."""
        price = _first(self._known.on_demand, instance_type)
        if price is None:
            raise UnknownPrice(f"the price of {instance_type} on demand in {self.region}")
        return price

    def spot(self, instance_type: str) -> Found:
        """Mean spot price of the zones, USD an hour; calculated from the on-demand price if the
        list has none.
        """
        price = _first(self._known.spot, instance_type)
        if price:
            return price
        for each in self._known.spot_shares:
            if instance_type.startswith(each.families):
                usd = self.on_demand(instance_type).usd * each.share
                return Found(round(usd, 6), reckoned=True)
        raise UnknownPrice(f"the spot price of {instance_type} in {self.region}")


def _first(lists: Iterable[InstancePrices], instance_type: str) -> Found | None:
    for each in lists:
        if instance_type in each.usd:
            return Found(each.usd[instance_type], each.reckoned)
    return None


def prices(region: str, folder: Path = FOLDER) -> Prices:
    """Prices of a region; empty if the region has no file. Raises CostError if the file is
    damaged.
    """
    return Prices(region, _read(folder / f"{region}.json"))


def regions(folder: Path = FOLDER) -> list[str]:
    """Regions that have a price list."""
    return sorted(each.stem for each in folder.glob("*.json"))


@lru_cache(maxsize=8)
def _read(file: Path) -> PriceList | None:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CostError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        text = ""
    how = (
        "restore it from version control, or make it anew with "
        f"`./frugal-eks prices --region {file.stem}`"
    )
    try:
        price_list = PriceList.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise CostError(
            f"{file}: is cut off or no JSON (line {error.lineno}: {error.msg}): {how}"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(map(str, first["loc"]))
        problem = first["msg"][:1].lower() + first["msg"][1:]
        raise CostError(f"{file}: {path}: {problem}: {how}") from None
    if price_list.region != file.stem:
        raise CostError(
            f"{file}: region: is {price_list.region}, which is not the file's name: {how}"
        )
    return price_list
