"""Fetches what EC2 says of its instance types: the lists that a stack file is checked against.

  python -m frugal_eks.dev.instance_types
      writes components/ec2/instance-types.json and instance-offerings.json
  python -m frugal_eks.dev.instance_types --region eu-west-1
      of this region; as often as you like
  python -m frugal_eks.dev.instance_types --all-regions
      of every region that the account has
  python -m frugal_eks.dev.instance_types --check
      writes nothing: 1 if EC2 has more, or says otherwise

A type that is in the lists and that none of the regions offers stays: another region may have it.
In which zones a type is offered is told of the regions that are asked; the others stay as they are.
It takes the rights ec2:DescribeInstanceTypes and ec2:DescribeInstanceTypeOfferings (and, with
--all-regions, ec2:DescribeRegions); nothing else is asked, and nothing is made.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from components.ec2 import instance_offerings, instance_types
from components.ec2.instance_offerings import KnownOfferings, LaunchFacts
from components.ec2.instance_types import KnownTypes, TypeFacts
from frugal_eks.dev.instance_types.ec2 import Ec2, Ec2Error, facts, launch_facts
from frugal_eks.dev.instance_types.lists import (
    Fetched,
    Lists,
    difference,
    offerings_text,
    refreshed,
    types_text,
)
from frugal_eks.errors import INTERRUPTED

REGIONS = ("us-east-1", "us-west-2")
"""Regions that together have all but a few types of the commercial partition."""
DIFFERS, FAILED = 1, 1

_List = TypeVar("_List")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 if the lists differ from EC2 (`--check`) or EC2 cannot be read."""
    options = _parser().parse_args(arguments)
    console, errors = Console(soft_wrap=True), Console(stderr=True, soft_wrap=True)
    regions = tuple(dict.fromkeys(options.region or REGIONS))
    try:
        before, ec2 = _before(options.folder), Ec2()
        if options.all_regions:
            regions = tuple(ec2.regions_of(regions[0]))
        fetched = fetch(ec2, regions, Console(stderr=True))
    except (Ec2Error, ListError) as error:
        errors.print(f"{escape(str(error))}. Nothing was changed.", style="red", highlight=False)
        return FAILED
    except KeyboardInterrupt:
        errors.print("Interrupted. Nothing was changed.")
        return INTERRUPTED

    differs = difference(before, fetched)
    result = differs or f"All {len(fetched.types)} types of EC2 are in the lists as they are."
    if options.check:
        console.print(result, highlight=False)
        return DIFFERS if differs else 0
    origin = options.origin or f"EC2 DescribeInstanceTypes in {', '.join(regions)}"
    now = refreshed(before, fetched, origin, datetime.now(UTC).date().isoformat())
    types, offerings = _files(options.folder)
    types.write_text(types_text(now.types))
    offerings.write_text(offerings_text(now.offerings))
    console.print(f"{result} Written to {types.name} and {offerings.name}.", highlight=False)
    return 0


class ListError(Exception):
    """Why an existing list cannot be read; the message says what to do."""


def fetch(ec2: Ec2, regions: Sequence[str], console: Console) -> Fetched:
    """Facts from all regions together; shows a moving line in a terminal."""
    types: dict[str, TypeFacts] = {}
    launch: dict[str, LaunchFacts] = {}
    zones: dict[str, Mapping[str, set[str]]] = {}
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        for region in regions:
            line = progress.add_task(f"{region}: asking EC2", total=None)

            def seen(types: int, line: int = line, region: str = region) -> None:
                progress.advance(line, types)  # pyright: ignore[reportArgumentType]
                count = int(progress.tasks[line].completed)
                progress.update(line, description=f"{region}: {count} types")  # pyright: ignore[reportArgumentType]

            for name, described in ec2.types_of(region, seen).items():
                types[name] = facts(described)
                launched = launch_facts(described)
                if launched:
                    launch[name] = launched
            zones[region] = ec2.zones_of(region)
    return Fetched(types, launch, zones)


def _files(folder: Path) -> tuple[Path, Path]:
    return folder / instance_types.FILE.name, folder / instance_offerings.FILE.name


def _before(folder: Path) -> Lists:
    types, offerings = _files(folder)
    return Lists(
        _read(types, instance_types.read, KnownTypes("", "", {})),
        _read(offerings, instance_offerings.read, KnownOfferings("", {}, {}, {})),
    )


def _read(path: Path, read: Callable[[str], _List], absent: _List) -> _List:
    try:
        return read(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return absent
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise ListError(
            f"{path} is not the list that this command writes ({error}): delete it, or restore it "
            "from version control"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m frugal_eks.dev.instance_types",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--region",
        action="append",
        metavar="R",
        help=f"a region to ask, as often as you like (default: {' and '.join(REGIONS)})",
    )
    which.add_argument(
        "--all-regions", action="store_true", help="ask every region that the account has"
    )
    parser.add_argument("--check", action="store_true", help="compare only, and write nothing")
    parser.add_argument(
        "--origin", metavar="TEXT", help="what the lists say of where they come from (default: EC2)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=instance_types.FILE.parent,
        help="where other lists are than those that ship",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
