"""Which instances an Auto Scaling group of many types launches."""

from collections import Counter

import pytest

from tests.rehearsal.aws.endpoint.conftest import refused
from tests.rehearsal.aws.endpoint.groups import SPOT_ONLY, TYPES, Groups


@pytest.fixture
def groups(aws):
    made = Groups(aws)
    yield made
    made.clear()


def bought(groups, name):
    """Spot and on-demand instances of a group."""
    kinds = [one.get("InstanceLifecycle", "on-demand") for one in groups.instances(name)]
    return kinds.count("spot"), kinds.count("on-demand")


def test_two_zeros_make_every_instance_spot(groups):
    name = groups.make(5)

    assert bought(groups, name) == (5, 0)
    told = groups.described(name)["MixedInstancesPolicy"]["InstancesDistribution"]
    assert told["OnDemandBaseCapacity"] == told["OnDemandPercentageAboveBaseCapacity"] == 0


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ({}, (0, 5)),  # AWS's own percentage is 100
        ({"OnDemandPercentageAboveBaseCapacity": 50}, (2, 3)),  # rounded in favour of on-demand
        ({**SPOT_ONLY, "OnDemandBaseCapacity": 2}, (3, 2)),
        ({"OnDemandBaseCapacity": 1, "OnDemandPercentageAboveBaseCapacity": 25}, (3, 2)),
        ({"OnDemandBaseCapacity": 9}, (0, 5)),
    ],
)
def test_base_and_percentage_say_how_many_are_on_demand(groups, distribution, expected):
    name = groups.make(5, distribution=distribution)

    assert bought(groups, name) == expected


def test_spot_instances_spread_over_types_and_zones(groups):
    name = groups.make(6)

    instances = groups.instances(name)
    assert set(Counter(one["InstanceType"] for one in instances).values()) == {1}
    zones = Counter(one["Placement"]["AvailabilityZone"] for one in instances)
    assert sorted(zones.values()) == [2, 2, 2]


def test_a_priority_and_a_price_say_which_types_come_first(groups):
    first = {**SPOT_ONLY, "SpotAllocationStrategy": "capacity-optimized-prioritized"}
    assert {
        one["InstanceType"] for one in groups.instances(groups.make(2, distribution=first))
    } == set(TYPES[:2])
    cheap = {**SPOT_ONLY, "SpotAllocationStrategy": "lowest-price", "SpotInstancePools": 2}
    found = Counter(
        one["InstanceType"] for one in groups.instances(groups.make(4, distribution=cheap))
    )
    assert found == {"t3.large": 2, "m5a.large": 2}
    capped = {**SPOT_ONLY, "SpotMaxPrice": "0.0001"}
    assert groups.instances(groups.make(1, distribution=capped)) == []
    on_demand = {"OnDemandAllocationStrategy": "prioritized"}
    assert {
        one["InstanceType"] for one in groups.instances(groups.make(2, distribution=on_demand))
    } == {TYPES[0]}


def test_weights_are_what_the_desired_capacity_counts(groups):
    overrides = [
        {"InstanceType": "m5.large", "WeightedCapacity": "2"},
        {"InstanceType": "m5.xlarge", "WeightedCapacity": "4"},
    ]

    name = groups.make(6, overrides=overrides)

    told = groups.described(name)["Instances"]
    assert sorted(one["WeightedCapacity"] for one in told) == ["2", "4"]
    client = groups.aws.client("autoscaling")
    ids = [one["InstanceId"] for one in told]
    alone = client.describe_auto_scaling_instances(InstanceIds=ids)["AutoScalingInstances"]
    assert {one["LaunchTemplate"]["Version"] for one in alone} == {"1"}
    assert sorted(one["WeightedCapacity"] for one in alone) == ["2", "4"]
    client.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=4)
    assert [one["InstanceType"] for one in groups.instances(name)] == ["m5.xlarge"]


def test_attributes_stand_for_types_that_run_the_image(groups):
    requirements = {
        "VCpuCount": {"Min": 2, "Max": 4},
        "MemoryMiB": {"Min": 8192, "Max": 16384},
        "InstanceGenerations": ["current"],
        "ExcludedInstanceTypes": ["m*"],
    }

    name = groups.make(4, overrides=[{"InstanceRequirements": requirements}])

    types = [one["InstanceType"] for one in groups.instances(name)]
    assert [types.count(one) for one in types] == [1, 1, 1, 1]
    facts = groups.aws.client("ec2").describe_instance_types(InstanceTypes=types)
    for one in facts["InstanceTypes"]:
        assert one["VCpuInfo"]["DefaultVCpus"] in {2, 4}
        assert one["MemoryInfo"]["SizeInMiB"] in {8192, 16384}
        assert "x86_64" in one["ProcessorInfo"]["SupportedArchitectures"]
        assert not one["InstanceType"].startswith(("m", "t"))  # burstable ones are left out
        assert one["CurrentGeneration"]


def test_a_type_that_cannot_run_the_image_is_passed_over(groups, caplog):
    arm = [{"InstanceType": "m6g.large"}]

    assert groups.instances(groups.make(2, overrides=arm)) == []
    assert "no type of it fits" in caplog.text
    both = [*arm, {"InstanceType": "m5.large"}]
    assert {one["InstanceType"] for one in groups.instances(groups.make(2, overrides=both))} == {
        "m5.large"
    }


def test_an_update_keeps_the_policy_that_it_does_not_name(groups):
    name = groups.make(1, CapacityRebalance=True, HealthCheckGracePeriod=0)

    groups.aws.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=name, MinSize=2)

    told = groups.described(name)
    assert len(told["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"]) == len(TYPES)
    assert (told["DesiredCapacity"], told["HealthCheckGracePeriod"]) == (2, 0)
    assert told["CapacityRebalance"] is True
    assert bought(groups, name) == (2, 0)
    client = groups.aws.client("autoscaling")
    client.update_auto_scaling_group(
        AutoScalingGroupName=name,
        CapacityRebalance=False,
        InstanceMaintenancePolicy={"MinHealthyPercentage": 90, "MaxHealthyPercentage": 120},
    )
    told = groups.described(name)
    assert "LaunchTemplate" not in told
    policy = told["MixedInstancesPolicy"]
    del policy["LaunchTemplate"]["LaunchTemplateSpecification"]["LaunchTemplateName"]
    client.update_auto_scaling_group(AutoScalingGroupName=name, MixedInstancesPolicy=policy)
    assert "LaunchTemplate" not in groups.described(name)
    assert told["CapacityRebalance"] is False
    assert told["InstanceMaintenancePolicy"] == {
        "MinHealthyPercentage": 90,
        "MaxHealthyPercentage": 120,
    }


def test_tags_that_propagate_are_the_instances_own(groups):
    tags = [
        {"Key": "Name", "Value": "spot", "PropagateAtLaunch": True},
        {"Key": "group-only", "Value": "x", "PropagateAtLaunch": False},
    ]

    (instance,) = groups.instances(groups.make(1, Tags=tags))

    keys = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    assert keys["Name"] == "spot"
    assert "group-only" not in keys


def test_a_template_that_asks_for_spot_itself_does_not_go_with_a_policy(groups):
    data = {"InstanceMarketOptions": {"MarketType": "spot"}}

    assert "Incompatible launch template" in refused(lambda: groups.make(1, data=data))


def test_a_size_out_of_bounds_and_a_group_that_is_not_empty_are_refused(groups):
    name = groups.make(1, MinSize=1)
    client = groups.aws.client("autoscaling")

    assert refused(
        lambda: client.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=10)
    ).endswith("value 10 is above max value 9 for the AutoScalingGroup.")
    assert refused(
        lambda: client.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    ).endswith("value 0 is below min value 1 for the AutoScalingGroup.")
    assert refused(lambda: client.delete_auto_scaling_group(AutoScalingGroupName=name)).startswith(
        "ResourceInUse: You cannot delete"
    )
    (state,) = groups.states(name)
    assert "violate group's min size" in refused(
        lambda: client.terminate_instance_in_auto_scaling_group(
            InstanceId=state, ShouldDecrementDesiredCapacity=True
        )
    )


def test_a_group_does_not_launch_while_that_is_suspended(groups):
    name = groups.make(1)
    client = groups.aws.client("autoscaling")
    client.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])

    client.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=3)
    groups.settle()

    assert bought(groups, name) == (1, 0)
    client.resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch"])
    groups.settle()
    assert bought(groups, name) == (3, 0)


def test_a_policy_without_a_distribution_or_with_a_part_of_it_has_aws_defaults(groups):
    name = groups.make(1, distribution={"SpotAllocationStrategy": "capacity-optimized"})

    told = groups.described(name)["MixedInstancesPolicy"]["InstancesDistribution"]

    assert told == {
        "OnDemandAllocationStrategy": "prioritized",
        "OnDemandBaseCapacity": 0,
        "OnDemandPercentageAboveBaseCapacity": 100,
        "SpotAllocationStrategy": "capacity-optimized",
    }
    assert bought(groups, name) == (0, 1)
