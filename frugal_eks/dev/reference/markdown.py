"""Renders pieces of Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence

from frugal_eks import markdown_table


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a table with a blank line at the end; none without rows."""
    if lines := list(markdown_table.table(head, rows)):
        yield from (*lines, "")


def code(text: str) -> str:
    """A code span; empty for empty text."""
    return f"`{text}`" if text else ""


def anchor(heading: str) -> str:
    """Fragment that links to a heading, as GitHub generates it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
