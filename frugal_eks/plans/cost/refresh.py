"""Fetches a region's prices from AWS, and keeps them as the list that the cost is reckoned by.

  frugal-eks prices             the regions that have a list
  frugal-eks prices --region R  of this region; as often as you like

A list is written whole or not at all, in place of the one before. It takes the rights
pricing:GetProducts and ec2:DescribeSpotPriceHistory; nothing else is asked, and nothing is made.
"""

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import get_args

from rich.console import Console

from frugal_eks.output import console
from frugal_eks.plans.cost.aws_prices import SERVICES, AwsPrices, Seen
from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.prices import FOLDER, InstancePrices, Price, PriceList, Service, regions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the regions, and the folder of their lists."""
    parser.add_argument(
        "--region", action="append", metavar="R", help="as often as you like (default: all lists)"
    )
    parser.add_argument(
        "--prices", type=Path, default=FOLDER, metavar="FOLDER", help="where the lists are"
    )


def run(arguments: argparse.Namespace, aws: AwsPrices | None = None) -> int:
    """0; raises CostError if AWS does not tell the prices. `aws` replaces the user's account."""
    progress = console(stderr=True)
    wanted = tuple(dict.fromkeys(arguments.region or regions(arguments.prices)))
    if not wanted:
        raise CostError(f"{arguments.prices} has no list: name a region with --region")
    account, today = aws or AwsPrices(), datetime.now(UTC).date().isoformat()
    try:
        for region in wanted:
            price_list = fetch(account, region, today, progress)
            file = arguments.prices / f"{region}.json"
            write(price_list, file)
            print(f"{region}: {_summary(price_list)}. Written to {file}.")
    except KeyboardInterrupt:
        raise KeyboardInterrupt("What is written is whole.") from None
    return 0


def fetch(aws: AwsPrices, region: str, today: str, console: Console) -> PriceList:
    """Fetches a region's price list. Raises CostError if AWS has no price for the region at all."""
    services: dict[Service, Price] = {}
    for service in SERVICES:
        with _progress(console, f"{region}: asking for {service}"):
            listed_price = aws.service(service, region)
        if listed_price:
            source = f"AWS price list: SKU {listed_price.sku}"
            services[service] = Price(
                usd=listed_price.usd, date=listed_price.date or today, source=source
            )
    with _progress(console, f"{region}: asking for instances") as seen:
        listed = aws.on_demand(region, seen)
    if not services or not listed:
        raise CostError(f"{region}: AWS lists no prices of such a region: give its code")
    with _progress(console, f"{region}: asking for spot") as seen:
        spot = aws.spot(region, seen)
    usd = {name: each.usd for name, each in sorted(listed.items())}
    return PriceList(
        region=region,
        services=services,
        on_demand=(InstancePrices(date=today, source="AWS price list", usd=usd),),
        spot=(InstancePrices(date=today, source="EC2 DescribeSpotPriceHistory", usd=spot),),
    )


def write(price_list: PriceList, file: Path) -> None:
    """Replaces the file by this price list, whole or not at all."""
    text = price_list.model_dump_json(by_alias=True, exclude_defaults=True, indent=1)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, suffix=".new", delete=False) as new:
            try:
                new.write(f"{text}\n")
                new.flush()
                Path(new.name).chmod(0o644)
                Path(new.name).replace(file)
            finally:
                Path(new.name).unlink(missing_ok=True)
    except OSError as error:
        raise CostError(f"{file}: cannot be written: {error.strerror}") from None


def _summary(price_list: PriceList) -> str:
    missing = [name for name in get_args(Service) if name not in price_list.services]
    counts = (
        f"{len(price_list.services)} services, {len(price_list.on_demand[0].usd)} types on demand, "
    )
    counts += f"{len(price_list.spot[0].usd)} spot"
    return f"{counts}; AWS lists no {', '.join(missing)} there" if missing else counts


@contextmanager
def _progress(console: Console, what: str) -> Generator[Seen]:
    """Shows progress: a moving line in a terminal, a plain line elsewhere."""
    if not console.is_terminal:
        console.print(what, highlight=False)
        yield lambda _: None
        return
    with console.status(what) as status:
        yield lambda count: status.update(f"{what}: {count}")
