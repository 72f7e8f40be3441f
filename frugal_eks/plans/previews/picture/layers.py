"""Which row each node of a graph stands in, and in which order: arrows go down, few of them cross.

The layered drawing of Sugiyama, Tagawa and Toda (1981): rows by longest path, places to pass by for
arrows over several rows, and rows sorted by the mean place of their neighbours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

Edge = tuple[str, str]
_SWEEPS = 24


def acyclic(nodes: Sequence[str], edges: Iterable[Edge]) -> set[Edge]:
    """Without those that close a circle, so that all that are left go one way."""
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
    """Without those that follow from others: of A, B and C in a row not the one from A to C."""
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
    """The row of each node, from 0. Those of an earlier phase are above those of a later one.

    A node with nothing above it stands right above what waits for it.
    """
    before = _neighbours((b, a) for a, b in edges)
    after = _neighbours(edges)
    found: dict[str, int] = {}
    base = 0
    for number in sorted(set(phase.values())):
        inside = [node for node in nodes if phase[node] == number]

        def depth(node: str, number: int = number) -> int:
            near = [one for one in before.get(node, ()) if phase[one] == number]
            return 1 + max(map(depth, near), default=-1)

        depths = {node: depth(node) for node in inside}
        last = max(depths.values())
        for node in sorted(inside, key=lambda one: -depths[one]):
            later = [depths[one] for one in after.get(node, ()) if one in depths]
            if after.get(node):
                depths[node] = max(depths[node], min(later, default=last + 1) - 1)
        found |= {node: base + depths[node] for node in inside}
        base += last + 1
    return found


def filled(row: Mapping[str, int], edges: set[Edge], columns: int) -> dict[str, int]:
    """The same with at most so many nodes a row; those without an arrow go where there is room."""
    linked = {node for edge in edges for node in edge}
    found: dict[str, int] = {}
    at = 0
    for number in sorted({row[node] for node in row if node in linked}):
        inside = [node for node in row if row[node] == number and node in linked]
        for start in range(0, len(inside), columns):
            found |= dict.fromkeys(inside[start : start + columns], at)
            at += 1
    for node in (node for node in row if node not in linked):
        taken = list(found.values())
        found[node] = next(
            number for number in range(at + len(row)) if taken.count(number) < columns
        )
    return found


def evened(
    row: Mapping[str, int],
    edges: set[Edge],
    phase: Mapping[str, int],
    widths: Mapping[str, float],
    limit: float,
) -> dict[str, int]:
    """The same; of a row that is too wide, those that wait for nothing stand further up."""
    found = dict(row)
    waiting = {b for _, b in edges}

    def width(number: int) -> float:
        return sum(widths[node] for node in found if found[node] == number)

    for number in sorted(set(row.values()), reverse=True):
        free = [node for node in found if found[node] == number and node not in waiting]
        for node in free:
            above = [
                found[one] for one in found if phase[one] == phase[node] and found[one] < number
            ]
            best = min(sorted(set(above), reverse=True), key=width, default=number)
            if width(number) > limit and width(best) + widths[node] <= limit:
                found[node] = best
    return found


def chains(edges: Iterable[Edge], row: Mapping[str, int]) -> dict[Edge, list[str]]:
    """The nodes of each arrow, with one more in every row that it passes."""
    return {
        (a, b): [a, *(f"{a} {number} {b}" for number in range(row[a] + 1, row[b])), b]
        for a, b in sorted(edges)
    }


def orders(row: Mapping[str, int], ways: Mapping[Edge, Sequence[str]]) -> Iterator[list[list[str]]]:
    """Ways to have the nodes of each row from left to right, passing places too, with as few
    crossings as were found."""
    place: dict[str, int] = dict(row)
    links: set[Edge] = set()
    for (a, _), way in ways.items():
        place |= {node: row[a] + step for step, node in enumerate(way[:-1])}
        links |= set(pairwise(way))
    below, above = _neighbours(links), _neighbours((b, a) for a, b in links)
    found: list[tuple[int, list[list[str]]]] = []
    for backwards in (False, True):
        lines = [
            sorted((node for node in place if place[node] == number), reverse=backwards)
            for number in sorted(set(place.values()))
        ]
        found.append((_crossings(lines, links), lines))
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            lines = _swept(lines, above if down else below, down=down)
            found.append((_crossings(lines, links), lines))
    fewest = min(crossings for crossings, _ in found)
    return (lines for crossings, lines in found if crossings == fewest)


def _swept(
    lines: Sequence[Sequence[str]], near: Mapping[str, Sequence[str]], *, down: bool
) -> list[list[str]]:
    found = [list(line) for line in lines]
    numbers = range(1, len(found)) if down else range(len(found) - 2, -1, -1)
    for number in numbers:
        beside = found[number - 1 if down else number + 1]
        at = {node: index / len(beside) for index, node in enumerate(beside)}
        line = found[number]
        own = {node: index / len(line) for index, node in enumerate(line)}

        def mean(
            node: str, at: Mapping[str, float] = at, own: Mapping[str, float] = own
        ) -> tuple[float, float]:
            places = [at[one] for one in near.get(node, ()) if one in at]
            return (sum(places) / len(places) if places else own[node], own[node])

        found[number] = sorted(line, key=mean)
    return found


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
    found: dict[str, list[str]] = {}
    for a, b in sorted(edges):
        found.setdefault(a, []).append(b)
    return found
