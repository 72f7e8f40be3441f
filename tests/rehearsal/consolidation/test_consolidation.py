"""The session of document 001, replayed with the real Karpenter."""

import json

import pytest

from rehearsal.consolidation.costs import bills
from rehearsal.consolidation.disruptions import short
from rehearsal.consolidation.session import SESSION

pytestmark = pytest.mark.engine

BIG_ENOUGH = ["xlarge", "2xlarge", "4xlarge"]
SMALL = {"nano", "micro", "small", "medium", "large"}
MANY = 15


@pytest.fixture
def trace(life):
    return life.trace


@pytest.fixture
def scenes(trace):
    """Three pods, ten, six, three, ten, spot added, three, none."""
    assert [scene.title for scene in trace.scenes] == [step.title for step in SESSION]
    return trace.scenes


def sizes(scene):
    return sorted(
        (node.instance_type.partition(".")[2] for node in scene.nodes), key=BIG_ENOUGH.index
    )


def names(nodes):
    return {node.name for node in nodes}


def seen_together(trace, scene, old, new):
    """Whether there was a moment in the scene with all of these nodes."""
    return any(
        names(moment.nodes) >= old | new
        for moment in trace.moments
        if scene.began <= moment.at <= scene.ended
    )


@pytest.mark.feature("A1-16")
def test_three_pods_get_a_node(scenes):
    assert len(scenes[0].nodes) == 1
    assert scenes[0].nodes[0].pods >= 3  # noqa: PLR2004


@pytest.mark.feature("A1-17")
def test_ten_pods_get_a_larger_node_beside_it(scenes):
    three, ten = scenes[0], scenes[1]

    (new,) = names(ten.nodes) - names(three.nodes)
    assert names(three.nodes) < names(ten.nodes)
    assert (sizes(three), sizes(ten)) == (["xlarge"], ["xlarge", "2xlarge"])
    assert [n.instance_type.partition(".")[2] for n in ten.nodes if n.name == new] == ["2xlarge"]


def test_from_ten_pods_to_three_one_node_is_removed_and_one_made_smaller(scenes):
    """Which of the two comes first: Karpenter 1.14 takes what saves most for each pod moved.

    That is the larger node, and a smaller one in its place saves as much as no small one. Only
    where the pass falls between two of its clocks does the small one go first, as in the document.
    """
    ten, six, three = scenes[1:4]

    decisions = [*six.disruptions, *three.disruptions]
    assert sorted(one.decision for one in decisions) == ["delete", "replace"]
    assert len(six.disruptions) == 1
    assert six.cost == pytest.approx(ten.cost * 2 / 3, rel=0.01)
    assert sizes(three) == ["xlarge"]
    assert three.cost == pytest.approx(ten.cost / 3, rel=0.01)


@pytest.mark.feature("A1-18")
def test_from_ten_to_six_pods_the_six_are_packed_on_the_node_that_stays(life):
    three, ten, six = life.spot

    assert (sizes(three), sizes(ten)) == (["xlarge"], ["xlarge", "2xlarge"])
    (deletion,) = six.disruptions
    assert (deletion.decision, deletion.reason, deletion.pods) == ("delete", "underutilized", 3)
    assert names(six.nodes) == names(ten.nodes) - {deletion.removed[0].node}
    assert sizes(six) == ["2xlarge"]
    assert six.nodes[0].pods == 6  # noqa: PLR2004


@pytest.mark.feature("A1-19")
def test_from_six_to_three_pods_a_smaller_cheaper_node_starts_before_the_old_one_ends(life):
    six, three, none = life.smaller

    (replacement,) = three.disruptions
    assert (replacement.decision, replacement.reason) == ("replace", "underutilized")
    assert {one.node for one in replacement.removed} == names(six.nodes)
    assert {one.node for one in replacement.replacements} == names(three.nodes)
    assert (sizes(six), sizes(three)) == (["2xlarge"], ["xlarge"])
    assert {node.capacity for node in (*six.nodes, *three.nodes)} == {"on-demand"}
    assert three.cost < six.cost
    assert replacement.replaced_first
    assert none.nodes == ()


@pytest.mark.feature("A1-20")
def test_back_at_ten_pods_a_larger_node_comes_again(scenes):
    three, again = scenes[3], scenes[4]

    assert names(three.nodes) < names(again.nodes)
    assert sizes(again) == ["xlarge", "2xlarge"]
    assert {node.capacity for node in again.nodes} == {"on-demand"}


@pytest.mark.feature("A1-21")
def test_with_spot_added_a_spot_node_of_many_types_starts_and_the_others_end(trace, scenes):
    """Both at once where one pass sees both, else one after the other."""
    ten, spot = scenes[4], scenes[5]

    moves = [move for move in spot.disruptions if move.decision == "replace"]
    left = {one.node for move in spot.disruptions for one in move.removed}
    assert left >= names(ten.nodes)
    for move in moves:
        assert {one.capacity for one in move.removed} == {"on-demand"}
        assert {one.capacity for one in move.replacements} == {"spot"}
        assert all(one.offered > MANY for one in move.replacements)
        assert move.replaced_first
        old, new = ({one.node for one in nodes} for nodes in (move.removed, move.replacements))
        assert seen_together(trace, spot, old, new)
    assert moves
    assert {node.capacity for node in spot.nodes} == {"spot"}
    assert spot.cost < ten.cost


@pytest.mark.feature("A1-23")
def test_three_pods_on_spot_keep_one_node_as_large_as_it_is(scenes):
    ten, three = scenes[5], scenes[6]

    # A second one may go; for a smaller one none does.
    assert {one.decision for one in three.disruptions} <= {"delete"}
    assert len(three.disruptions) == len(ten.nodes) - 1
    (node,) = three.nodes
    assert node.name in names(ten.nodes)
    assert node.pods == 3  # noqa: PLR2004


@pytest.mark.feature("A1-24")
def test_without_pods_no_node_is_left(scenes):
    none = scenes[7]

    assert none.nodes == ()
    assert [(one.decision, one.reason) for one in none.disruptions] == [("delete", "empty")]


@pytest.mark.feature("A1-22")
def test_pods_without_a_preference_get_spot_first(life):
    launched = [node for scene in life.spot for node in scene.nodes]

    assert launched
    assert {node.capacity for node in launched} == {"spot"}


@pytest.mark.feature("A1-06")
def test_the_pool_s_label_is_on_each_node(life):
    assert life.nodes
    assert {node["metadata"]["labels"].get("intent") for node in life.nodes.values()} == {"apps"}


@pytest.mark.feature("A1-07")
def test_on_demand_alone_is_launched_as_long_as_the_pool_says_so(trace, scenes):
    before = [moment for moment in trace.moments if moment.at < scenes[5].began]

    assert {node.capacity for moment in before for node in moment.nodes} == {"on-demand"}


@pytest.mark.feature("A1-08")
def test_no_node_is_smaller_than_the_pool_allows(life, trace):
    launched = {node.instance_type for moment in trace.moments for node in moment.nodes}
    labels = [node["metadata"]["labels"] for node in life.nodes.values()]

    assert launched
    assert not {name.partition(".")[2] for name in launched} & SMALL
    assert not {one["karpenter.k8s.aws/instance-size"] for one in labels} & SMALL


@pytest.mark.feature("A1-15")
def test_pulumi_changes_the_pool_in_place(life, scenes):
    pools = [change for change in scenes[5].changes if "NodePool" in change]
    assert pools == ["update NodePool nodepool-default"]
    assert life.after["metadata"]["uid"] == life.before["metadata"]["uid"]
    assert life.after["metadata"]["generation"] > life.before["metadata"]["generation"]


@pytest.mark.feature("A1-09")
def test_a_preview_after_the_session_is_empty(life):
    assert life.preview.is_empty
    assert life.after["spec"]["limits"] == {"cpu": "1000", "memory": "1000Gi"}


@pytest.mark.feature("A1-34")
def test_the_replay_tells_which_nodes_went_why_by_what_and_how_many_are_left(life, trace):
    told = life.told.replace("\n", " ")
    decisions = trace.disruptions

    assert len(decisions) >= 4  # noqa: PLR2004
    for one in decisions:
        assert str(one) in told
        assert short(one.removed[0].node) in str(one)
        assert one.reason in str(one)
    counts = [len(scene.nodes) for scene in trace.scenes]
    # With spot added, one node or two, as a pass of Karpenter sees both or one.
    assert counts[:5] + counts[6:] == [1, 2, 1, 1, 2, 1, 0]
    assert "no node: 0.0000 USD/h" in told


def test_the_bill_of_the_session_lies_between_its_bounds(trace):
    found = {bill.name: bill for bill in bills(trace)}

    measured = found["as measured"]
    assert found["lower bound"].held < measured.held < found["on-demand only"].held
    assert measured.held < found["no consolidation"].held <= found["fixed nodes"].held
    assert found["lower bound"].measured < measured.measured < found["fixed nodes"].measured


def test_trace_and_picture_are_written(life, trace):
    assert life.picture.lstrip().startswith("<?xml")
    assert "USD an hour" in life.picture
    written = json.loads(life.written)
    assert [scene["title"] for scene in written["scenes"]] == [one.title for one in trace.scenes]


def test_the_destroy_drains_the_node_that_runs_and_leaves_nothing(life):
    assert life.up.succeeded
    assert life.destroy.succeeded
    assert life.left == []
