"""Auto Scaling groups of many types: what the provider sends, reads and waits for."""

import threading
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from tests.rehearsal.aws.provider.world import World

GROUP, TEMPLATE = "aws:autoscaling/group:Group", "aws:ec2/launchTemplate:LaunchTemplate"
TYPES = ["t4g.small", "m6g.large", "c6g.large", "r6g.large"]
HOOK = {
    "name": "drain",
    "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
    "defaultResult": "CONTINUE",
    "heartbeatTimeout": 300,
    "notificationMetadata": "why",
}


def node_template(world: World, note: str = "eins") -> dict[str, Any]:
    return {
        "imageId": world.image(),
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "vpcSecurityGroupIds": [world.group()],
        "tagSpecifications": [{"resourceType": "instance", "tags": {"note": note}}],
        "updateDefaultVersion": True,
        "userData": "aGFsbG8=",
    }


def spot_group(world: World, template: Any, **changes: Any) -> dict[str, Any]:
    """All that a program says of a spot group."""
    specification = {
        "launchTemplateId": template.id,
        "version": str(int(template.state["latestVersion"])),
    }
    return {
        "minSize": 0,
        "maxSize": 4,
        "desiredCapacity": 2,
        "capacityRebalance": True,
        "vpcZoneIdentifiers": world.subnets(),
        "mixedInstancesPolicy": {
            "launchTemplate": {
                "launchTemplateSpecification": specification,
                "overrides": [{"instanceType": name, "weightedCapacity": "1"} for name in TYPES],
            },
            "instancesDistribution": {
                "onDemandAllocationStrategy": "prioritized",
                "onDemandBaseCapacity": 0,
                "onDemandPercentageAboveBaseCapacity": 0,
                "spotAllocationStrategy": "price-capacity-optimized",
                "spotMaxPrice": "9.5",
            },
        },
        "initialLifecycleHooks": [HOOK],
        "suspendedProcesses": ["AZRebalance"],
        "maxInstanceLifetime": 604800,
        "terminationPolicies": ["OldestInstance"],
        "instanceMaintenancePolicy": {"minHealthyPercentage": 90, "maxHealthyPercentage": 120},
        "instanceRefresh": {"strategy": "Rolling", "preferences": {"skipMatching": True}},
        "waitForCapacityTimeout": "10s",
        "tags": [{"key": "Name", "value": "spot", "propagateAtLaunch": True}],
        **changes,
    }


@pytest.fixture
def template(world: World) -> Any:
    return world.make(TEMPLATE, node_template(world))


@pytest.fixture
def asks(engine: Any) -> Any:
    """Sends a request to the played AWS."""

    def ask(operation: str, service: str = "autoscaling", **parameters: Any) -> dict[str, Any]:
        return engine.provider.account.request(service, operation, parameters)

    return ask


def described(asks: Any, name: str) -> dict[str, Any]:
    return asks("DescribeAutoScalingGroups", AutoScalingGroupNames=[name])["AutoScalingGroups"][0]


def drain(asks: Any, name: str) -> None:
    """Complete the hooks of all that is ending, as a termination handler does."""
    found = asks("DescribeAutoScalingGroups", AutoScalingGroupNames=[name])["AutoScalingGroups"]
    for one in [one for group in found for one in group["Instances"]]:
        if one["LifecycleState"] == "Terminating:Wait":
            asks(
                "CompleteLifecycleAction",
                AutoScalingGroupName=name,
                LifecycleHookName="drain",
                InstanceId=one["InstanceId"],
                LifecycleActionResult="CONTINUE",
            )


def begin_delete(engine: Any, made: Any) -> threading.Thread:
    deleting = threading.Thread(
        target=engine.delete, args=(made,), kwargs={"timeout": 60}, daemon=True
    )
    deleting.start()
    return deleting


def clear(engine: Any, asks: Any, made: Any) -> None:
    """Delete a group while somebody drains its nodes."""
    deleting = begin_delete(engine, made)
    while deleting.is_alive():
        drain(asks, made.id)
        deleting.join(0.05)


@pytest.mark.feature("A0-07")
def test_zeros_survive_the_wire_so_that_all_instances_are_spot(
    engine: Any, world: World, template: Any, asks: Any
):
    inputs = spot_group(world, template)
    made = engine.create(GROUP, "zeros", inputs)

    told = described(asks, made.id)
    distribution = told["MixedInstancesPolicy"]["InstancesDistribution"]
    assert distribution["OnDemandBaseCapacity"] == 0
    assert distribution["OnDemandPercentageAboveBaseCapacity"] == 0
    ids = [one["InstanceId"] for one in told["Instances"]]
    ran = asks("DescribeInstances", "ec2", InstanceIds=ids)["Reservations"]
    assert [i["InstanceLifecycle"] for r in ran for i in r["Instances"]] == ["spot", "spot"]
    clear(engine, asks, made)


def test_all_that_a_group_is_given_reaches_aws_and_is_read_back(
    engine: Any, world: World, template: Any, asks: Any
):
    inputs = spot_group(world, template)
    made = engine.create(GROUP, "everything", inputs)

    told = described(asks, made.id)
    assert told["CapacityRebalance"] is True
    assert told["MaxInstanceLifetime"] == inputs["maxInstanceLifetime"]
    assert told["TerminationPolicies"] == ["OldestInstance"]
    assert (
        told["InstanceMaintenancePolicy"]["MaxHealthyPercentage"]
        == (inputs["instanceMaintenancePolicy"]["maxHealthyPercentage"])
    )
    assert [one["ProcessName"] for one in told["SuspendedProcesses"]] == ["AZRebalance"]
    (hook,) = asks("DescribeLifecycleHooks", AutoScalingGroupName=made.id)["LifecycleHooks"]
    assert hook["LifecycleHookName"] == "drain"
    assert hook["DefaultResult"] == "CONTINUE"
    assert hook["HeartbeatTimeout"] == HOOK["heartbeatTimeout"]
    assert hook["NotificationMetadata"] == "why"
    assert "NotificationTargetARN" not in hook
    assert engine.diff(made, inputs).changes == pb.DiffResponse.DIFF_NONE
    assert engine.diff(engine.refresh(made), inputs).changes == pb.DiffResponse.DIFF_NONE
    nothing = (
        "capacityRebalance",
        "maxInstanceLifetime",
        "terminationPolicies",
        "instanceMaintenancePolicy",
        "suspendedProcesses",
    )
    fewer = {name: value for name, value in inputs.items() if name not in nothing}
    assert set(engine.diff(made, fewer).diffs) == set(nothing)
    made = engine.update(made, fewer)
    told = described(asks, made.id)
    assert told["CapacityRebalance"] is False
    assert told["TerminationPolicies"] == ["Default"]
    assert not {"MaxInstanceLifetime", "InstanceMaintenancePolicy"} & told.keys()
    assert told["SuspendedProcesses"] == []
    assert engine.diff(made, fewer).changes == pb.DiffResponse.DIFF_NONE
    clear(engine, asks, made)


def test_requirements_stand_for_types(engine: Any, world: World, template: Any, asks: Any):
    inputs = spot_group(world, template)
    requirements = {
        "vcpuCount": {"min": 2, "max": 4},
        "memoryMib": {"min": 4096, "max": 16384},
        "memoryGibPerVcpu": {"min": 2, "max": 4},
        "burstablePerformance": "excluded",
        "cpuManufacturers": ["amazon-web-services"],
        "instanceGenerations": ["current"],
    }
    policy = inputs["mixedInstancesPolicy"]["launchTemplate"]
    policy["overrides"] = [{"instanceRequirements": requirements}]

    made = engine.create(GROUP, "attributes", inputs)

    told = described(asks, made.id)["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"]
    assert told[0]["InstanceRequirements"]["VCpuCount"] == {"Min": 2, "Max": 4}
    assert engine.diff(engine.refresh(made), inputs).changes == pb.DiffResponse.DIFF_NONE
    types = [one["InstanceType"] for one in described(asks, made.id)["Instances"]]
    assert ["g" in name.partition(".")[0] for name in types] == [True, True]  # Graviton
    clear(engine, asks, made)


@pytest.mark.behaviour("asg-instance-refresh-in-progress")
def test_a_new_template_version_starts_a_refresh_and_a_newer_one_another(
    engine: Any, world: World, template: Any, asks: Any
):
    made = engine.create(GROUP, "refreshed", spot_group(world, template))
    old = {one["InstanceId"] for one in described(asks, made.id)["Instances"]}
    for note in ("zwei", "drei"):
        template = engine.update(template, node_template(world, note))
        made = engine.update(made, spot_group(world, template))

    refreshes = asks("DescribeInstanceRefreshes", AutoScalingGroupName=made.id)["InstanceRefreshes"]
    assert [one["Status"] for one in refreshes] == ["InProgress", "Cancelled"]
    for _ in range(3):
        drain(asks, made.id)
        engine.provider.account.request("eks", "ListClusters", {})  # the played AWS goes on
    (newest, _) = asks("DescribeInstanceRefreshes", AutoScalingGroupName=made.id)[
        "InstanceRefreshes"
    ]
    assert newest["Status"] == "Successful"
    told = described(asks, made.id)["Instances"]
    assert old.isdisjoint(one["InstanceId"] for one in told)
    assert {one["LaunchTemplate"]["Version"] for one in told} == {"3"}
    ids = [one["InstanceId"] for one in told]
    ran = asks("DescribeInstances", "ec2", InstanceIds=ids)["Reservations"]
    tags = [tag for r in ran for i in r["Instances"] for tag in i["Tags"]]
    assert [tag["Value"] for tag in tags if tag["Key"] == "note"] == ["drei", "drei"]
    clear(engine, asks, made)


@pytest.mark.behaviour("asg-delete-waits-for-hooks")
def test_deleting_a_group_waits_for_its_hooks(engine: Any, world: World, template: Any, asks: Any):
    made = engine.create(GROUP, "drained", spot_group(world, template))
    with pytest.raises(engine.Refusal, match=r"drain: 2 instance\(s\) are still there after 0 s"):
        engine.delete(made, timeout=0.1)
    deleting = begin_delete(engine, made)
    deleting.join(0.3)
    assert deleting.is_alive()
    states = [one["LifecycleState"] for one in described(asks, made.id)["Instances"]]
    assert states == ["Terminating:Wait", "Terminating:Wait"]

    drain(asks, made.id)

    deleting.join(5)
    assert not deleting.is_alive()
    assert engine.refresh(made) is None


@pytest.mark.behaviour("asg-no-spot-capacity")
def test_a_group_without_enough_instances_is_told_unless_nobody_waits(
    engine: Any, world: World, template: Any, asks: Any
):
    inputs = spot_group(world, template, waitForCapacityTimeout="300ms")
    inputs["mixedInstancesPolicy"]["instancesDistribution"]["spotMaxPrice"] = "0.0001"

    with pytest.raises(engine.Refusal, match="want at least 2 healthy instance"):
        engine.create(GROUP, "short", inputs)

    made = engine.create(GROUP, "patient", inputs | {"waitForCapacityTimeout": "0"})
    assert described(asks, made.id)["Instances"] == []
    engine.delete(made)
