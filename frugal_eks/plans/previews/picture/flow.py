"""Places boxes in rows with downward arrows, in pixels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from frugal_eks.plans.previews.picture.layers import (
    Edge,
    acyclic,
    chains,
    evened,
    filled,
    orders,
    reduced,
    rows,
)

GAP, ROW_GAP, PASSING = 18.0, 38.0, 14.0
"""Gaps between boxes, between rows, and for an arrow that passes between two boxes."""
ROW_LIMIT = 780.0
"""Rows stay narrower than this if possible: a README is 830 to 1010 wide."""
BAND_TOP, BAND_PAD, MARGIN = 34.0, 18.0, 16.0
"""Space of a band: above its first row, around the row, and outside of the band."""
_PASSES = 12
_PORTS, _PORTS_SHARE = 28.0, 0.8
"""Distance of arrows at one box, and the share of its edge that they may take."""

Point = tuple[float, float]
Size = tuple[float, float]


class Rect(NamedTuple):
    """A rectangle in the picture."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> "Rect":
        """The rectangle moved by `x` and `y`."""
        return Rect(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True)
class Flow:
    """Positions of boxes and arrows."""

    places: Mapping[str, Rect]
    arrows: Sequence[Sequence[Point]]
    width: float
    height: float


@dataclass(frozen=True)
class _Rows:
    """Nodes of each row in order, with the gaps that arrows pass through."""

    lines: Sequence[Sequence[str]]
    ways: Mapping[Edge, Sequence[str]]
    sizes: Mapping[str, Size]

    def width(self, node: str) -> float:
        """Width of a box or of a gap."""
        return self.sizes[node][0] if node in self.sizes else PASSING

    def height(self, line: Sequence[str]) -> float:
        """Height of the row's tallest box."""
        return max(self.sizes[node][1] for node in line if node in self.sizes)

    @property
    def has_passing(self) -> bool:
        """True if an arrow passes a row."""
        return any(node not in self.sizes for line in self.lines for node in line)


def in_bands(sizes: Mapping[str, Size], links: set[Edge], phase: Mapping[str, int]) -> Flow:
    """Lays out the whole picture: rows of one phase are adjacent, with room for a band's name
    above.
    """
    nodes = sorted(sizes)
    edges = reduced(acyclic(nodes, links))
    widths = {node: width for node, (width, _) in sizes.items()}
    row = evened(rows(nodes, edges, phase), edges, phase, widths, ROW_LIMIT)
    best, centres = _shortest(row, edges, sizes)
    return _drawn(best, centres, _tops(best, phase), margin=MARGIN + BAND_PAD)


def in_columns(sizes: Mapping[str, Size], links: set[Edge], columns: int) -> Flow:
    """Lays out the inside of a room: a grid for boxes of one width, unless arrows pass boxes."""
    nodes = sorted(sizes)
    edges = reduced(acyclic(nodes, links))
    row = filled(rows(nodes, edges, dict.fromkeys(nodes, 0)), edges, columns)
    best, centres = _shortest(row, edges, sizes)
    centres = centres if best.has_passing else _grid(best)
    return _drawn(best, centres, _tops(best, {}), margin=0)


def _shortest(
    row: Mapping[str, int], edges: set[Edge], sizes: Mapping[str, Size]
) -> tuple[_Rows, dict[str, float]]:
    """Picks, among the orders with the fewest crossings, the one whose arrows lean least."""
    ways = chains(edges, row)
    tried = [_Rows(lines, ways, sizes) for lines in orders(row, ways)]
    every = [(candidate, _centres(candidate)) for candidate in tried]

    def aside(candidate: tuple[_Rows, dict[str, float]]) -> float:
        centres = candidate[1]
        steps = [pair for way in ways.values() for pair in pairwise(way)]
        return round(sum(abs(centres[a] - centres[b]) for a, b in steps), 1)

    return min(every, key=aside)


def _drawn(
    ordered: _Rows, centres: Mapping[str, float], tops: Sequence[float], *, margin: float
) -> Flow:
    edges = [
        (x - ordered.width(node) / 2, x + ordered.width(node) / 2) for node, x in centres.items()
    ]
    shift = margin - min(left for left, _ in edges)
    moved = {node: x + shift for node, x in centres.items()}
    places = {
        node: Rect(moved[node] - ordered.sizes[node][0] / 2, top, *ordered.sizes[node])
        for line, top in zip(ordered.lines, tops, strict=True)
        for node in line
        if node in ordered.sizes
    }
    right = max(right for _, right in edges) + shift
    bottom = max(rect.y + rect.height for rect in places.values())
    arrows = _arrows(ordered, places, moved, tops)
    return Flow(places, arrows, right + margin, bottom + margin)


def _tops(ordered: _Rows, phase: Mapping[str, int]) -> list[float]:
    """Upper edge of each row."""
    tops: list[float] = []
    at, last = (MARGIN if phase else 0.0), -1
    for line in ordered.lines:
        number = next((phase[node] for node in line if node in phase), last)
        if number != last:
            at += BAND_TOP if last < 0 else BAND_TOP + BAND_PAD - ROW_GAP / 2
            last = number
        tops.append(at)
        at += ordered.height(line) + ROW_GAP
    return tops


def _centres(ordered: _Rows) -> dict[str, float]:
    """Centre of each node, as near as possible to the middle of its neighbours; keeps the order of
    the row. No row grows wider than the widest must be.
    """
    near: dict[str, list[str]] = {}
    for way in ordered.ways.values():
        for a, b in pairwise(way):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    centres: dict[str, float] = {}
    wide = [sum(map(ordered.width, line)) + GAP * (len(line) - 1) for line in ordered.lines]
    half = max(wide) / 2
    for line, whole in zip(ordered.lines, wide, strict=True):
        at = -whole / 2
        for node in line:
            centres[node] = at + ordered.width(node) / 2
            at += ordered.width(node) + GAP
    for number in range(_PASSES):
        for line in ordered.lines if number % 2 else reversed(ordered.lines):
            wanted = [
                _mean([centres[neighbour] for neighbour in near.get(node, [node])]) for node in line
            ]
            apart = [(ordered.width(a) + ordered.width(b)) / 2 + GAP for a, b in pairwise(line)]
            ends = (ordered.width(line[0]) / 2 - half, half - ordered.width(line[-1]) / 2)
            centres |= dict(zip(line, spread(wanted, apart, ends), strict=True))
    return centres


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _grid(ordered: _Rows) -> dict[str, float]:
    return {
        node: number * (ordered.width(node) + GAP)
        for line in ordered.lines
        for number, node in enumerate(line)
    }


def spread(
    wanted: Sequence[float], apart: Sequence[float], ends: tuple[float, float]
) -> list[float]:
    """Positions nearest to the wanted ones (least squares) that keep order, distances and `ends`,
    between which all must fit.
    Uses pool adjacent violators, after subtracting the distances.
    """
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append((want - offset, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n)]
    first, last = ends[0], ends[1] - offsets[-1]
    flat = [min(max(value, first), last) for value, count in pools for _ in range(count)]
    return [value + offset for value, offset in zip(flat, offsets, strict=True)]


def _arrows(
    ordered: _Rows,
    places: Mapping[str, Rect],
    centres: Mapping[str, float],
    tops: Sequence[float],
) -> list[list[Point]]:
    """Arrows from the lower edge of a node to the upper edge of another, around those between."""
    outs = _ports(ordered.ways, places, centres, down=True)
    ins = _ports(ordered.ways, places, centres, down=False)
    row = {node: number for number, line in enumerate(ordered.lines) for node in line}
    ends = [top + ordered.height(line) for top, line in zip(tops, ordered.lines, strict=True)]
    arrows: list[list[Point]] = []
    for (a, b), (_, *passed, _) in ordered.ways.items():
        if not passed and _alone(a, b, ordered.ways):
            # Straight down, if it can be.
            target = places[b]
            between = min(max(outs[a, b], target.x + GAP), target.x + target.width - GAP)
            outs[a, b] = ins[a, b] = between
        # Down to the end of the row first: a taller box may stand beside this one.
        points = [(outs[a, b], places[a].y + places[a].height), (outs[a, b], ends[row[a]])]
        for node in passed:
            points += [(centres[node], tops[row[node]]), (centres[node], ends[row[node]])]
        arrows.append([*points, (ins[a, b], places[b].y)])
    return arrows


def _alone(a: str, b: str, ways: Mapping[Edge, Sequence[str]]) -> bool:
    """True if no other arrow leaves `a` or enters `b`."""
    return sum(start == a or end == b for start, end in ways) == 1


def _ports(
    ways: Mapping[Edge, Sequence[str]],
    places: Mapping[str, Rect],
    centres: Mapping[str, float],
    *,
    down: bool,
) -> dict[Edge, float]:
    """Where each arrow touches its node: side by side, ordered by the arrows' other ends."""
    touching: dict[Edge, float] = {}
    for node, rect in places.items():
        mine = [edge for edge in ways if edge[0 if down else 1] == node]
        mine.sort(key=lambda edge: (centres[ways[edge][1 if down else -2]], edge))
        step = min(_PORTS, rect.width * _PORTS_SHARE / max(len(mine), 1))
        for number, edge in enumerate(mine):
            touching[edge] = rect.x + rect.width / 2 + (number - (len(mine) - 1) / 2) * step
    return touching
