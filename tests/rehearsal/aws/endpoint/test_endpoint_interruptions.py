"""What a rehearsal lets EC2 do to spot instances, and how their groups answer."""

import json
import urllib.error
import urllib.request

import pytest

from tests.rehearsal.aws.endpoint.groups import WAITING, Groups, complete, hooked, scaling, waiting


@pytest.fixture
def groups(aws):
    made = Groups(aws)
    yield made
    made.clear()


def control(groups, path, method="POST"):
    url = f"{groups.aws.client('ec2').meta.endpoint_url}/_rehearsal/{path}"
    with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
        return json.loads(answer.read())


def test_a_rebalance_launches_the_replacement_before_the_old_one_drains(groups):
    name = hooked(groups, 2, CapacityRebalance=True)
    at_risk, other = groups.states(name)

    answer = control(groups, f"rebalance?instance={at_risk}")

    assert answer == {"instance": at_risk, "group": name, "replaced": True}
    assert list(groups.states(name).values()) == ["InService"] * 3
    groups.settle()
    states = groups.states(name)
    assert states.pop(at_risk) == WAITING
    assert list(states.values()) == ["InService"] * 2
    assert other in states
    complete(groups, name, at_risk)
    groups.settle()
    assert len(groups.states(name)) == len(states)


def test_a_rebalance_waits_for_room_and_means_nothing_to_other_groups(groups):
    plain = groups.make(1)
    (instance,) = groups.states(plain)
    assert control(groups, f"rebalance?instance={instance}")["replaced"] is False
    name = hooked(groups, 1, CapacityRebalance=True)
    (at_risk,) = groups.states(name)
    scaling(groups).suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])

    control(groups, f"rebalance?instance={at_risk}")
    groups.settle()

    assert groups.states(name) == {at_risk: "InService"}
    scaling(groups).resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    groups.settle()
    groups.settle()
    assert waiting(groups, name) == [at_risk]


def test_an_interrupted_spot_instance_ends_when_its_notice_is_over(groups):
    name = hooked(groups, 1)
    (at_risk,) = groups.states(name)

    answer = control(groups, f"spot-interruption?instance={at_risk}")

    assert answer == {"instance": at_risk, "group": name, "replaced": False}
    groups.settle(later=119)
    assert groups.states(name) == {at_risk: "InService"}
    groups.settle(later=121)
    states = groups.states(name)
    assert at_risk not in states
    assert list(states.values()) == ["InService"]
    (successor,) = states
    control(groups, f"spot-interruption?instance={successor}&seconds=0.5")
    groups.settle(later=1)
    assert successor not in groups.states(name)


def test_an_interruption_overtakes_the_hook_of_a_rebalance(groups):
    name = hooked(groups, 1, CapacityRebalance=True)
    (at_risk,) = groups.states(name)
    control(groups, f"spot-interruption?instance={at_risk}")
    groups.settle()
    assert waiting(groups, name) == [at_risk]

    groups.settle(later=121)

    assert list(groups.states(name).values()) == ["InService"]
    assert at_risk not in groups.states(name)


@pytest.mark.parametrize(
    ("path", "method", "status", "message"),
    [
        ("rebalance?instance=i-0", "POST", 404, "There is no running instance i-0"),
        ("rebalance", "POST", 400, "the parameter instance is missing: add ?instance=i-…"),
        ("rebalance?instance=i-0", "GET", 400, "are what there is"),
        ("nothing?instance=i-0", "POST", 400, "are what there is"),
        ("spot-interruption?instance=i-0&seconds=soon", "POST", 400, "(got soon)"),
        ("spot-interruption?instance=i-0&seconds=-1", "POST", 400, "(got -1)"),
    ],
)
def test_a_wrong_control_path_is_told(groups, path, method, status, message):
    with pytest.raises(urllib.error.HTTPError) as caught:
        control(groups, path, method)

    with caught.value as error:
        assert error.code == status
        assert json.loads(error.read())["message"].endswith(message)
