"""Tables in Markdown."""

from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], figures: int = 0) -> Iterator[str]:
    """Lines of a table, the last `figures` columns to the right; none without rows."""
    cells = [[_cell(each) for each in row] for row in rows]
    if cells:
        yield _row(head)
        yield _row(["---"] * (len(head) - figures) + ["---:"] * figures)
        yield from map(_row, cells)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n\n", "<br>").replace("\n", " ")
