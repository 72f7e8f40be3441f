"""Prints each feature with the tests that prove it, and holds docs/aws-behaviours.md up to date.

python -m frugal_eks.dev.features [--group A2] [--open]
    the table; 1 if docs/aws-behaviours.md is not up to date
python -m frugal_eks.dev.features --pages
    writes docs/aws-behaviours.md instead
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from frugal_eks.dev.features import behaviours
from frugal_eks.dev.features.collected import CollectionError, Proof, collect
from frugal_eks.dev.features.rows import FEATURES, FeaturesFileError, Row, read

TESTS = Path(__file__).parents[3] / "tests"
_WIDTH_WITHOUT_TERMINAL = 160


def by_feature(proofs: Iterable[Proof]) -> dict[str, list[Proof]]:
    """Proofs by feature id; ids without a row are included, see `unknown`."""
    grouped: dict[str, list[Proof]] = {}
    for proof in proofs:
        grouped.setdefault(proof.id, []).append(proof)
    return grouped


def unknown(rows: Iterable[Row], proofs: Mapping[str, list[Proof]]) -> list[str]:
    """One sentence for each test that names an id which no row has."""
    ids = {row.id for row in rows}
    return [
        f"{proof.test}: there is no feature {feature}, write an id of "
        f"frugal_eks/dev/features/features.md"
        for feature, naming in sorted(proofs.items())
        if feature not in ids
        for proof in naming
    ]


def table(rows: Iterable[Row], proofs: Mapping[str, list[Proof]]) -> Table:
    """A table with each row's id, sentence, and its tests or the kind of test it still needs."""
    drawn = Table(show_lines=True)
    drawn.add_column("id", no_wrap=True)
    drawn.add_column("feature", ratio=3)
    drawn.add_column("proved by", ratio=4, overflow="fold")
    for row in rows:
        lines = [
            f"{escape(proof.test)}{' (engine)' if proof.engine else ''}"
            for proof in proofs.get(row.id, [])
        ]
        if not lines:
            lines = [f"[bold red]no test[/]: {escape(row.check)}"]
        elif row.not_offline:
            lines.append(f"[yellow]not proved offline[/]: {escape(row.not_offline)}")
        drawn.add_row(row.id, escape(row.sentence), "\n".join(lines))
    return drawn


def summary(rows: Iterable[Row], proofs: Mapping[str, list[Proof]]) -> str:
    """Counts of rows with a test, by group and in all: `A2 12/66, …; together 80 of 242`."""
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        proved, of = counts.get(row.group, (0, 0))
        counts[row.group] = (proved + (row.id in proofs), of + 1)
    together = tuple(map(sum, zip(*counts.values(), strict=True))) if counts else (0, 0)
    groups = ", ".join(f"{group} {proved}/{of}" for group, (proved, of) in counts.items())
    return f"Rows with a test: {groups}; together {together[0]} of {together[1]}."


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m frugal_eks.dev.features",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--group", help="only the rows of this group: A0, A2, B, C …")
    parser.add_argument("--open", action="store_true", help="only the rows without a test")
    parser.add_argument("--pages", action="store_true", help="write docs/aws-behaviours.md")
    parser.add_argument("--page", type=Path, default=behaviours.PAGE, help="another such page")
    parser.add_argument("--rows", type=Path, default=FEATURES, help="another features.md")
    parser.add_argument("--tests", type=Path, default=TESTS, help="another test folder")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Prints the table and returns the exit code.
    The code is 1 if a test names an id that does not exist, a test cannot be collected, a behaviour
    of AWS has neither a test nor a reason, or docs/aws-behaviours.md differs from tests and
    answers.
    """
    options = _arguments(argv)
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_WITHOUT_TERMINAL)
    try:
        rows = read(options.rows)
        collected = collect(options.tests, options.tests.parent)
    except (FeaturesFileError, CollectionError, OSError) as error:
        print(f"No table: {error}", file=sys.stderr)
        return 1
    proofs = by_feature(collected["feature"])
    played = behaviours.read()
    page = behaviours.page(played, by_feature(collected["behaviour"]))
    if options.pages:
        options.page.write_text(page, encoding="utf-8")
        return 0

    shown = [row for row in rows if options.group in {None, row.group}]
    if not shown:
        groups = ", ".join(dict.fromkeys(row.group for row in rows))
        print(f"There is no group {options.group}, choose one of {groups}.", file=sys.stderr)
        return 1
    listed = [row for row in shown if not options.open or row.id not in proofs]
    if listed:
        console.print(table(listed, proofs))
    console.print(summary(shown, proofs))
    mistakes = unknown(rows, proofs)
    if options.tests == TESTS:
        mistakes += behaviours.mistakes(played, by_feature(collected["behaviour"]))
        if not options.page.is_file() or options.page.read_text(encoding="utf-8") != page:
            mistakes.append(
                f"{options.page.name} is not up to date: run `python -m frugal_eks.dev.features "
                f"--pages`"
            )
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
