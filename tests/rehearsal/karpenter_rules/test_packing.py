"""Which node goes where pods fit elsewhere, what keeps one, and how many go at once."""

from pathlib import Path

import pytest

from tests.rehearsal.karpenter_rules import film

pytestmark = pytest.mark.engine

IN_VAIN = (
    "Can't replace with a cheaper node",
    "Not all pods would schedule",
    "Can't remove without creating",
)
"""Why a node is left as it is; which of them is told first is a matter of moments."""


def app(frame, name: str):
    """The only pod of that name."""
    (pod,) = [pod for pod in frame.pods.values() if pod.app == name]
    return pod


@pytest.fixture
def packing(rules):
    """The moments of this part."""
    return [frame for frame in rules.frames if frame.at >= rules.packing]


@pytest.mark.feature("A1-25")
@pytest.mark.parametrize(
    ("pool", "goes", "stays"),
    [
        ("fewer", ["fewer-alone"], ["fewer-a", "fewer-b"]),
        # More pods, of a lower priority: by their number the other node would go.
        ("priority", ["priority-low-a", "priority-low-b"], ["priority-usual"]),
    ],
)
def test_the_node_with_fewer_pods_or_with_less_priority_goes(rules, packing, pool, goes, stays):
    (decision,) = rules.of(pool)
    (gone,) = {app(packing[0], name).node for name in goes}
    (kept,) = {app(packing[0], name).node for name in stays}

    assert gone in decision.nodes
    assert list(packing[-1].of(pool)) == [kept] != [gone]


@pytest.mark.feature("A1-25")
def test_that_a_node_expires_soon_makes_no_difference(rules, packing):
    """1.14.1 has a remaining lifetime in its sources and does not ask for it here: the document's
    Karpenter would have taken the other."""
    (decision,), (expiring, fresh) = rules.of("old"), rules.on_nodes["old"]

    assert fresh in decision.nodes
    assert list(packing[-1].of("old")) == [expiring]
    page = (Path(__file__).parents[3] / "docs/karpenter.md").read_text()
    assert "| … or about to expire | **No.** The time that a node has left counts no more" in page


@pytest.mark.feature("A1-23")
def test_a_spot_node_whose_pods_fit_elsewhere_is_deleted(rules, packing):
    (decision,) = rules.of("fewer")
    spot = {node.capacity for node in packing[0].of("fewer").values()}

    assert spot == {"spot"}
    assert (decision.kind, decision.reason) == ("delete", "Underutilized")


@pytest.mark.feature("A1-28")
def test_a_node_with_a_pod_that_must_not_be_disrupted_stays(rules, packing):
    node = rules.on_nodes["held"][0]
    pods = {app(frame, "held-pod") for frame in packing}

    assert list(packing[-1].of("held")) == [node]
    # The same pod all the time, at the same place.
    assert len(pods) == 1
    # Of the two it has fewer pods, and would have been the first to go.
    assert packing[0].hosts("held-guest") == packing[0].hosts("bare-pod") != [node]


@pytest.mark.feature("A1-29")
def test_and_lends_its_room_to_the_pods_of_others(rules, packing):
    held, other = rules.on_nodes["held"]
    (decision,) = rules.of("held")

    assert (decision.kind, decision.nodes.count(other)) == ("delete", 1)
    assert app(packing[-1], "held-guest").node == held


@pytest.mark.feature("A1-26")
def test_a_disruption_budget_holds_a_node_back(rules, packing):
    node, other = rules.on_nodes["guarded"]

    assert list(packing[-1].of("guarded")) == [node]
    assert {app(frame, "guarded-pod").uid for frame in packing} == {
        app(packing[0], "guarded-pod").uid
    }
    # It has fewer pods than the one that goes.
    assert packing[0].hosts("guarded-guest") == packing[0].hosts("guarded-friend") == [other]
    assert other in rules.of("guarded")[0].nodes


@pytest.mark.feature("A1-30")
@pytest.mark.parametrize("pool", ["attracted", "repelled", "spread"])
def test_what_cannot_be_met_elsewhere_keeps_a_node(rules, packing, pool):
    assert rules.of(pool) == []
    assert sorted(packing[-1].of(pool)) == sorted(rules.on_nodes[pool])
    # It did look.
    told = film.said(rules.events, "Unconsolidatable")
    looked = rules.on_nodes[pool][2:] if pool == "attracted" else rules.on_nodes[pool]
    assert all(told[node][0].startswith(IN_VAIN) for node in looked)


@pytest.mark.feature("A1-30")
def test_without_such_a_wish_the_same_pods_are_taken_apart(rules, packing):
    left, right, both = rules.on_nodes["apart"]

    assert both in rules.of("apart")[0].nodes
    assert sorted(packing[-1].of("apart")) == sorted([left, right])
    assert {app(packing[-1], f"apart-{n}").node for n in ("mine", "yours")} == {left, right}


@pytest.mark.feature("A1-31")
def test_a_pod_without_a_controller_keeps_no_node_and_does_not_come_back(rules, packing):
    _, node = rules.on_nodes["held"]

    assert app(packing[0], "bare-pod").node == node
    assert node in rules.of("held")[0].nodes
    assert node not in packing[-1].nodes
    assert not [pod for pod in packing[-1].pods.values() if pod.app == "bare-pod"]


def cordoned(frames, pool: str) -> list[set[str]]:
    """Nodes of the pool that were on their way out, moment by moment."""
    return [
        {name for name, node in frame.of(pool).items() if node.cordoned or node.leaving}
        for frame in frames
    ]


@pytest.mark.feature("A1-32")
def test_a_budget_of_one_node_takes_one_after_the_other(rules, packing):
    before, after = rules.of("one")
    going = cordoned(packing, "one")

    assert [len(set(d.nodes) & set(rules.on_nodes["one"])) for d in (before, after)] == [1, 1]
    assert max(len(nodes) for nodes in going) == 1
    assert len(set().union(*going)) == 2  # noqa: PLR2004
    assert len(packing[-1].of("one")) == 1
    hosts = [app(packing[-1], f"one-{n}").node for n in "abc"]
    assert len(set(hosts)) == 1


@pytest.mark.feature("A1-32")
def test_without_it_several_nodes_go_in_one_step_even_of_several_pools(rules, packing):
    (step,) = rules.of("held")
    loose = {name for name, node in packing[0].nodes.items() if node.pool == "loose"}

    assert len(loose & set(step.nodes)) > 1
    assert len(step.pools) > 1
