"""What is particular about instances, groups of them and what they are made from."""

from typing import Any

import pytest

from tests.rehearsal.aws.provider.world import (
    World,
    auto_scaling_group,
    instance,
    lifecycle_hook,
)

GROUP = "aws:autoscaling/group:Group"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
INSTANCE = "aws:ec2/instance:Instance"
INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"


def instances(engine: Any, group: Any) -> set[str]:
    """Ids of a group's instances."""
    asked = {"AutoScalingGroupNames": [group.id]}
    found = engine.provider.account.request("autoscaling", "DescribeAutoScalingGroups", asked)
    return {one["InstanceId"] for one in found["AutoScalingGroups"][0]["Instances"]}


def test_another_template_version_refreshes_the_instances_where_the_program_asks_for_it(
    engine: Any, world: World
):
    inputs = auto_scaling_group(world)
    group = world.make(GROUP, inputs)
    first = instances(engine, group)
    template = next(made for made in world.made if TEMPLATE in made.urn)
    engine.update(template, {**template.inputs, "instanceType": "t4g.micro"})
    second = {**inputs, "launchTemplate": {"id": template.id, "version": "2"}}

    planned = engine.diff(group, second)
    group = engine.update(group, second)

    assert (list(planned.diffs), list(planned.replaces)) == (["launchTemplate"], [])
    refreshed = instances(engine, group)
    assert refreshed.isdisjoint(first)
    engine.update(group, {**inputs, "instanceRefresh": None})
    assert instances(engine, group) == refreshed


def test_a_size_that_somebody_else_set_is_left_alone_by_other_changes(engine: Any, world: World):
    inputs = auto_scaling_group(world)
    group = world.make(GROUP, inputs)
    size = {"AutoScalingGroupName": group.id, "DesiredCapacity": 2}
    engine.provider.account.request("autoscaling", "SetDesiredCapacity", size)

    engine.update(group, {**inputs, "maxSize": 5})

    assert len(instances(engine, group)) == size["DesiredCapacity"]


@pytest.mark.parametrize("force", [False, True])
def test_a_group_goes_with_its_instances_and_what_they_hold(engine: Any, world: World, force: bool):
    inputs = {**auto_scaling_group(world), "forceDelete": force}
    group = engine.create(GROUP, "forced", inputs)
    asked = {"InstanceIds": sorted(instances(engine, group))}

    engine.delete(group)

    # The world's subnets and security group can be deleted afterwards, too.
    found = engine.provider.account.request("ec2", "DescribeInstances", asked)["Reservations"]
    assert {i["State"]["Name"] for r in found for i in r["Instances"]} == {"terminated"}


def test_the_stack_s_tags_are_not_put_on_a_group(engine: Any, world: World):
    inputs = auto_scaling_group(world)
    other = type(engine)(defaultTags='{"tags": {"team": "a"}}')

    group = other.create(GROUP, "tagged", inputs)

    assert [tag["key"] for tag in group.state["tags"]] == ["Name", "Gone"]
    assert "tagsAll" not in group.state
    other.delete(group)


def test_other_user_data_makes_another_instance_only_if_the_program_says_so(
    engine: Any, world: World
):
    inputs = instance(world)
    made = world.make(INSTANCE, inputs)
    changed = {**inputs, "userData": "#!/bin/sh\necho other"}

    assert list(engine.diff(made, changed).replaces) == []
    replaced = engine.diff(made, {**changed, "userDataReplaceOnChange": True})
    assert list(replaced.replaces) == ["userData"]


def test_another_root_disk_is_a_change_but_an_encrypted_one_is_another_instance(
    engine: Any, world: World
):
    inputs = instance(world)
    inputs["rootBlockDevice"] = {"encrypted": False, "volumeSize": 8}
    made = world.make(INSTANCE, inputs)

    larger = {**inputs, "rootBlockDevice": {"encrypted": False, "volumeSize": 9}}
    encrypted = {**inputs, "rootBlockDevice": {"encrypted": True, "volumeSize": 8}}

    assert list(engine.diff(made, larger).replaces) == []
    assert list(engine.diff(made, encrypted).replaces) == ["rootBlockDevice"]


def test_an_instance_has_the_addresses_disk_and_profile_that_it_is_made_with(
    engine: Any, world: World
):
    inputs = instance(world)
    public = world.make(INSTANCE, inputs)
    private = world.make(INSTANCE, {**inputs, "associatePublicIpAddress": False})

    assert public.state["publicIp"]
    assert not private.state.get("publicIp")
    assert private.state["privateIp"].startswith("10.0.0.")
    imported = engine.refresh(type(public)(public.urn, public.id, {}))
    wanted = ("ami", "instanceType", "subnetId", "vpcSecurityGroupIds", "iamInstanceProfile")
    for name in (*wanted, "userData", "tags"):
        assert imported.inputs[name] == inputs[name]
    assert imported.inputs["rootBlockDevice"] == {
        **inputs["rootBlockDevice"],
        "deleteOnTermination": True,
    }


def test_an_interface_endpoint_follows_its_subnets_and_groups(engine: Any, world: World):
    vpc = world.vpc().id
    subnets = [
        world.make("aws:ec2/subnet:Subnet", {"vpcId": vpc, "cidrBlock": f"10.0.{i}.0/24"})
        for i in range(2)
    ]
    group = world.make("aws:ec2/securityGroup:SecurityGroup", {"vpcId": vpc})
    inputs = {
        "vpcId": vpc,
        "serviceName": "com.amazonaws.eu-west-1.sts",
        "vpcEndpointType": "Interface",
        "subnetIds": [subnet.id for subnet in subnets],
        "securityGroupIds": [group.id],
        "privateDnsEnabled": True,
    }
    endpoint = world.make(ENDPOINT, inputs)
    assert not engine.diff(engine.refresh(endpoint), inputs).diffs
    for used in (group, subnets[0]):
        with pytest.raises(engine.Refusal, match="has dependencies and cannot be deleted: eni-"):
            engine.delete(used)

    engine.update(endpoint, {**inputs, "subnetIds": [subnets[1].id]})

    engine.delete(subnets[0])
    assert engine.refresh(subnets[0]) is None


def test_a_route_leads_to_a_network_interface(engine: Any, world: World):
    vpc = world.vpc().id
    subnet = world.make("aws:ec2/subnet:Subnet", {"vpcId": vpc, "cidrBlock": "10.0.0.0/24"})
    interface = world.make(INTERFACE, {"subnetId": subnet.id, "sourceDestCheck": False}).id
    inputs = {"routeTableId": world.table(vpc), "destinationCidrBlock": "0.0.0.0/0"}

    route = world.make("aws:ec2/route:Route", {**inputs, "networkInterfaceId": interface})

    read = engine.refresh(route)
    assert (read.state["networkInterfaceId"], read.state["state"]) == (interface, "active")
    assert not engine.diff(read, {**inputs, "networkInterfaceId": interface}).diffs
    missing = {**inputs, "networkInterfaceId": "eni-00000000"}
    with pytest.raises(engine.Refusal, match=r"InvalidNetworkInterfaceID\.NotFound"):
        engine.update(route, missing)


def test_a_hook_for_another_group_is_put_there_and_the_old_group_keeps_its_own(
    engine: Any, world: World
):
    empty = auto_scaling_group(world) | {"minSize": 0, "desiredCapacity": 0}
    first, second = (world.make(GROUP, empty).id for _ in range(2))
    inputs = lifecycle_hook(world) | {"autoscalingGroupName": first}
    hook = engine.create(HOOK, "moved", inputs)

    moved = engine.update(hook, inputs | {"autoscalingGroupName": second})

    assert engine.refresh(moved).state["autoscalingGroupName"] == second
    hooks = {group: hooks_of(engine, group) for group in (first, second)}
    assert hooks == {first: ["drain"], second: ["drain"]}
    engine.delete(moved)
    assert hooks_of(engine, second) == []


def hooks_of(engine: Any, group: str) -> list[str]:
    """Names of a group's hooks."""
    asked = {"AutoScalingGroupName": group}
    found = engine.provider.account.request("autoscaling", "DescribeLifecycleHooks", asked)
    return [hook["LifecycleHookName"] for hook in found["LifecycleHooks"]]
