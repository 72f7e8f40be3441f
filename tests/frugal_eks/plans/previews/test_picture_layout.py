"""Nothing in the picture lies upon anything else, and all of it can be read."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugal_eks.plans.previews.picture import svg
from frugal_eks.plans.previews.picture.flow import GAP, Rect, in_bands, spread
from frugal_eks.plans.previews.picture.layers import acyclic, reduced
from frugal_eks.plans.previews.picture.layout import BESIDE, LINE_SIZE, NAME_SIZE, placed
from frugal_eks.plans.previews.picture.words import width
from tests.frugal_eks.plans.previews.test_picture import STACKS, drawn


def overlap(a: Rect, b: Rect) -> bool:
    return (
        a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
    )


def holds(a: Rect, b: Rect) -> bool:
    return (
        a.x <= b.x
        and a.y <= b.y
        and b.x + b.width <= a.x + a.width
        and b.y + b.height <= a.y + a.height
    )


def points(way):
    """Of the drawn line, which bends between the points of the way."""
    for (x, y), (to_x, to_y) in pairwise(way):
        for step in range(1, 20):
            t = step / 20
            bend = 3 * t**2 - 2 * t**3
            down = 1.5 * t * (1 - t) ** 2 + 1.5 * t**2 * (1 - t) + t**3
            yield x + (to_x - x) * bend, y + (to_y - y) * down


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_lies_upon_anything_else(stack):
    found = drawn(f"{stack}-create")
    at = placed(found)
    boxes = list(at.boxes.values())

    assert not [(a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :] if overlap(a, b)]
    assert not [(a, b) for _, a in at.rooms for b in boxes if overlap(a, b) and not holds(a, b)]
    for box in found.boxes:
        sides = [side for side, band in at.bands if holds(band, at.boxes[box.key])]
        assert sides == [box.side]
    crossed = [
        (x, y, box)
        for way in at.arrows
        for x, y in points(way)
        for box in boxes
        if box.x < x < box.x + box.width and box.y < y < box.y + box.height
    ]
    assert crossed == []


@pytest.mark.parametrize("stack", STACKS)
def test_arrows_go_down_and_texts_fit(stack):
    found = drawn(f"{stack}-create")
    at = placed(found)

    assert all(a[1] <= b[1] for way in at.arrows for a, b in pairwise(way))
    for box in found.boxes:
        room = at.boxes[box.key].width - 2 * BESIDE + 0.1
        assert width(at.headings[box.key], NAME_SIZE, bold=True) <= room
        assert all(width(line, LINE_SIZE) <= room for line in box.lines)


@pytest.mark.parametrize("stack", STACKS)
def test_it_reads_at_the_width_of_a_readme_on_any_ground(stack):
    text = svg(drawn(f"{stack}-create"))
    root = ElementTree.fromstring(text)
    ground = next(one for one in root if one.get("class") == "ground")

    assert float(root.get("width")) <= 1010  # noqa: PLR2004 (then letters of 12 get smaller)
    assert abs(float(ground.get("width")) - float(root.get("width"))) <= 1
    assert ".ground { fill: #ffffff" in text
    assert all(float(size) >= 12 for size in re.findall(r"font-size: ([\d.]+)px", text))  # noqa: PLR2004


NAMES = [f"n{number}" for number in range(7)]
LINKS = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=14)


@given(LINKS)
def test_any_graph_has_arrows_that_go_down_beside_its_boxes(links):
    kept = acyclic(NAMES, {(a, b) for a, b in links if a != b})
    phase = dict.fromkeys(NAMES, 0)
    flow = in_bands({name: (90.0, 40.0 + 9 * len(name)) for name in NAMES}, kept, phase)
    rects = list(flow.places.values())

    assert len(flow.arrows) == len(reduced(kept))
    assert not [(a, b) for n, a in enumerate(rects) for b in rects[n + 1 :] if overlap(a, b)]
    assert all(way[0][1] < way[-1][1] for way in flow.arrows)


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=8))
def test_places_keep_their_order_their_distance_and_the_ends(wanted):
    apart = [GAP] * (len(wanted) - 1)
    found = spread(wanted, apart, (-200.0, 200.0))

    assert all(b - a >= GAP - 1e-6 for a, b in pairwise(found))
    assert found[0] >= -200 - 1e-6
    assert found[-1] <= 200 + 1e-6
