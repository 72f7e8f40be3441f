"""Instances come and go as on AWS, whoever launches them, with all that belongs to them."""

import contextlib
from collections import Counter
from typing import Any

import pytest

from tests.rehearsal.aws.endpoint.conftest import Aws, refused

IMAGE = "al2023-ami-2023.12.20260101.0-kernel-6.12-arm64"


@pytest.fixture
def group(aws: Aws):
    """A security group of the VPC."""
    made = aws.client("ec2").create_security_group(
        GroupName="nat", Description="nat", VpcId=aws.vpc
    )
    return made["GroupId"]


@pytest.fixture
def ami(aws: Aws):
    query = [{"Name": "name", "Values": [IMAGE]}]
    (found,) = aws.client("ec2").describe_images(Owners=["amazon"], Filters=query)["Images"]
    assert (found["Architecture"], found["RootDeviceName"]) == ("arm64", "/dev/xvda")
    assert found["CreationDate"].startswith("2026-01-01")
    return found["ImageId"]


@pytest.fixture
def scaled(aws: Aws, group: str, ami: str):
    """Makes an Auto Scaling group by a launch template; all of them are gone after the test."""
    made: list[str] = []

    def make(size: int, **data: Any) -> str:
        name = f"group-{len(made)}-{group}"
        template: dict[str, Any] = {
            "ImageId": ami,
            "InstanceType": "t4g.nano",
            "BlockDeviceMappings": [
                {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 9, "VolumeType": "gp3"}}
            ],
            "NetworkInterfaces": [
                {"DeviceIndex": 0, "Groups": [group], "AssociatePublicIpAddress": True}
            ],
            "TagSpecifications": [
                {"ResourceType": "volume", "Tags": [{"Key": "Name", "Value": "disk"}]}
            ],
            **data,
        }
        aws.client("ec2").create_launch_template(
            LaunchTemplateName=name, LaunchTemplateData=template
        )
        aws.client("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName=name,
            LaunchTemplate={"LaunchTemplateName": name, "Version": "$Latest"},
            MinSize=0,
            MaxSize=9,
            DesiredCapacity=size,
            VPCZoneIdentifier=",".join(aws.subnets),
            Tags=[{"Key": "Name", "Value": "nat", "PropagateAtLaunch": True}],
        )
        made.append(name)
        return name

    yield make
    for name in made:
        with contextlib.suppress(Exception):
            delete(aws, name)


def delete(aws: Aws, name: str) -> None:
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)


def running(aws: Aws, name: str) -> list[dict[str, Any]]:
    filters = [
        {"Name": "tag:aws:autoscaling:groupName", "Values": [name]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    found = aws.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return [instance for reservation in found for instance in reservation["Instances"]]


def interfaces(aws: Aws) -> list[dict[str, Any]]:
    query = [{"Name": "vpc-id", "Values": [aws.vpc]}]
    return aws.client("ec2").describe_network_interfaces(Filters=query)["NetworkInterfaces"]


def disks(aws: Aws, instance: dict[str, Any]) -> list[dict[str, Any]]:
    ids = [disk["Ebs"]["VolumeId"] for disk in instance["BlockDeviceMappings"]]
    return aws.client("ec2").describe_volumes(VolumeIds=ids)["Volumes"]


def test_a_group_launches_what_its_template_says_in_all_its_subnets(aws, scaled, group):
    name = scaled(5)

    instances = running(aws, name)
    assert sorted(Counter(one["SubnetId"] for one in instances).values()) == [1, 2, 2]
    one = instances[0]
    assert {"Key": "Name", "Value": "nat"} in one["Tags"]
    assert one["PublicIpAddress"]
    assert [g["GroupId"] for g in one["NetworkInterfaces"][0]["Groups"]] == [group]
    (disk,) = disks(aws, one)
    assert (disk["Size"], disk["VolumeType"]) == (9, "gp3")
    assert disk["Tags"] == [{"Key": "Name", "Value": "disk"}]


def test_a_profile_that_the_template_names_is_the_instances_own(aws, scaled):
    iam = aws.client("iam")
    iam.create_instance_profile(InstanceProfileName="nat")
    name = scaled(1, IamInstanceProfile={"Name": "nat"})

    (instance,) = running(aws, name)
    assert instance["IamInstanceProfile"]["Arn"].endswith(":instance-profile/nat")
    delete(aws, name)
    iam.delete_instance_profile(InstanceProfileName="nat")
    assert "NoSuchEntity" in refused(lambda: scaled(1, IamInstanceProfile={"Name": "nat"}))


def test_nothing_is_left_of_a_group_that_is_deleted(aws, scaled, group):
    name = scaled(2)
    volumes = [disk["VolumeId"] for one in running(aws, name) for disk in disks(aws, one)]
    ec2 = aws.client("ec2")

    delete(aws, name)

    assert running(aws, name) == interfaces(aws) == []
    kept = {disk["VolumeId"] for disk in ec2.describe_volumes()["Volumes"]}
    assert kept.isdisjoint(volumes)
    ec2.delete_security_group(GroupId=group)
    for subnet in aws.subnets:
        ec2.delete_subnet(SubnetId=subnet)


def test_an_instance_that_ends_takes_its_interface_along_and_frees_another(aws, ami):
    ec2 = aws.client("ec2")
    kept = ec2.create_network_interface(SubnetId=aws.subnets[0])["NetworkInterface"]
    own = {"DeviceIndex": 0, "SubnetId": aws.subnets[0], "AssociatePublicIpAddress": True}
    other = {"DeviceIndex": 1, "NetworkInterfaceId": kept["NetworkInterfaceId"]}
    launched = ec2.run_instances(
        ImageId=ami,
        InstanceType="t4g.nano",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[own, other],
    )["Instances"][0]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.associate_address(AllocationId=address, InstanceId=launched["InstanceId"])

    ec2.terminate_instances(InstanceIds=[launched["InstanceId"]])

    (left,) = interfaces(aws)
    assert left["NetworkInterfaceId"] == kept["NetworkInterfaceId"]
    assert left["Status"] == "available"
    assert "Attachment" not in left
    found = ec2.describe_addresses(AllocationIds=[address])["Addresses"][0]
    assert not found.get("AssociationId")
    ec2.release_address(AllocationId=address)
    ec2.delete_network_interface(NetworkInterfaceId=kept["NetworkInterfaceId"])


def test_a_group_replaces_what_ends_and_everything_at_a_refresh(aws, scaled):
    name = scaled(2)
    first, second = running(aws, name)

    aws.client("ec2").terminate_instances(InstanceIds=[first["InstanceId"]])
    aws.eks_state.settle()

    (third,) = [one for one in running(aws, name) if one["InstanceId"] != second["InstanceId"]]
    assert third["InstanceId"] != first["InstanceId"]
    versions = {"LaunchTemplateName": name, "SourceVersion": "1"}
    aws.client("ec2").create_launch_template_version(
        **versions, LaunchTemplateData={"InstanceType": "t4g.small"}
    )
    aws.client("autoscaling").start_instance_refresh(
        AutoScalingGroupName=name, Preferences={"MinHealthyPercentage": 0}
    )
    fourth, fifth = (one["InstanceId"] for one in running(aws, name))
    assert {fourth, fifth}.isdisjoint({second["InstanceId"], third["InstanceId"]})
    assert {i["Attachment"]["InstanceId"] for i in interfaces(aws)} == {fourth, fifth}
    assert {one["InstanceType"] for one in running(aws, name)} == {"t4g.small"}
    assert "ValidationError: AutoScalingGroup name not found - nowhere" in refused(
        lambda: aws.client("autoscaling").start_instance_refresh(AutoScalingGroupName="nowhere")
    )


def test_an_interface_that_the_template_names_passes_to_the_next_instance(aws, scaled):
    ec2 = aws.client("ec2")
    kept = ec2.create_network_interface(SubnetId=aws.subnets[1])["NetworkInterface"]
    interface = {"DeviceIndex": 0, "NetworkInterfaceId": kept["NetworkInterfaceId"]}
    name = scaled(1, NetworkInterfaces=[interface])
    (first,) = running(aws, name)

    aws.client("autoscaling").start_instance_refresh(AutoScalingGroupName=name)

    (second,) = running(aws, name)
    assert first["InstanceId"] != second["InstanceId"]
    assert second["NetworkInterfaces"][0]["NetworkInterfaceId"] == kept["NetworkInterfaceId"]
    assert second["Placement"]["AvailabilityZone"] == kept["AvailabilityZone"]
    ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    assert interfaces(aws)[0]["Attachment"]["InstanceId"] == second["InstanceId"]
    delete(aws, name)
    assert [left["Status"] for left in interfaces(aws)] == ["available"]


def test_the_instances_of_a_group_of_the_stack_s_own_are_no_nodes(aws, scaled):
    aws.create_cluster()
    scaled(1)

    aws.eks_state.settle()

    assert aws.kubernetes.named("Node") == {}


def test_an_interface_endpoint_holds_its_group_and_its_subnets(aws, group):
    ec2 = aws.client("ec2")
    endpoint = ec2.create_vpc_endpoint(
        VpcId=aws.vpc,
        VpcEndpointType="Interface",
        ServiceName="com.amazonaws.eu-central-1.sts",
        SubnetIds=aws.subnets[:2],
        SecurityGroupIds=[group],
    )["VpcEndpoint"]["VpcEndpointId"]

    assert {g["GroupId"] for i in interfaces(aws) for g in i["Groups"]} == {group}
    assert {i["SubnetId"] for i in interfaces(aws)} == set(aws.subnets[:2])
    ec2.modify_vpc_endpoint(
        VpcEndpointId=endpoint,
        RemoveSubnetIds=aws.subnets[:1],
        AddSubnetIds=aws.subnets[2:],
    )
    assert {i["SubnetId"] for i in interfaces(aws)} == set(aws.subnets[1:])
    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint])
    assert interfaces(aws) == []
