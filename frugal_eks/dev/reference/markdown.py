"""Renders pieces of Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a table with a blank line at the end; none without rows."""
    cells = [[_cell(each) for each in row] for row in rows]
    if cells:
        yield _row(head)
        yield _row(["---"] * len(head))
        yield from map(_row, cells)
        yield ""


def code(text: str) -> str:
    """A code span; empty for empty text."""
    return f"`{text}`" if text else ""


def anchor(heading: str) -> str:
    """Fragment that links to a heading, as GitHub generates it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n\n", "<br>").replace("\n", " ")
