"""Assigns nodes to rows and orders each row, so that arrows go down and few cross.

The layered drawing of Sugiyama, Tagawa and Toda (1981): rows by longest path, gaps for arrows over
several rows, and rows sorted by the mean position of their neighbours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

Edge = tuple[str, str]
_SWEEPS = 24


def acyclic(nodes: Sequence[str], edges: Iterable[Edge]) -> set[Edge]:
    """The edges without those that close a cycle."""
    after = _neighbours(edges)
    kept: set[Edge] = set()
    done: set[str] = set()
    on_way: list[str] = []

    def visit(node: str) -> None:
        on_way.append(node)
        for other in sorted(after.get(node, ())):
            if other in on_way:
                continue
            kept.add((node, other))
            if other not in done:
                visit(other)
        done.add(on_way.pop())

    for node in nodes:
        if node not in done:
            visit(node)
    return kept


def reduced(edges: Iterable[Edge]) -> set[Edge]:
    """The edges without those that follow from others: of A to B, B to C and A to C not the
    last.
    """
    every = set(edges)
    after = _neighbours(every)

    def reachable(start: str, past: str) -> set[str]:
        seen: set[str] = set()
        left = [node for node in after.get(start, ()) if node != past]
        while left:
            node = left.pop()
            if node not in seen:
                seen.add(node)
                left += after.get(node, ())
        return seen

    return {(a, b) for a, b in every if b not in reachable(a, b)}


def rows(nodes: Sequence[str], edges: set[Edge], phase: Mapping[str, int]) -> dict[str, int]:
    """Row of each node, from 0. Nodes of an earlier phase are above those of a later one.
    A node without predecessors stands right above the first node that waits for it.
    """
    before = _neighbours((b, a) for a, b in edges)
    after = _neighbours(edges)
    placed: dict[str, int] = {}
    base = 0
    for number in sorted(set(phase.values())):
        inside = [node for node in nodes if phase[node] == number]

        def depth(node: str, number: int = number) -> int:
            near = [neighbour for neighbour in before.get(node, ()) if phase[neighbour] == number]
            return 1 + max(map(depth, near), default=-1)

        depths = {node: depth(node) for node in inside}
        last = max(depths.values())
        for node in sorted(inside, key=lambda key: -depths[key]):
            later = [depths[follower] for follower in after.get(node, ()) if follower in depths]
            if after.get(node):
                depths[node] = max(depths[node], min(later, default=last + 1) - 1)
        placed |= {node: base + depths[node] for node in inside}
        base += last + 1
    return placed


def filled(row: Mapping[str, int], edges: set[Edge], columns: int) -> dict[str, int]:
    """Splits rows into at most `columns` nodes; nodes without an arrow go where there is room."""
    linked = {node for edge in edges for node in edge}
    placed: dict[str, int] = {}
    at = 0
    for number in sorted({row[node] for node in row if node in linked}):
        inside = [node for node in row if row[node] == number and node in linked]
        for start in range(0, len(inside), columns):
            placed |= dict.fromkeys(inside[start : start + columns], at)
            at += 1
    for node in (node for node in row if node not in linked):
        taken = list(placed.values())
        placed[node] = next(
            number for number in range(at + len(row)) if taken.count(number) < columns
        )
    return placed


def evened(
    row: Mapping[str, int],
    edges: set[Edge],
    phase: Mapping[str, int],
    widths: Mapping[str, float],
    limit: float,
) -> dict[str, int]:
    """Moves nodes that wait for nothing up, out of rows that are too wide."""
    placed = dict(row)
    waiting = {b for _, b in edges}

    def width(number: int) -> float:
        return sum(widths[node] for node in placed if placed[node] == number)

    for number in sorted(set(row.values()), reverse=True):
        free = [node for node in placed if placed[node] == number and node not in waiting]
        for node in free:
            above = [
                placed[other]
                for other in placed
                if phase[other] == phase[node] and placed[other] < number
            ]
            best = min(sorted(set(above), reverse=True), key=width, default=number)
            if width(number) > limit and width(best) + widths[node] <= limit:
                placed[node] = best
    return placed


def chains(edges: Iterable[Edge], row: Mapping[str, int]) -> dict[Edge, list[str]]:
    """Nodes along each arrow, with an extra one in every row that it passes."""
    return {
        (a, b): [a, *(f"{a} {number} {b}" for number in range(row[a] + 1, row[b])), b]
        for a, b in sorted(edges)
    }


def orders(row: Mapping[str, int], ways: Mapping[Edge, Sequence[str]]) -> Iterator[list[list[str]]]:
    """Orders of the nodes of each row from left to right, gaps included, that have the fewest
    crossings found.
    """
    place: dict[str, int] = dict(row)
    links: set[Edge] = set()
    for (a, _), way in ways.items():
        place |= {node: row[a] + step for step, node in enumerate(way[:-1])}
        links |= set(pairwise(way))
    below, above = _neighbours(links), _neighbours((b, a) for a, b in links)
    tried: list[tuple[int, list[list[str]]]] = []
    for backwards in (False, True):
        lines = [
            sorted((node for node in place if place[node] == number), reverse=backwards)
            for number in sorted(set(place.values()))
        ]
        tried.append((_crossings(lines, links), lines))
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            lines = _swept(lines, above if down else below, down=down)
            tried.append((_crossings(lines, links), lines))
    fewest = min(crossings for crossings, _ in tried)
    return (lines for crossings, lines in tried if crossings == fewest)


def _swept(
    lines: Sequence[Sequence[str]], near: Mapping[str, Sequence[str]], *, down: bool
) -> list[list[str]]:
    swept = [list(line) for line in lines]
    numbers = range(1, len(swept)) if down else range(len(swept) - 2, -1, -1)
    for number in numbers:
        beside = swept[number - 1 if down else number + 1]
        at = {node: index / len(beside) for index, node in enumerate(beside)}
        line = swept[number]
        own = {node: index / len(line) for index, node in enumerate(line)}

        def mean(
            node: str, at: Mapping[str, float] = at, own: Mapping[str, float] = own
        ) -> tuple[float, float]:
            places = [at[neighbour] for neighbour in near.get(node, ()) if neighbour in at]
            return (sum(places) / len(places) if places else own[node], own[node])

        swept[number] = sorted(line, key=mean)
    return swept


def _crossings(lines: Sequence[Sequence[str]], links: set[Edge]) -> int:
    at = {node: index for line in lines for index, node in enumerate(line)}
    row = {node: number for number, line in enumerate(lines) for node in line}
    by_row: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        by_row.setdefault(row[a], []).append((at[a], at[b]))
    return sum(
        (a - c) * (b - d) < 0
        for pairs in by_row.values()
        for number, (a, b) in enumerate(pairs)
        for c, d in pairs[number + 1 :]
    )


def _neighbours(edges: Iterable[Edge]) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = {}
    for a, b in sorted(edges):
        neighbours.setdefault(a, []).append(b)
    return neighbours
