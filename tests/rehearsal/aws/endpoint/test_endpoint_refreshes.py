"""Instance refreshes replace a few instances at a time, through the hooks."""

import pytest

from tests.rehearsal.aws.endpoint.conftest import refused
from tests.rehearsal.aws.endpoint.groups import WAITING, Groups, complete, hooked, scaling, waiting


@pytest.fixture
def groups(aws):
    made = Groups(aws)
    yield made
    made.clear()


def new_version(groups, name):
    groups.template(name, TagSpecifications=[])


def refreshes(groups, name):
    told = scaling(groups).describe_instance_refreshes(AutoScalingGroupName=name)
    return [(one["Status"], one["PercentageComplete"]) for one in told["InstanceRefreshes"]]


def test_a_refresh_ends_as_many_as_may_be_missing_and_goes_on_when_they_are_drained(groups):
    name = hooked(groups, 3)
    old = set(groups.states(name))
    new_version(groups, name)

    started = scaling(groups).start_instance_refresh(
        AutoScalingGroupName=name, Preferences={"MinHealthyPercentage": 66}
    )

    assert "InstanceRefreshInProgress" in refused(
        lambda: scaling(groups).start_instance_refresh(AutoScalingGroupName=name)
    )
    told = scaling(groups).describe_instance_refreshes(
        AutoScalingGroupName=name, InstanceRefreshIds=[started["InstanceRefreshId"]]
    )
    assert told["InstanceRefreshes"][0]["InstancesToUpdate"] == len(old)
    for percent in (33, 66):
        (leaving,) = waiting(groups, name)
        groups.settle()  # nothing more happens before the node is drained
        assert waiting(groups, name) == [leaving]
        complete(groups, name, leaving)
        groups.settle()
        assert refreshes(groups, name) == [("InProgress", percent)]
    (leaving,) = waiting(groups, name)
    complete(groups, name, leaving)
    groups.settle()
    assert refreshes(groups, name) == [("Successful", 100)]
    assert list(groups.states(name).values()) == ["InService"] * 3
    assert old.isdisjoint(groups.states(name))


def test_a_refresh_launches_first_where_more_than_all_may_run(groups):
    name = hooked(groups, 2)
    old = set(groups.states(name))
    new_version(groups, name)

    scaling(groups).start_instance_refresh(
        AutoScalingGroupName=name,
        Preferences={"MinHealthyPercentage": 100, "MaxHealthyPercentage": 150},
    )

    states = groups.states(name)
    assert sorted(states.values()) == ["InService", "InService", WAITING]
    assert len(old - states.keys()) == 0
    for _ in range(2):
        (leaving,) = waiting(groups, name)
        complete(groups, name, leaving)
        groups.settle()
    assert refreshes(groups, name) == [("Successful", 100)]
    assert list(groups.states(name).values()) == ["InService"] * 2
    assert old.isdisjoint(groups.states(name))


def test_a_refresh_launches_no_more_than_it_replaces(groups):
    name = hooked(groups, 3)
    new_version(groups, name)
    scaling(groups).start_instance_refresh(
        AutoScalingGroupName=name,
        Preferences={"MinHealthyPercentage": 100, "MaxHealthyPercentage": 170},
    )
    first, second = waiting(groups, name)
    for one in (first, second):
        complete(groups, name, one)
    groups.settle()
    (third,) = waiting(groups, name)
    assert list(groups.states(name).values()).count("InService") == len({first, second, third})


def test_a_refresh_passes_over_what_matches_and_can_be_cancelled(groups):
    name = hooked(groups, 2)
    client = scaling(groups)
    client.start_instance_refresh(AutoScalingGroupName=name, Preferences={"SkipMatching": True})
    assert refreshes(groups, name) == [("Successful", 100)]
    assert waiting(groups, name) == []
    new_version(groups, name)
    client.start_instance_refresh(AutoScalingGroupName=name, Preferences={"SkipMatching": True})
    (leaving,) = waiting(groups, name)

    client.cancel_instance_refresh(AutoScalingGroupName=name)

    complete(groups, name, leaving)
    groups.settle()
    assert waiting(groups, name) == []
    assert [status for status, _ in refreshes(groups, name)] == ["Cancelled", "Successful"]
    assert "ActiveInstanceRefreshNotFound" in refused(
        lambda: client.cancel_instance_refresh(AutoScalingGroupName=name)
    )
