"""Fetches the list of EC2's instance types that a stack file's types are checked against.

  python -m instance_types                      writes components/instance-types.json
  python -m instance_types --region eu-west-1   of this region; as often as you like
  python -m instance_types --check              writes nothing: 1 if EC2 has more, or says otherwise

A type that is in the list and that none of the regions offers stays: another region may have it.
It takes the right ec2:DescribeInstanceTypes; nothing else is asked, and nothing is made.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from components.instance_types import FILE, KnownTypes, TypeFacts, read
from instance_types.ec2 import Ec2Error, types_of

REGIONS = ("us-east-1", "us-west-2")
"""Between them they have all but a few types of the commercial partition."""
SHOWN = 8
"""More names than these are only counted."""
DIFFERS, FAILED, INTERRUPTED = 1, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """0: the list is as EC2 says. 1: it is not (`--check`), or EC2 could not be asked."""
    asked = _parser().parse_args(arguments)
    console, errors = Console(soft_wrap=True), Console(stderr=True, soft_wrap=True)
    regions = tuple(dict.fromkeys(asked.region or REGIONS))
    try:
        before = _before(asked.file)
        fetched = fetch(regions, Console(stderr=True))
    except (Ec2Error, ListError) as error:
        errors.print(f"{escape(str(error))}. Nothing was changed.", style="red", highlight=False)
        return FAILED
    except KeyboardInterrupt:
        errors.print("Interrupted. Nothing was changed.")
        return INTERRUPTED

    found = {name for name, facts in fetched.items() if before.types.get(name) != facts}
    told = difference(before.types, fetched)
    if asked.check:
        console.print(told, highlight=False)
        return DIFFERS if found else 0
    origin = asked.origin or f"EC2 DescribeInstanceTypes in {', '.join(regions)}"
    date = datetime.now(UTC).date().isoformat()
    asked.file.write_text(text(KnownTypes(origin, date, {**before.types, **fetched})))
    console.print(f"{told} Written to {asked.file.name}.", highlight=False)
    return 0


class ListError(Exception):
    """The list that is there cannot be read; the message says what to do."""


def fetch(regions: Sequence[str], console: Console) -> Mapping[str, TypeFacts]:
    """The types of all regions together, with a moving line where there is a terminal."""
    together: dict[str, TypeFacts] = {}
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        for region in regions:
            line = progress.add_task(f"{region}: asking EC2", total=None)

            def seen(types: int, line: int = line, region: str = region) -> None:
                progress.advance(line, types)  # pyright: ignore[reportArgumentType]
                count = int(progress.tasks[line].completed)
                progress.update(line, description=f"{region}: {count} types")  # pyright: ignore[reportArgumentType]

            together.update(types_of(region, seen))
    return together


def difference(before: Mapping[str, TypeFacts], fetched: Mapping[str, TypeFacts]) -> str:
    """What EC2 says that the list does not, in a sentence or two."""
    new = sorted(fetched.keys() - before.keys())
    changed = sorted(
        name for name in fetched.keys() & before.keys() if fetched[name] != before[name]
    )
    parts = [
        f"{len(names)} {what}: {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}."
        for what, names in (("new", new), ("with other values", changed))
        if names
    ]
    return " ".join(parts) or f"All {len(fetched)} types of EC2 are in the list as they are."


def text(known: KnownTypes) -> str:
    """The list as its file has it: a line a type, so that a new one is one line of a diff."""
    types = [
        f"{json.dumps(name)}:{json.dumps(facts, separators=(',', ':'))}"
        for name, facts in sorted(known.types.items())
    ]
    head = f'"origin":{json.dumps(known.origin)},\n"date":{json.dumps(known.date)}'
    return f"{{\n{head},\n" + '"types":{\n' + ",\n".join(types) + "\n}}\n"


def _before(path: Path) -> KnownTypes:
    try:
        return read(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return KnownTypes("", "", {})
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ListError(
            f"{path} is not the list that this command writes ({error}): delete it, or restore it "
            "from version control"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m instance_types",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--region",
        action="append",
        metavar="R",
        help=f"a region to ask, as often as you like (default: {' and '.join(REGIONS)})",
    )
    parser.add_argument("--check", action="store_true", help="compare only, and write nothing")
    parser.add_argument(
        "--origin", metavar="TEXT", help="what the list says of where it comes from (default: EC2)"
    )
    parser.add_argument(
        "--file", type=Path, default=FILE, help="another list than the one that ships"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
