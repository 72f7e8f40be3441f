"""Prints the keys that a stack file may have at a path."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stack_config.places import NAME, Place, Places
from stack_config.schema import Schema, plain_schema

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_FREE = f"{NAME} is a name of your choice."


def explained(path: str) -> tuple[Place, Places]:
    """The place of a path, with all places. Raises UnknownPathError."""
    places = Places(plain_schema())
    return places.entry(places.find(path)), places


def show(path: str, console: "Console") -> None:
    """Prints a path's keys: as a table in a terminal, else two lines for each key. Raises
    UnknownPathError.
    """
    from rich.console import Group  # noqa: PLC0415 (a program has no rich)

    place, places = explained(path)
    if console.is_terminal:
        console.print(Group(*_pretty(place, places)))
    else:
        for line in plain_lines(place, places):
            console.out(line, highlight=False)


def as_json(path: str) -> dict[str, object]:
    """The description of a path as JSON values. Raises UnknownPathError."""
    place, places = explained(path)
    sections = places.sections(place)
    keys = [row._asdict() for section in sections for row in places.rows(section)]
    head: dict[str, object] = {
        "path": place.path,
        "type": places.kind(place.node),
        "default": places.default(place.node),
        "why": place.node.get("description", ""),
    }
    return head | {"keys": keys}


def plain_lines(place: Place, places: Places) -> Iterator[str]:
    """The description of a path for a file or a pipe: no colours, no frames, nothing cut."""
    yield from _head(place)
    sections = places.sections(place)
    if not sections:
        yield from _leaf(place.node, places)
    for section in sections:
        yield ""
        yield section["description"]
        yield ""
        rows = list(places.rows(section))
        widths = [max(len(each) for each in column) for column in zip(*rows, strict=True)]
        for row in rows:
            line = f"  {row.key:<{widths[0]}}  {row.kind:<{widths[1]}}  {row.default}"
            yield line.rstrip()
            yield f"      {row.why}"


def _pretty(place: Place, places: Places) -> "Iterator[RenderableType]":
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    yield Text("\n".join(_head(place)))
    sections = places.sections(place)
    if not sections:
        yield Text("\n".join(_leaf(place.node, places)))
    for section in sections:
        yield Padding(Text(section["description"], style="italic"), (1, 0))
        table = Table("key", "type", "default", "why", header_style="bold")
        for row in places.rows(section):
            table.add_row(Text(row.key, "bold"), *map(Text, row[1:]))
        yield table


def _head(place: Place) -> Iterator[str]:
    if place.path:
        yield place.path
    description = place.node.get("description", "") if place.path else ""
    yield from filter(None, [description, _FREE if NAME in place.path else ""])


def _leaf(node: Schema, places: Places) -> Iterator[str]:
    yield f"type: {places.kind(node)}"
    default = places.default(node)
    if default:
        yield f"default: {default}"
