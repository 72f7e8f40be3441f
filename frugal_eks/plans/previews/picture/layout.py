"""Positions of boxes, rooms, bands and arrows of the picture, in pixels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frugal_eks.plans.previews.picture.flow import (
    BAND_PAD,
    BAND_TOP,
    MARGIN,
    Flow,
    Point,
    Rect,
    Size,
    in_bands,
    in_columns,
)
from frugal_eks.plans.previews.picture.graph import Box, Graph, Side
from frugal_eks.plans.previews.picture.layers import acyclic
from frugal_eks.plans.previews.picture.words import width

NAME_SIZE, LINE_SIZE = 14.0, 12.5
"""Font sizes."""
LINE, HEAD, LEAST, BESIDE = 17.0, 34.0, 150.0, 12.0
"""Dimensions of a box: height of a line and of the heading, least width, and space beside texts."""
ROOM_TOP, ROOM_PAD = 30.0, 14.0
COLUMNS = 2
"""Boxes side by side in a room."""


@dataclass(frozen=True)
class Placed:
    """All shapes of the picture."""

    boxes: Mapping[str, Rect]
    """Boxes by key."""
    headings: Mapping[str, str]
    """Headings of the boxes, by key."""
    rooms: Sequence[tuple[str, Rect]]
    """Rooms with their titles."""
    bands: Sequence[tuple[Side, Rect]]
    """Bands from top to bottom; the sides alternate."""
    arrows: Sequence[Sequence[Point]]
    width: float
    height: float


@dataclass(frozen=True)
class _Group:
    """Boxes of a room within one band, or a single box."""

    boxes: Sequence[Box]
    phase: int

    @property
    def is_room(self) -> bool:
        return len(self.boxes) > 1

    def heading(self, box: Box) -> str:
        """The box's title; with the room's title if the box stands outside its room."""
        if self.is_room or not box.room:
            return box.title
        return f"{box.room}: {box.title[:1].lower()}{box.title[1:]}"

    def sizes(self) -> dict[str, Size]:
        """Sizes of the boxes by key; boxes of a room are all as wide as the widest."""
        sizes = {box.key: _size(self.heading(box), box.lines) for box in self.boxes}
        widest = max(across for across, _ in sizes.values())
        return {key: (widest, tall) for key, (_, tall) in sizes.items()}


def placed(graph: Graph) -> Placed:
    """Places boxes in rooms, and rooms and other boxes in bands, which alternate between the
    sides.
    """
    groups = _groups(graph)
    inner = {name: _inside(group, graph) for name, group in groups.items()}
    sizes = {name: (flow.width, flow.height) for name, flow in inner.items()}
    phase = {name: group.phase for name, group in groups.items()}
    owner = {box.key: name for name, group in groups.items() for box in group.boxes}
    links = {(owner[a], owner[b]) for a, b in graph.edges if owner[a] != owner[b]}
    outer = in_bands(sizes, links, phase)
    boxes: dict[str, Rect] = {}
    arrows = list(outer.arrows)
    for name, flow in inner.items():
        at = outer.places[name]
        boxes |= {key: rect.moved(at.x, at.y) for key, rect in flow.places.items()}
        arrows += [[(x + at.x, y + at.y) for x, y in way] for way in flow.arrows]
    return Placed(
        boxes=boxes,
        headings={box.key: g.heading(box) for g in groups.values() for box in g.boxes},
        rooms=[(g.boxes[0].room, outer.places[n]) for n, g in groups.items() if g.is_room],
        bands=list(_bands(outer, phase)),
        arrows=arrows,
        width=outer.width,
        height=outer.height,
    )


def _groups(graph: Graph) -> dict[str, _Group]:
    phase = _phases(graph)
    members: dict[str, list[Box]] = {}
    for box in graph.boxes:
        name = f"{box.room} {phase[box.key]}" if box.room else box.key
        members.setdefault(name, []).append(box)
    return {name: _Group(members[name], phase[members[name][0].key]) for name in sorted(members)}


def _phases(graph: Graph) -> dict[str, int]:
    """Number of changes between the sides on the way to a box; even numbers are AWS."""
    before: dict[str, list[str]] = {}
    for a, b in acyclic([box.key for box in graph.boxes], graph.edges):
        before.setdefault(b, []).append(a)
    side = {box.key: int(box.side == "cluster") for box in graph.boxes}
    phases: dict[str, int] = {}

    def phase(key: str) -> int:
        if key not in phases:
            least = max(map(phase, before.get(key, ())), default=side[key])
            phases[key] = least if least % 2 == side[key] else least + 1
        return phases[key]

    return {box.key: phase(box.key) for box in graph.boxes}


def _size(heading: str, lines: Sequence[str]) -> Size:
    texts = [width(heading, NAME_SIZE, bold=True), *(width(line, LINE_SIZE) for line in lines)]
    tall = HEAD + LINE * len(lines) + (4 if lines else 0)
    return max(LEAST, max(texts) + 2 * BESIDE), tall


def _inside(group: _Group, graph: Graph) -> Flow:
    """Positions inside a room, with space for its border; a single box has none."""
    sizes = group.sizes()
    links = {(a, b) for a, b in graph.edges if a in sizes and b in sizes}
    flow = in_columns(sizes, links, COLUMNS)
    if not group.is_room:
        return flow
    return Flow(
        {key: rect.moved(ROOM_PAD, ROOM_TOP) for key, rect in flow.places.items()},
        [[(x + ROOM_PAD, y + ROOM_TOP) for x, y in way] for way in flow.arrows],
        flow.width + 2 * ROOM_PAD,
        flow.height + ROOM_TOP + ROOM_PAD,
    )


def _bands(flow: Flow, phase: Mapping[str, int]) -> Iterator[tuple[Side, Rect]]:
    for number in sorted(set(phase.values())):
        rects = [rect for node, rect in flow.places.items() if phase[node] == number]
        top = min(rect.y for rect in rects) - BAND_TOP
        bottom = max(rect.y + rect.height for rect in rects) + BAND_PAD
        side: Side = "cluster" if number % 2 else "aws"
        yield side, Rect(MARGIN, top, flow.width - 2 * MARGIN, bottom - top)
