"""Interruptions of the spot stack, drained by the real handler."""

import pytest

from rehearsal.interruptions.announcements import NOTICE_SECONDS
from rehearsal.nodes import namespaces

pytestmark = pytest.mark.engine

MINIMUM = 2
"""Of the spot group, as its file says."""


@pytest.fixture(params=["spot", "rebalance", "maintenance", "storm"])
def drained(life, request):
    return getattr(life.interrupted, request.param)


def test_this_machine_can_run_the_handler():
    assert namespaces.missing() is None


@pytest.mark.feature("A0-20", "A4-02", "A4-05")
def test_every_pod_is_evicted_before_the_deadline_and_budgets_hold(drained):
    assert drained.failures() == []
    assert drained.drained.keys() == {node.name for node in drained.victims}
    assert max(drained.drained.values()) < NOTICE_SECONDS


@pytest.mark.feature("A0-20")
def test_pods_move_and_the_group_replaces_what_went(drained):
    gone = {node.name for node in drained.victims}

    assert not gone & {node.name for node in drained.nodes}
    # One that came to a node which went as well has moved once more.
    again = {move.name for move in drained.moves}
    last = [move for move in drained.moves if move.now not in again]
    assert [move for move in last if move.now_on in gone or move.ready is None] == []
    spot = [node for node in drained.nodes if node.capacity == "spot"]
    assert len(spot) == MINIMUM
    assert len(drained.new_nodes) >= len(gone)


@pytest.mark.feature("A0-24", "C-23")
def test_a_storm_takes_all_spot_nodes_and_nothing_of_on_demand(life):
    storm = life.interrupted.storm

    assert len(storm.victims) == MINIMUM
    assert storm.moves
    assert storm.lost == []


@pytest.mark.feature("A0-20", "A4-06", "A4-05")
def test_the_handler_in_its_other_mode_drains_its_own_node(life):
    spot = life.metadata.spot

    assert spot.failures() == []
    assert max(spot.drained.values()) < NOTICE_SECONDS


@pytest.mark.feature("A0-16", "A0-21", "A4-06")
def test_by_metadata_there_is_one_handler_on_each_spot_node(life):
    handler = life.metadata.handler

    assert handler["spec"]["template"]["spec"]["nodeSelector"] == {
        "kubernetes.io/os": "linux",
        "lifecycle": "Ec2Spot",
    }
    status = handler["status"]
    assert status["desiredNumberScheduled"] == status["numberReady"] == life.changed.desired[1]
    assert life.metadata.preview.is_empty
