"""Pieces of Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table's lines, ended by an empty one; nothing where there are no rows."""
    cells = [[_cell(each) for each in row] for row in rows]
    if cells:
        yield _row(head)
        yield _row(["---"] * len(head))
        yield from map(_row, cells)
        yield ""


def code(text: str) -> str:
    """As code; nothing of nothing."""
    return f"`{text}`" if text else ""


def anchor(heading: str) -> str:
    """The fragment by which a page's heading is linked, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n\n", "<br>").replace("\n", " ")
