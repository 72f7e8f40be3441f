"""Pause pods keep room: pods that need a place have one before a new node is there."""

import pytest

from tests.rehearsal.nodeless.stage import follow, one

pytestmark = pytest.mark.engine


@pytest.mark.feature("A2-62")
def test_pods_without_room_take_the_place_of_pause_pods_at_once(second):
    preempted = second.preempted
    last = preempted.moments[-1]

    # No node more than there was.
    assert set(last.hosts) == preempted.before == last.nodes
    assert preempted.pushed
    assert preempted.said_of_pushed == preempted.pushed


@pytest.mark.feature("A2-62")
def test_a_pause_pod_that_made_room_brings_a_new_node(second):
    preempted = second.preempted

    assert preempted.waiting == len(preempted.pushed)
    assert len(preempted.claims) == 1
    assert preempted.pause_hosts
    assert preempted.pause_hosts.isdisjoint(preempted.before)


@pytest.mark.feature("A2-63")
@pytest.mark.parametrize("how", ["cordoned", "expired"])
def test_pods_of_a_node_that_goes_move_into_the_room_before_a_new_node_is_there(second, how):
    moved = getattr(second, how)
    last = moved.moments[-1]

    assert moved.left not in last.hosts
    assert set(last.hosts) <= moved.others
    assert last.nodes <= {moved.left, *moved.others}


@pytest.mark.feature("A2-63")
def test_without_pause_pods_they_wait_for_a_new_node(second):
    moved = second.without_room
    last = moved.moments[-1]

    assert moved.others == set()
    assert set(last.hosts).isdisjoint({moved.left})
    assert set(last.hosts) <= last.nodes
    # They were missing until it came, whereas with room they are missing for a moment.
    assert [m for m in moved.moments if not m.hosts and m.nodes <= {moved.left}]
    assert max(second.cordoned.gap, second.expired.gap) < moved.gap


@pytest.mark.feature("A2-60")
def test_the_namespace_of_the_pause_pods_is_there_before_them(second):
    namespace = one(second.up, "core/v1:Namespace", "overprovisioning")
    priority = one(second.up, "PriorityClass", "overprovisioning")
    pods = one(second.up, "apps/v1:Deployment", "overprovisioning")

    assert follow(namespace, pods)
    assert follow(priority, pods)
    made = {key: one["metadata"]["creationTimestamp"] for key, one in second.live.items()}
    assert made["namespace"] <= made["pause"]


@pytest.mark.feature("A2-57", "A2-59")
def test_the_pause_pods_are_as_the_api_server_took_them(second):
    priority = second.live["priority"]
    metadata, pods = second.live["pause"]["metadata"], second.live["pause"]["spec"]
    (container,) = pods["template"]["spec"]["containers"]

    assert (priority["value"], priority.get("globalDefault", False)) == (-1, False)
    assert priority["description"]
    assert (metadata["namespace"], pods["replicas"]) == ("pause", 2)
    assert pods["selector"]["matchLabels"] == {"run": "pause-pods"}
    assert pods["template"]["spec"]["priorityClassName"] == "pause-pods"
    assert pods["template"]["spec"]["terminationGracePeriodSeconds"] == 1
    assert container["name"] == "reserve-resources"
    assert container["resources"]["requests"]["cpu"] == "1"
    assert "@sha256:" in container["image"]


@pytest.mark.feature("A2-58")
def test_inflate_is_as_the_api_server_took_it(second):
    pods = second.live["inflate"]["spec"]
    (container,) = pods["template"]["spec"]["containers"]

    assert pods["replicas"] == 0
    assert pods["selector"]["matchLabels"] == {"app": "inflate"}
    assert pods["template"]["spec"]["terminationGracePeriodSeconds"] == 0
    assert container["image"] == "public.ecr.aws/eks-distro/kubernetes/pause:3.7"
    assert container["resources"]["requests"] == {"cpu": "1"}


@pytest.mark.feature("A2-56")
def test_a_second_default_priority_class_is_refused_and_the_run_tells_of_it(second):
    defaults = second.defaults

    refused = "is forbidden: PriorityClass {} is already marked as default"
    assert refused.format("somebodys") in defaults.told_by_up
    assert "overprovisioning-default" in defaults.told_by_up
    assert refused.format("default") in defaults.told_by_api
    assert (defaults.default["value"], defaults.default["globalDefault"]) == (0, True)
    assert defaults.default["description"]
