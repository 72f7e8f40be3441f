"""How instances leave their groups: at once, or when their hooks are complete."""

import pytest

from tests.rehearsal.aws.endpoint.conftest import refused
from tests.rehearsal.aws.endpoint.groups import (
    HOOK,
    WAITING,
    Groups,
    Inbox,
    complete,
    hooked,
    mime,
    node_config,
    scaling,
    waiting,
)

LIFECYCLE = "EC2 Instance-terminate Lifecycle Action"


@pytest.fixture
def groups(aws):
    made = Groups(aws)
    yield made
    made.clear()


def test_a_hook_holds_what_ends_and_its_event_reaches_the_queue(groups):
    inbox = Inbox(groups.aws, {"source": ["aws.autoscaling"]})
    name = hooked(groups, 2)

    scaling(groups).set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=1)

    (leaving,) = waiting(groups, name)
    assert leaving in [one["InstanceId"] for one in groups.instances(name)]
    (event,) = inbox.read()
    token = event["detail"].pop("LifecycleActionToken")
    assert (event["source"], event["detail-type"]) == ("aws.autoscaling", LIFECYCLE)
    assert event["resources"] == [groups.described(name)["AutoScalingGroupARN"]]
    assert event["detail"] == {
        "AutoScalingGroupName": name,
        "LifecycleHookName": "drain",
        "EC2InstanceId": leaving,
        "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "Origin": "AutoScalingGroup",
        "Destination": "EC2",
    }
    complete(groups, name, leaving, LifecycleActionToken=token)
    assert leaving not in groups.states(name)
    assert [one["InstanceId"] for one in groups.instances(name)] == list(groups.states(name))
    assert "No active Lifecycle Action found" in refused(lambda: complete(groups, name, leaving))


def test_without_a_hook_an_instance_ends_at_once(groups):
    inbox = Inbox(groups.aws, {"source": ["aws.ec2"]})
    name = groups.make(1)
    (instance,) = groups.states(name)

    scaling(groups).set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)

    assert groups.states(name) == {}
    told = [one["detail"] for one in inbox.read()]
    assert told == [
        {"instance-id": instance, "state": "shutting-down"},
        {"instance-id": instance, "state": "terminated"},
    ]


@pytest.mark.behaviour("nth-no-heartbeats-by-default")
def test_a_hook_ends_when_its_time_is_over_and_a_heartbeat_prolongs_it(groups, caplog):
    name = hooked(groups, 1)
    scaling(groups).set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    (leaving,) = waiting(groups, name)

    groups.settle(later=250)
    assert waiting(groups, name) == [leaving]
    (member,) = groups.members(name)
    member.actions["drain"].deadline -= 100  # so many seconds pass
    scaling(groups).record_lifecycle_action_heartbeat(
        AutoScalingGroupName=name, LifecycleHookName="drain", InstanceId=leaving
    )
    groups.settle(later=250)
    assert waiting(groups, name) == [leaving]
    groups.settle(later=301)

    assert groups.states(name) == {}
    assert f"nobody completed hook drain for {leaving} within 300 s" in caplog.text


def test_all_hooks_are_waited_for_unless_one_abandons(groups):
    other = {**HOOK, "LifecycleHookName": "log"}
    name = groups.make(2, LifecycleHookSpecificationList=[HOOK, other])
    scaling(groups).set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    first, second = waiting(groups, name)

    complete(groups, name, first)
    complete(groups, name, second, LifecycleActionResult="ABANDON")

    assert waiting(groups, name) == [first]


def test_an_instance_that_is_asked_to_end_is_replaced_unless_the_group_shrinks(groups):
    name = hooked(groups, 2)
    first, second = groups.states(name)

    scaling(groups).terminate_instance_in_auto_scaling_group(
        InstanceId=first, ShouldDecrementDesiredCapacity=False
    )
    scaling(groups).terminate_instance_in_auto_scaling_group(
        InstanceId=second, ShouldDecrementDesiredCapacity=True
    )

    states = groups.states(name)
    assert (states.pop(first), states.pop(second)) == (WAITING, WAITING)
    assert list(states.values()) == ["InService"]
    assert groups.described(name)["DesiredCapacity"] == 1


def test_what_ended_or_stopped_behind_the_groups_back_is_replaced(groups):
    name = hooked(groups, 3)
    gone, stopped, unwell = groups.states(name)
    ec2 = groups.aws.client("ec2")

    ec2.terminate_instances(InstanceIds=[gone])
    ec2.stop_instances(InstanceIds=[stopped])
    scaling(groups).set_instance_health(InstanceId=unwell, HealthStatus="Unhealthy")
    groups.settle()

    states = groups.states(name)
    assert gone not in states
    assert (states.pop(stopped), states.pop(unwell)) == (WAITING, WAITING)
    assert list(states.values()) == ["InService"] * 3


def test_a_deleted_group_takes_its_hooks_along_and_does_not_wait(groups):
    name = hooked(groups, 1)
    (instance,) = groups.states(name)

    scaling(groups).delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)

    groups.made.clear()
    left = scaling(groups).describe_lifecycle_hooks(AutoScalingGroupName=name)
    assert left["LifecycleHooks"] == []
    found = groups.aws.client("ec2").describe_instances(InstanceIds=[instance])
    assert found["Reservations"][0]["Instances"][0]["State"]["Name"] == "terminated"


def test_a_waiting_instance_keeps_its_node_until_it_is_drained(groups):
    groups.aws.create_cluster()
    groups.let_in()
    name = hooked(groups, 1, data={"UserData": mime(node_config())})
    groups.settle()
    (node,) = groups.aws.kubernetes.named("Node")

    scaling(groups).set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    groups.settle()
    assert list(groups.aws.kubernetes.named("Node")) == [node]
    complete(groups, name, *waiting(groups, name))
    groups.settle()

    assert groups.aws.kubernetes.named("Node") == {}
