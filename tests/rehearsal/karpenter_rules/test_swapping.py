"""A node that is larger than it need be is replaced where that saves money, spot by spot only on
demand."""

import re

import pytest

from tests.rehearsal.karpenter_rules import film
from tests.rehearsal.karpenter_rules.pools import MEDIUM
from tests.rehearsal.karpenter_rules.scenes import LARGE

pytestmark = pytest.mark.engine

PODS = 2
ENOUGH = 15
"""Types that a swap of spot for spot wants to choose from."""


def overlap(frames, rule: str, old: str, *others: str) -> bool:
    """Whether the old node left only when a new one was ready; the others were there before."""
    leaving = [f.of(rule) for f in frames if old in f.nodes and f.nodes[old].leaving]
    return bool(leaving) and all(
        any(node.ready for name, node in nodes.items() if name not in {old, *others})
        for nodes in leaving
    )


@pytest.mark.feature("A1-03", "A1-19")
def test_an_on_demand_node_is_replaced_by_a_cheaper_one(rules):
    (decision,) = rules.of("cheaper")

    assert (decision.kind, decision.reason) == ("replace", "Underutilized")
    assert (decision.capacity, decision.types) == ("on-demand", MEDIUM)


@pytest.mark.feature("A1-19")
def test_the_new_node_is_ready_before_the_old_one_leaves(rules):
    (old,) = rules.on_nodes["cheaper"]
    after = [frame.of("cheaper") for frame in rules.frames if old not in frame.nodes]

    assert overlap(rules.frames, "cheaper", old)
    assert rules.frames[0].of("cheaper") == {}
    assert {frame.nodes[old].type for frame in rules.frames if old in frame.nodes} == {LARGE}
    assert {node.type for nodes in after for node in nodes.values()} == {MEDIUM}


@pytest.mark.feature("A1-23")
@pytest.mark.parametrize("pool", ["spot-many", "spot-few"])
def test_a_spot_node_is_not_replaced_by_a_cheaper_one(rules, pool):
    (node,) = rules.on_nodes[pool]

    assert rules.of(pool) == []
    assert list(rules.frames[-1].of(pool)) == [node]
    # It did look. Why it left the node is told once in 15 minutes, and its first look may have come
    # while the large pod was still there.
    assert film.said(rules.events, "Unconsolidatable")[node]


@pytest.mark.feature("A1-23")
def test_with_the_gate_a_spot_node_is_replaced_where_there_is_enough_to_choose_from(rules):
    gate, (old,) = rules.gate, rules.on_nodes["spot-many"]
    (decision,) = [one for one in gate.decisions if old in one.nodes]
    named = re.findall(r"[a-z0-9]+\.[a-z0-9]+", decision.types)
    others = re.search(r"and (\d+) other", decision.types)

    assert (decision.kind, decision.capacity) == ("replace", "spot")
    assert others
    assert len(named) + int(others[1]) == ENOUGH
    assert overlap(gate.frames, "spot-many", old)
    (new,) = gate.frames[-1].of("spot-many").values()
    assert new.capacity == "spot"


@pytest.mark.feature("A1-23")
def test_with_the_gate_and_too_few_types_it_stays(rules):
    gate, (node,) = rules.gate, rules.on_nodes["spot-few"]

    assert [one for one in gate.decisions if node in one.nodes] == []
    assert list(gate.frames[-1].of("spot-few")) == [node]
    told = " ".join(film.said(gate.events, "Unconsolidatable")[node])
    assert f"SpotToSpotConsolidation requires {ENOUGH} cheaper instance type options" in told


@pytest.mark.feature("A1-23")
def test_the_gate_is_an_update_in_place(rules):
    assert set(rules.gate.up.changes) == {"same", "update"}


@pytest.fixture
def before(rules):
    """The moment at which all nodes are there and nothing has been left to Karpenter."""
    return next(frame for frame in rules.frames if frame.at >= rules.began)


@pytest.mark.feature("C-23")
def test_on_demand_takes_over_while_the_spot_pool_is_full(before):
    nodes = before.of("weights")

    assert sorted((one.pool, one.capacity) for one in nodes.values()) == [
        ("first", "spot"),
        ("second", "on-demand"),
    ]
    assert before.hosts("weights") == sorted(nodes)


@pytest.mark.feature("C-23")
def test_it_gives_back_once_there_is_room_on_spot_again(rules, before):
    (old,) = (name for name, one in before.of("weights").items() if one.pool == "second")
    (decision,) = (one for one in rules.decisions if old in one.nodes)

    assert (decision.kind, decision.capacity) == ("replace", "spot")
    assert overlap(rules.frames, "weights", old, *before.of("weights"))
    after = [f for f in rules.frames if old not in f.nodes and len(f.hosts("weights")) == PODS]
    assert after
    assert {one.pool for one in after[0].of("weights").values()} == {"first"}
