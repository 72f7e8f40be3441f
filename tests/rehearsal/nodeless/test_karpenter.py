"""Karpenter brings spot nodes for pods and takes them away."""

import pytest

from tests.rehearsal.nodeless.stage import changed

pytestmark = pytest.mark.engine

SPOT = "spot"


def pods(nodes) -> int:
    """All that they run, without those of DaemonSets."""
    return sum(len(node.pods) for node in nodes)


@pytest.mark.feature("A2-07", "A2-50", "A2-53")
def test_karpenter_gives_pods_spot_nodes_and_takes_them_away(load):
    ten, none, three = load.scenes
    nodes = [*load.at_first, *(node for scene in load.scenes for node in scene.nodes)]

    # The two pause pods are there all the time, and they alone hold a node.
    assert [pods(each) for each in (load.at_first, ten.nodes, none.nodes, three.nodes)] == [
        2,
        12,
        2,
        5,
    ]
    assert (len(load.at_first), len(none.nodes)) == (1, 1)
    assert {node.name for node in load.at_first} < {node.name for node in ten.nodes}
    assert none.cost < ten.cost
    assert {node.capacity for node in nodes} == {SPOT}
    sizes = {node.instance_type.partition(".")[2] for node in nodes}
    assert not sizes & {"nano", "micro", "small", "medium", "large"}
    assert all(node.price for node in nodes)


def test_an_interrupted_spot_node_is_replaced(load):
    outcome = load.interruption
    (victim,) = outcome.victims
    nodes = [one for one in outcome.nodes if one.karpenter]

    assert victim.capacity == SPOT
    assert {one.name for one in outcome.moves} == set(victim.pods) != set()
    assert victim.name not in {node.name for node in outcome.nodes}
    assert pods(nodes) == 5  # noqa: PLR2004


def test_a_preview_after_load_and_interruption_is_empty(load):
    assert load.preview.is_empty, changed(load.preview)
