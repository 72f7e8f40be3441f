"""Prints each feature with the tests that prove it: `python -m features [--group A2] [--open]`."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from features.collected import CollectionError, Proof, collect
from features.rows import FEATURES, FeaturesFileError, Row, read

ROOT = Path(__file__).parent.parent
_WIDTH_WITHOUT_TERMINAL = 160


def by_feature(proofs: Iterable[Proof]) -> dict[str, list[Proof]]:
    """The proofs of each id; ids that no row has are kept, see `unknown`."""
    found: dict[str, list[Proof]] = {}
    for proof in proofs:
        found.setdefault(proof.feature, []).append(proof)
    return found


def unknown(rows: Iterable[Row], proofs: Mapping[str, list[Proof]]) -> list[str]:
    """One sentence for each test that names an id which no row has."""
    ids = {row.id for row in rows}
    return [
        f"{proof.test}: there is no feature {feature}, write an id of features/features.md"
        for feature, found in sorted(proofs.items())
        if feature not in ids
        for proof in found
    ]


def table(rows: Iterable[Row], proofs: Mapping[str, list[Proof]]) -> Table:
    """A line for each row: id, sentence, its tests or the kind of test it waits for."""
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
    """How many rows of each group and of all have a test: `A2 12/66, …; together 80 of 242`."""
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        proved, of = counts.get(row.group, (0, 0))
        counts[row.group] = (proved + (row.id in proofs), of + 1)
    together = tuple(map(sum, zip(*counts.values(), strict=True))) if counts else (0, 0)
    groups = ", ".join(f"{group} {proved}/{of}" for group, (proved, of) in counts.items())
    return f"Rows with a test: {groups}; together {together[0]} of {together[1]}."


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m features", description=__doc__)
    parser.add_argument("--group", help="only the rows of this group: A0, A2, B, C …")
    parser.add_argument("--open", action="store_true", help="only the rows without a test")
    parser.add_argument("--rows", type=Path, default=FEATURES, help="another features.md")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="another test folder")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Prints the table; 1 if a test names an id that does not exist or cannot be collected."""
    asked = _arguments(argv)
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_WITHOUT_TERMINAL)
    try:
        rows = read(asked.rows)
        proofs = by_feature(collect(asked.tests, asked.tests.parent))
    except (FeaturesFileError, CollectionError, OSError) as error:
        print(f"No table: {error}", file=sys.stderr)
        return 1

    shown = [row for row in rows if asked.group in {None, row.group}]
    if not shown:
        groups = ", ".join(dict.fromkeys(row.group for row in rows))
        print(f"There is no group {asked.group}, choose one of {groups}.", file=sys.stderr)
        return 1
    listed = [row for row in shown if not asked.open or row.id not in proofs]
    if listed:
        console.print(table(listed, proofs))
    console.print(summary(shown, proofs))
    mistakes = unknown(rows, proofs)
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
