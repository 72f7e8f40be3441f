"""Fetches a region's prices from AWS, and keeps them as the list that `python -m cost` reads.

  python -m cost refresh                      the regions that have a list
  python -m cost refresh --region R           of this region; as often as you like

A list is written whole or not at all, in place of the one before. It takes the rights
pricing:GetProducts and ec2:DescribeSpotPriceHistory; nothing else is asked, and nothing is made.

Exit code: 0 written, 1 AWS could not be asked, 2 wrong usage, 130 Ctrl-C.
"""

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import get_args

from rich.console import Console
from rich.markup import escape

from cost.aws_prices import SERVICES, AwsPrices, Seen
from cost.errors import CostError
from cost.prices import FOLDER, InstancePrices, Price, PriceList, Service, regions

FAILED, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None, aws: AwsPrices | None = None) -> int:
    """See above. `aws` stands for the account of the environment."""
    asked = _parser().parse_args(arguments)
    console, errors = Console(stderr=True, soft_wrap=True), Console(stderr=True, soft_wrap=True)
    wanted = tuple(dict.fromkeys(asked.region or regions(asked.prices)))
    try:
        if not wanted:
            raise CostError(f"{asked.prices} has no list: name a region with --region")
        account, today = aws or AwsPrices(), datetime.now(UTC).date().isoformat()
        for region in wanted:
            found = fetch(account, region, today, console)
            file = asked.prices / f"{region}.json"
            write(found, file)
            print(f"{region}: {_told(found)}. Written to {file}.")
    except CostError as error:
        errors.print(f"{escape(str(error))}.", style="red", highlight=False)
        return FAILED
    except KeyboardInterrupt:
        errors.print("Interrupted. What is written is whole.")
        return INTERRUPTED
    return 0


def fetch(aws: AwsPrices, region: str, today: str, console: Console) -> PriceList:
    """A region's list. Raises CostError if AWS has no price for the region at all."""
    services: dict[Service, Price] = {}
    for service in SERVICES:
        with _progress(console, f"{region}: asking for {service}"):
            found = aws.service(service, region)
        if found:
            source = f"AWS price list: SKU {found.sku}"
            services[service] = Price(usd=found.usd, date=found.date or today, source=source)
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


def write(found: PriceList, file: Path) -> None:
    """In place of what is there, whole or not at all."""
    text = found.model_dump_json(by_alias=True, exclude_defaults=True, indent=1)
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


def _told(found: PriceList) -> str:
    missing = [name for name in get_args(Service) if name not in found.services]
    told = f"{len(found.services)} services, {len(found.on_demand[0].usd)} types on demand, "
    told += f"{len(found.spot[0].usd)} spot"
    return f"{told}; AWS lists no {', '.join(missing)} there" if missing else told


@contextmanager
def _progress(console: Console, what: str) -> Generator[Seen]:
    """A moving line in a terminal, a plain line elsewhere."""
    if not console.is_terminal:
        console.print(what, highlight=False)
        yield lambda _: None
        return
    with console.status(what) as status:
        yield lambda count: status.update(f"{what}: {count}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cost refresh",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--region", action="append", metavar="R", help="as often as you like (default: all lists)"
    )
    parser.add_argument(
        "--prices", type=Path, default=FOLDER, metavar="FOLDER", help="where the lists are"
    )
    return parser
