"""Renders the picture as SVG, on its own background, so that it is legible on light and dark
pages.
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from frugal_eks.plans.previews.picture.flow import BAND_TOP, MARGIN, Point, Rect
from frugal_eks.plans.previews.picture.graph import Box, Graph
from frugal_eks.plans.previews.picture.layout import (
    BESIDE,
    HEAD,
    LINE,
    LINE_SIZE,
    NAME_SIZE,
    Placed,
    placed,
)
from frugal_eks.plans.previews.picture.words import width

SIDES = {"aws": "AWS account", "cluster": "In the cluster"}
SIDE_SIZE = NOTE_SIZE = 13.0
STYLE = f"""
text {{ font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }}
.title {{ font-size: 16px; font-weight: 600; fill: #1b2733 }}
.note {{ font-size: {NOTE_SIZE}px; fill: #51606e }}
.side {{ font-size: {SIDE_SIZE}px; font-weight: 600; fill: #51606e }}
.room-name {{ font-size: 13px; font-weight: 600; fill: #1b2733 }}
.name {{ font-size: {NAME_SIZE}px; font-weight: 600; fill: #1b2733 }}
.line {{ font-size: {LINE_SIZE}px; fill: #3a4855 }}
.ground {{ fill: #ffffff; stroke: #d5dbe1 }}
.band.aws {{ fill: #fff4e3 }} .band.cluster {{ fill: #e7f0fd }}
.room {{ fill: #ffffff; fill-opacity: .55; stroke: #8795a3; stroke-dasharray: 5 4 }}
.box {{ fill: #ffffff; stroke-width: 1.5 }}
.box.aws {{ stroke: #d98200 }} .box.cluster {{ stroke: #2f6fd0 }}
.arrow {{ fill: none; stroke: #51606e; stroke-width: 1.5; marker-end: url(#head) }}
"""
TOP, BOTTOM = 44.0, 8.0
NOTE = "An arrow leads from what is made first to what waits for it; a destroy goes the other way."


def svg(graph: Graph) -> str:
    """The graph as SVG; the same graph gives the same text."""
    at = placed(graph)
    across = max(at.width, width(NOTE, NOTE_SIZE) + 2 * MARGIN)
    height = at.height + TOP + BOTTOM
    heading = f"{graph.name}: {graph.resources} resources"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {height:.0f}" '
        f'width="{across:.0f}" height="{height:.0f}" role="img" aria-labelledby="title">',
        f'<title id="title">{escape(heading)}</title>',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#51606e"/></marker></defs>',
        f'<rect class="ground" x=".5" y=".5" width="{across - 1:.0f}" height="{height - 1:.0f}" '
        'rx="10"/>',
        _text("title", MARGIN + 4, 29, heading),
        f'<g transform="translate(0 {TOP - MARGIN:.0f})">',
        *_drawn(graph, at),
        "</g>",
        _text("note", MARGIN + 4, height - 15, NOTE),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _drawn(graph: Graph, at: Placed) -> Iterator[str]:
    for side, rect in at.bands:
        yield _rect(f"band {side}", rect, 8)
        x = rect.x + 12
        if _is_crossed(rect, at):
            x = rect.x + rect.width - 12 - width(SIDES[side], SIDE_SIZE, bold=True)
        yield _text("side", x, rect.y + BAND_TOP - 13, SIDES[side])
    for name, rect in at.rooms:
        yield _rect("room", rect, 8)
        yield _text("room-name", rect.x + 14, rect.y + 20, name)
    for way in at.arrows:
        yield f'<path class="arrow" d="{_path(way)}"/>'
    for box in graph.boxes:
        yield from _box(box, at.headings[box.key], at.boxes[box.key])


def _is_crossed(band: Rect, at: Placed) -> bool:
    """True if an arrow enters the band where its name would stand."""
    name = width(max(SIDES.values(), key=len), SIDE_SIZE, bold=True)
    ends = [way[-1] for way in at.arrows]
    return any(x < band.x + name + 30 and band.y < y <= band.y + BAND_TOP for x, y in ends)


def _box(box: Box, heading: str, rect: Rect) -> Iterator[str]:
    yield _rect(f"box {box.side}", rect, 6)
    yield _text("name", rect.x + BESIDE, rect.y + 22, heading)
    for number, line in enumerate(box.lines):
        yield _text("line", rect.x + BESIDE, rect.y + HEAD + 7 + number * LINE, line)


def _path(way: Sequence[Point]) -> str:
    (x, y), *others = way
    parts = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in others:
        bend = (to_y - y) / 2
        straight = abs(to_x - x) < 1
        parts.append(
            f"L{to_x:.1f} {to_y:.1f}"
            if straight
            else f"C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"
        )
        x, y = to_x, to_y
    return "".join(parts)


def _rect(kind: str, rect: Rect, radius: int) -> str:
    return (
        f'<rect class="{kind}" x="{rect.x:.1f}" y="{rect.y:.1f}" width="{rect.width:.1f}" '
        f'height="{rect.height:.1f}" rx="{radius}"/>'
    )


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
