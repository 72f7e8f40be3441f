"""What makes a node leave besides consolidation, and how: expiry, a deleted Node, limits, room."""

from datetime import timedelta

import pytest

from tests.rehearsal.karpenter_rules import film
from tests.rehearsal.karpenter_rules.draining import HELD_SECONDS
from tests.rehearsal.karpenter_rules.scenes import EXPIRE

pytestmark = pytest.mark.engine

REGISTER_SECONDS = 30


def claims(rules, rule: str):
    """The rule's claims as they were last seen, the oldest first."""
    last = {
        name: one
        for frame in rules.frames
        for name, one in frame.claims.items()
        if one.rule == rule
    }
    return sorted(last.values(), key=lambda one: one.created)


@pytest.mark.feature("A2-52")
def test_a_node_expires_at_its_age_whatever_the_budget_says(rules):
    old, *_ = claims(rules, "expired")

    assert old.deleted
    age = old.deleted - old.created
    assert timedelta(seconds=EXPIRE) <= age <= timedelta(seconds=EXPIRE + 60)
    told = film.said(rules.events, "DisruptionBlocked")["expired"]
    assert (
        "No allowed disruptions for disruption reason Underutilized due to blocking budget" in told
    )


@pytest.mark.feature("A2-52")
def test_its_successor_comes_after_it(rules):
    old, new, *_ = claims(rules, "expired")

    assert old.deleted
    assert new.created >= old.deleted
    # Meanwhile the pod has no place.
    between = [f for f in rules.frames if old.deleted <= f.at < (new.initialized or f.at)]
    assert any(not frame.hosts("expired") for frame in between)


@pytest.mark.feature("A1-09")
def test_limits_stop_further_nodes(rules):
    counts = {len(frame.of("limited")) for frame in rules.frames if frame.at >= rules.began}
    waits = [
        name
        for name, pod in rules.frames[-1].pods.items()
        if (pod.app, pod.node) == ("limited", "")
    ]

    assert counts == {1}
    assert len(waits) == 1
    told = " ".join(film.said(rules.events, "FailedScheduling")[waits[0]])
    assert "all available instance types exceed limits for nodepool (NodePool=limited)" in told


@pytest.mark.feature("A1-33")
def test_a_deleted_node_is_cordoned_drained_and_ended_by_the_finalizer(rules):
    drained = rules.drained
    metadata, taints = drained.node["metadata"], drained.node["spec"]["taints"]

    assert "deletionTimestamp" in metadata
    assert "karpenter.sh/termination" in metadata["finalizers"]
    assert {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"} in taints
    name = metadata["name"]
    assert name not in rules.frames[-1].nodes
    assert name not in {one.node for one in rules.frames[-1].claims.values()}


@pytest.mark.feature("A1-26")
def test_an_eviction_is_tried_again_with_growing_pauses_and_nothing_is_killed(rules):
    drained = rules.drained
    late = [at for at in drained.refused if at > HELD_SECONDS / 2]

    # From 0.1 s on each pause is twice the one before: seven times in the first half, then twice.
    assert len(drained.refused) >= 5  # noqa: PLR2004
    assert len(drained.refused) >= 2 * len(late), drained.refused
    assert len(late) <= 3, drained.refused  # noqa: PLR2004
    assert drained.uids[0] == drained.uids[1]
    assert any("waiting to be evicted" in told for told in drained.events)


@pytest.mark.feature("A1-26")
def test_no_node_is_launched_for_a_pod_that_may_not_leave(rules):
    before, after = claims(rules, "deleted")

    assert before.deleted
    assert after.created >= rules.drained.freed.replace(microsecond=0)


def test_a_static_pool_holds_its_number(rules):
    (lost, other) = rules.on_nodes["fixed"]
    later = rules.frames[-1].of("fixed")

    assert len(later) == 2  # noqa: PLR2004
    assert lost not in later
    assert other in later
    assert rules.of("fixed") == []


@pytest.mark.feature("A2-62", "A2-63")
def test_pause_pods_spare_the_next_pod_the_wait_for_a_node(rules):
    room = rules.room

    assert room.hosts == {room.pushed}
    assert room.returned != room.pushed
    # A node registers half a minute after its launch.
    assert room.without > REGISTER_SECONDS
    assert room.with_pause_pods < REGISTER_SECONDS / 2
