"""The price lists that ship: one dated file a region, none borrows from another."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from frugal_eks.plans.cost.errors import CostError

FOLDER = Path(__file__).with_name("price_lists")
"""Made anew by `./frugal-eks prices`."""

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
"""ISO; null where the source tells none."""


class _Written(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Price(_Written):
    """Of one unit."""

    usd: float = Field(gt=0)
    date: Date
    source: str


class InstancePrices(_Written):
    """USD an hour, Linux, shared tenancy, of many types from one source."""

    date: Date
    source: str
    reckoned: bool = False
    """Not read but made by a rule, which the source tells."""
    usd: Mapping[str, float]


class SpotShare(_Written):
    """What spot costs of the price on demand, where a type's own spot price is not known."""

    date: Date
    source: str
    share: float = Field(gt=0, le=1)
    families: str = ""
    """What the types begin with; empty for all others."""


class PriceList(_Written):
    """A region's file."""

    region: str
    services: Mapping[Service, Price]
    on_demand: tuple[InstancePrices, ...] = ()
    """The first that has a type tells its price."""
    spot: tuple[InstancePrices, ...] = ()
    spot_shares: tuple[SpotShare, ...] = ()
    """The first whose families fit."""


class Found(NamedTuple):
    """An instance's price an hour."""

    usd: float
    reckoned: bool


class UnknownPrice(Exception):
    """A price that the list of the region does not have."""


class Prices:
    """What is asked of a region's list. All of it raises UnknownPrice."""

    def __init__(self, region: str, known: PriceList | None) -> None:
        self.region = region
        self._known = known or PriceList(region=region, services={})

    @cached_property
    def dates(self) -> tuple[str, str] | None:
        """Of the oldest and of the newest price; None of a region without any."""
        found = [each.date for each in self._known.services.values() if each.date]
        found += [each.date for each in self._known.on_demand if each.date]
        return (min(found), max(found)) if found else None

    def of(self, service: Service) -> float:
        """USD a unit."""
        price = self._known.services.get(service)
        if price is None:
            raise UnknownPrice(f"the price of {service} in {self.region}")
        return price.usd

    def on_demand(self, instance_type: str) -> Found:
        """USD an hour."""
        found = _first(self._known.on_demand, instance_type)
        if found is None:
            raise UnknownPrice(f"the price of {instance_type} on demand in {self.region}")
        return found

    def spot(self, instance_type: str) -> Found:
        """USD an hour, of all zones together; reckoned from the price on demand if need be."""
        found = _first(self._known.spot, instance_type)
        if found:
            return found
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
    """A region's prices; of a region without a file none is known.

    Raises CostError of a damaged file.
    """
    return Prices(region, _read(folder / f"{region}.json"))


def regions(folder: Path = FOLDER) -> list[str]:
    """Those that have a file."""
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
        found = PriceList.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise CostError(
            f"{file}: is cut off or no JSON (line {error.lineno}: {error.msg}): {how}"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(map(str, first["loc"]))
        problem = first["msg"][:1].lower() + first["msg"][1:]
        raise CostError(f"{file}: {path}: {problem}: {how}") from None
    if found.region != file.stem:
        raise CostError(f"{file}: region: is {found.region}, which is not the file's name: {how}")
    return found
