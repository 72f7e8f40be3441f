"""Measures the program and writes the table of docs/figures.md.

python -m rehearsal.bench                all of it, about twelve minutes
python -m rehearsal.bench --export FILE  only the longest chains of a stack that exists somewhere:
                                         FILE (or - for standard input) is `pulumi stack export`
"""

import argparse
import json
import os
import platform
import signal
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from rehearsal.bench import crd_rules
from rehearsal.bench.measure import Life, Previews, build_tools, life, previews
from rehearsal.bench.report import (
    Line,
    MarkerError,
    Paths,
    chains,
    path_lines,
    paths,
    replaced,
    table,
)
from rehearsal.errors import INTERRUPTED, RehearsalError
from rehearsal.interruptions.announcements import NOTICE_SECONDS

PAGE = Path(__file__).parents[2] / "docs" / "figures.md"
ROUNDS = 5
SPOT = "spot"
"""Stack that is measured beside the chosen one."""
WARM_SECONDS = 150
PREVIEW_RATIO = 2
RULES_MILLISECONDS = 150
WIDTH_WITHOUT_TERMINAL = 140


def lines(before: Previews, first: Life, again: Life) -> list[Line]:
    """The measured part of the table."""
    floor, single, ten, hundred = before.empty, *before.by_pools.values()
    return [
        Line("preview of an empty program: the floor", f"{floor:.1f} s"),
        Line(
            f"preview of the stack, {before.resources} resources, nothing exists yet",
            f"{before.stack:.1f} s = {before.stack / floor:.2f} times the floor",
            f"at most {PREVIEW_RATIO} times",
        ),
        Line(
            "preview with 1, 10, 100 NodePools",
            f"{single:.1f} s, {ten:.1f} s, {hundred:.1f} s: {hundred - single:+.1f} s for 99 more",
            "at most 1 s for 100 more",
        ),
        Line("`up` in the rehearsal, first time, again", f"{first.up:.0f} s, {again.up:.0f} s"),
        Line("preview after `up`: nothing to change", f"{again.second_preview:.1f} s"),
        Line(
            "`destroy` in the rehearsal, first time, again",
            f"{first.destroy:.0f} s, {again.destroy:.0f} s",
        ),
        Line(
            "from nothing running to destroyed, first time, again",
            f"{first.total:.0f} s, {again.total:.0f} s",
            f"at most {WARM_SECONDS} s again",
        ),
    ]


def spot_lines(before: Previews, measured: Life) -> list[Line]:
    """Lines for the stack whose nodes come in groups."""
    drained = "not measured: the handler does not run on this machine"
    if measured.drained is not None:
        drained = f"{measured.drained:.1f} s"
    return [
        Line(
            f"`spot`: preview, {before.resources} resources, nothing exists yet",
            f"{before.stack:.1f} s = {before.stack / before.empty:.2f} times the floor",
            f"at most {PREVIEW_RATIO} times",
        ),
        Line("`spot`: `up` in the rehearsal", f"{measured.up:.0f} s"),
        Line("`spot`: preview after `up`: nothing to change", f"{measured.second_preview:.1f} s"),
        Line(
            "`spot`: from the warning about a spot node to its last pod gone, real handler",
            drained,
            f"at most {NOTICE_SECONDS:.0f} s, which is all that AWS gives",
        ),
        Line("`spot`: `destroy` in the rehearsal", f"{measured.destroy:.0f} s"),
    ]


def rules_line(milliseconds: float) -> Line:
    """Line for the checks that the API server would make, known at each start of the program."""
    return Line(
        f"CRD rules of {crd_rules.POOLS} node pools and {crd_rules.CLASSES} classes at a program's"
        " start",
        f"{milliseconds:.0f} ms",
        f"at most {RULES_MILLISECONDS} ms",
    )


def _machine() -> str:
    """Machine of the measurement; figures are comparable within one table only."""
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} with {os.cpu_count()} cores,"
        f" Python {platform.python_version()}, Pulumi SDK {version('pulumi')}."
        " Times on AWS are computed from the stack's state."
    )


def _measure(stack: str, rounds: int, console: Console) -> tuple[str, Paths]:
    """The table and the text below it."""
    with console.status("finding or building the tools"):
        build_tools()

    def say(what: str) -> None:
        console.print(f"[dim]{datetime.now():%H:%M:%S}[/] {what}")

    say("the first life of the stack")
    first = life(stack, say)
    say("the second")
    again = life(stack, say)
    say("CRD rules")
    rules = rules_line(crd_rules.milliseconds(rounds))
    say("previews")
    before = previews(stack, rounds, say)
    say(f"the stack {SPOT}")
    spot = spot_lines(previews(SPOT, rounds, say, pools=()), life(SPOT, say))
    measured_paths = paths(again.export)
    measured = [*lines(before, first, again), rules, *path_lines(measured_paths), *spot]
    return f"{table(measured)}\n\n{_machine()}", measured_paths


def _exported(source: str) -> Paths:
    """Chains of an exported state. Raises RehearsalError or OSError if there is none."""
    text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    try:
        return paths(json.loads(text))
    except json.JSONDecodeError:
        raise RehearsalError(
            f"{source} is no JSON: give what `pulumi stack export` prints"
        ) from None


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m rehearsal.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--export", metavar="FILE", help="an exported state; measures nothing")
    parser.add_argument("--stack", default="nodeless", help="which stack file is measured")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="previews of each kind")
    parser.add_argument("--page", type=Path, default=PAGE, help="the file with the markers")
    parser.add_argument("--print", action="store_true", help="write no file")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """0 if all was measured and written; 1 with one sentence if not; 130 after Ctrl-C."""
    options = _arguments(argv)
    # What was started is ended then too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_WITHOUT_TERMINAL)
    try:
        if options.export:
            measured_paths = _exported(options.export)
            console.print(
                Markdown(f"{table(path_lines(measured_paths))}\n\n{chains(measured_paths)}")
            )
            return 0
        before = "" if options.print else options.page.read_text(encoding="utf-8")
        _ = options.print or replaced(before, "")  # without a place for the table, measure nothing
        written, measured_paths = _measure(options.stack, options.rounds, console)
        console.print(Markdown(f"{written}\n\n{chains(measured_paths)}"))
        if not options.print:
            options.page.write_text(replaced(before, f"\n{written}\n"), encoding="utf-8")
    except (MarkerError, OSError) as error:
        print(f"{options.page.name}: {error}", file=sys.stderr)
        return 1
    except RehearsalError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: nothing was written, nothing runs any more.", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
