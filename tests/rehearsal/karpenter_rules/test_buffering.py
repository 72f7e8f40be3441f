"""Karpenter's CapacityBuffer keeps room without pods: alpha in 1.14, and behind its gate."""

import pytest

from tests.rehearsal.karpenter_rules.buffering import REPLICAS

pytestmark = pytest.mark.engine

REGISTER_SECONDS = 30
"""From the launch of a node here until it takes pods."""


@pytest.fixture
def buffered(rules):
    return rules.buffered


@pytest.mark.feature("C-20")
def test_the_buffer_takes_the_place_of_the_pause_pods_in_one_up(buffered):
    made = {(step.op, step.type.rpartition(":")[2]) for step in buffered.up.steps if step.custom}

    assert made >= {("create", "CapacityBuffer"), ("delete", "Deployment"), ("update", "Release")}
    assert buffered.pods == []
    assert buffered.preview.is_empty


@pytest.mark.feature("C-20")
def test_nodes_come_for_pods_that_are_not_there(buffered):
    assert buffered.there > buffered.before
    assert buffered.buffer["status"]["replicas"] == REPLICAS


@pytest.mark.feature("C-20")
def test_pods_take_the_room_without_waiting_for_a_node_and_it_comes_again(
    buffered, record_property
):
    record_property("seconds", buffered.seconds)
    assert buffered.seconds < REGISTER_SECONDS / 2
    assert buffered.hosts <= buffered.there
    assert buffered.refilled
