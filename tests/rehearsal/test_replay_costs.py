"""What a replay costs, by numbers that were reckoned by hand."""

import json

import pytest

from rehearsal.consolidation.costs import bills
from rehearsal.consolidation.disruptions import Disruption, Removed, Replacement
from rehearsal.consolidation.trace import Moment, NodeSeen, Offer, Scene, Trace

HOUR = 3600.0


def node(name, price, on_demand=None):
    return NodeSeen(name, f"type-{name}", "spot", "a", price, on_demand or price, 1)


SMALL, LARGE = node("small", 1.0), node("large", 2.0)
NEW = node("new", 1.5, on_demand=4.0)
MOVE = Disruption(
    at=0,
    decision="replace",
    reason="underutilized",
    pods=1,
    removed=(Removed("large", "c1", "t", "on-demand"),),
    replacements=(Replacement(offered=5, capacity="spot", claim="c2", node="new"),),
    savings=0.5,
)


@pytest.fixture
def trace():
    """One hour with one pod, one with four, then half an hour with one that ends on a new node."""
    made = Trace(workload="default/inflate", region="eu-west-1", prices_of="2026-01-01")
    moments = [
        Moment(0, 1, (SMALL,)),
        Moment(HOUR, 4, (SMALL, LARGE)),
        Moment(2 * HOUR, 1, (SMALL, LARGE, NEW)),
        Moment(2.25 * HOUR, 1, (NEW,)),
    ]
    for moment in moments:
        made.add(moment)
    made.scenes = [
        Scene("1 pod", 0, HOUR - 1, 1, (SMALL,), ()),
        Scene("4 pods", HOUR, 2 * HOUR - 1, 4, (SMALL, LARGE), ()),
        Scene("1 pod", 2 * HOUR, 2.5 * HOUR, 1, (NEW,), (MOVE,)),
    ]
    made.offer = Offer("big", "spot", "a", price=2.0, pods=8)
    return made


@pytest.fixture
def found(trace):
    return {bill.name: bill for bill in bills(trace)}


def test_measured_is_what_was_there(found):
    bill = found["as measured"]

    assert bill.scenes == (1.0, 3.0, 1.5)
    assert bill.held == 5.5  # noqa: PLR2004
    # 1 h at 1, 1 h at 3, a quarter at 4.5, a quarter at 1.5.
    assert bill.measured == pytest.approx(1 + 3 + 4.5 / 4 + 1.5 / 4)


def test_on_demand_only_has_the_same_nodes_at_another_price(found):
    bill = found["on-demand only"]

    assert bill.scenes == (1.0, 3.0, 4.0)
    assert bill.measured == pytest.approx(1 + 3 + 7 / 4 + 4 / 4)


def test_without_consolidation_nodes_of_a_new_height_stay_and_replacements_never_come(found):
    bill = found["no consolidation"]

    assert bill.scenes == (1.0, 3.0, 3.0)
    assert bill.measured == pytest.approx(1 + 3 + 3 / 2)


def test_without_consolidation_a_height_that_was_there_before_brings_no_second_node(trace):
    again = node("again", 2.0)
    trace.moments.append(Moment(2.5 * HOUR, 4, (NEW, again)))
    trace.scenes.append(Scene("4 pods", 2.5 * HOUR, 3 * HOUR, 4, (NEW, again), ()))

    found = {bill.name: bill for bill in bills(trace)}

    assert found["as measured"].scenes[-1] == 3.5  # noqa: PLR2004
    assert found["no consolidation"].scenes == (1.0, 3.0, 3.0, 3.0)


def test_without_consolidation_a_replacement_at_a_new_height_never_comes(trace):
    trace.moments.append(Moment(2.5 * HOUR, 9, (NEW, LARGE)))
    trace.scenes.append(Scene("9 pods", 2.5 * HOUR, 3 * HOUR, 9, (NEW, LARGE), (MOVE,)))

    assert bills(trace)[2].scenes[-1] == 3.0  # noqa: PLR2004


def test_fixed_nodes_are_those_of_the_peak_all_the_time(found):
    bill = found["fixed nodes"]

    assert bill.scenes == (3.0, 3.0, 3.0)
    assert bill.measured == pytest.approx(3 * 2.5)


def test_the_lower_bound_is_each_pod_s_share_of_the_cheapest_offering(found):
    bill = found["lower bound"]

    assert bill.scenes == (0.25, 1.0, 0.25)
    assert bill.measured == pytest.approx(0.25 + 1.0 + 0.25 / 2)
    assert "big spot a" in bill.rule


def test_a_step_that_begins_in_the_same_instant_does_not_count_for_the_one_before(trace):
    trace.moments.append(Moment(trace.end, 0, ()))
    trace.scenes.append(Scene("0 pods", trace.end, 3 * HOUR, 0, (), ()))

    found = {bill.name: bill for bill in bills(trace)}

    assert found["as measured"].scenes == (1.0, 3.0, 1.5, 0)
    assert found["lower bound"].scenes == (0.25, 1.0, 0.25, 0)


def test_without_an_offer_there_is_no_bound(trace):
    trace.offer = None

    assert "lower bound" not in {bill.name for bill in bills(trace)}


def test_what_is_dearer_is_a_share_of_the_other(found):
    assert found["fixed nodes"].above(found["as measured"]) == pytest.approx(9 / 5.5 - 1)


def test_nothing_costs_nothing():
    empty = Trace(workload="default/inflate", region="eu-west-1", prices_of="2026-01-01")

    assert [(bill.held, bill.measured) for bill in bills(empty)] == [(0, 0)] * 4
    assert bills(empty)[0].above(bills(empty)[1]) == 0


def test_each_way_has_its_rule_in_one_line(found):
    assert [bill.rule for bill in found.values() if "\n" in bill.rule or not bill.rule] == []


def test_a_moment_is_kept_only_if_it_differs(trace):
    before = len(trace.moments)

    trace.add(Moment(3 * HOUR, 1, (NEW,)))
    assert len(trace.moments) == before
    trace.add(Moment(3 * HOUR, 2, (NEW,)))
    assert len(trace.moments) == before + 1


def test_a_trace_is_written_as_json(trace, tmp_path):
    trace.write(tmp_path / "trace.json")

    written = json.loads((tmp_path / "trace.json").read_text())
    assert written["scenes"][2]["disruptions"][0]["replacements"][0]["offered"] == 5  # noqa: PLR2004
    assert written["moments"][0] == {"at": 0, "pods": 1, "nodes": [vars(SMALL)]}
