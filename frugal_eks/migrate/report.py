"""Reports what has no equivalent, as a table and as comments."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from components.section import Mistake
from frugal_eks.migrate import stack_file
from frugal_eks.migrate.conversion import Left
from stack_config import mistakes

LONGEST_VALUE = 60


def shown(value: Any) -> str:
    """A value on one line, shortened; empty for None."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = stack_file.on_one_line(text)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def table(left: Sequence[Left]) -> Table:
    """A table with a row for each item."""
    drawn = Table(title="Not in the stack file", title_justify="left")
    for heading in ("where", "document", "field", "value"):
        drawn.add_column(heading, overflow="fold")
    drawn.add_column("why", ratio=1, overflow="fold")
    for each in left:
        note = each.note
        cells = (each.where, each.title, note.path, shown(note.value), note.text)
        drawn.add_row(*map(escape, cells))
    return drawn


def as_json(
    text: str, left: Sequence[Left], wrong: Sequence[Mistake]
) -> dict[str, str | list[dict[str, Any]] | list[str]]:
    """The stack file's text, what is left and the corrections, for programs."""
    notes = [
        {
            "where": each.where,
            "document": each.title,
            "field": each.note.path,
            "value": shown(each.note.value),
            "why": each.note.text,
        }
        for each in left
    ]
    corrections = [mistakes.line(each).strip() for each in wrong]
    return {"stackFile": text, "left": notes, "toCorrect": corrections}


def comments(left: Sequence[Left], wrong: Sequence[Mistake]) -> Iterator[str]:
    """Comments for the end of the file: what is left, and what must be corrected."""
    if left:
        yield "Not in this file:"
    for each in left:
        value = shown(each.note.value)
        what = f"{each.note.path}: {value}" if value else each.note.path
        parts = (f"{each.where} {each.title}", what, each.note.text)
        yield f"- {', '.join(filter(None, parts))}"
    if wrong:
        yield "To correct:"
    yield from (f"- {mistakes.line(each).strip()}" for each in wrong)
