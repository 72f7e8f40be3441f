"""What AWS would refuse fails here too, in its words, naming type, property and value."""

import json
import threading
import uuid
from typing import Any

import pytest
from pulumi.runtime.rpc import UNKNOWN

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
GATEWAY = "aws:ec2/internetGateway:InternetGateway"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
QUEUE = "aws:sqs/queue:Queue"
ROLE = "aws:iam/role:Role"
GROUP = "aws:autoscaling/group:Group"
INSTANCE = "aws:ec2/instance:Instance"
INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
FILE_SYSTEM = "aws:efs/fileSystem:FileSystem"
MOUNT_TARGET = "aws:efs/mountTarget:MountTarget"
GROUP_INPUTS = {
    "minSize": 1,
    "desiredCapacity": 1,
    "maxSize": 3,
    "vpcZoneIdentifiers": ["subnet-00000000"],
    "launchTemplate": {"id": "lt-0123456789abcdef0", "version": "1"},
}
TRUST = json.dumps({"Version": "2012-10-17", "Statement": []})


@pytest.mark.feature("C-18")
@pytest.mark.parametrize(
    ("token", "props", "message"),
    [
        (VPC, {"cidrBlok": "10.0.0.0/16"}, "unknown property of aws:ec2/vpc:Vpc"),
        (SUBNET, {"cidrBlock": "10.0.0.0/24"}, "vpcId: MissingParameter: the required argument"),
        (VPC, {}, "exactly one of cidrBlock must be given (got none)"),
        (
            "aws:kms/key:Key",
            {"keyUsage": "READ"},
            "keyUsage: ValidationException: Value 'READ' at 'keyUsage' failed to satisfy "
            "constraint: Member must satisfy enum value set: [SIGN_VERIFY, ENCRYPT_DECRYPT",
        ),
        (
            "aws:eks/nodeGroup:NodeGroup",
            {
                "clusterName": "c",
                "nodeRoleArn": "arn",
                "subnetIds": ["subnet-1"],
                "scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 1},
                "taints": [{"key": "a", "effect": "NoSchedule"}],
            },
            "Value 'NoSchedule' at 'taints[0].effect' failed to satisfy constraint: Member must "
            "satisfy enum value set: [NO_SCHEDULE, NO_EXECUTE, PREFER_NO_SCHEDULE]",
        ),
        (
            "aws:eks/cluster:Cluster",
            {"roleArn": "arn", "vpcConfig": {"subnetIdz": ["subnet-1"]}},
            "vpcConfig: unknown property vpcConfig.subnetIdz: AWS has no such parameter",
        ),
        (
            "aws:eks/cluster:Cluster",
            {
                "roleArn": "arn",
                "vpcConfig": {"endpointPublicAccess": False, "endpointPrivateAccess": False},
            },
            "Private and public endpoint access cannot be false",
        ),
        (
            "aws:eks/cluster:Cluster",
            {"roleArn": "arn", "vpcConfig": {}, "upgradePolicy": {"supportType": "CHEAP"}},
            "Value 'CHEAP' at 'upgradePolicy.supportType' failed to satisfy constraint",
        ),
        (
            "aws:eks/accessEntry:AccessEntry",
            {"clusterName": "c", "principalArn": "arn", "type": "EC2"[:2]},
            "Value 'EC' at 'type' is invalid: allowed are STANDARD, EC2_LINUX",
        ),
        (
            "aws:eks/accessEntry:AccessEntry",
            {
                "clusterName": "c",
                "principalArn": "arn",
                "type": "EC2_LINUX",
                "kubernetesGroups": ["a"],
            },
            "kubernetesGroups and userName are only for type STANDARD (got EC2_LINUX)",
        ),
        (QUEUE, {"delaySeconds": 901}, "Value '901' at 'delaySeconds' must be between 0 and 900"),
        (QUEUE, {"name": "q.fifo"}, "only FIFO ends in .fifo"),
        (ROLE, {"name": "a" * 65, "assumeRolePolicy": TRUST}, "length less than or equal to 64"),
        (ROLE, {"name": "a b", "assumeRolePolicy": TRUST}, "regular expression pattern"),
        (
            ROLE,
            {"assumeRolePolicy": TRUST, "maxSessionDuration": 60},
            "Value '60' at 'maxSessionDuration' failed to satisfy constraint: Member must have "
            "value greater than or equal to 3600",
        ),
        (
            "aws:iam/policy:Policy",
            {"policy": json.dumps({"Statement": ["x" * 6200]})},
            "LimitExceeded: Cannot exceed quota for Policy: 6144",
        ),
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"retentionInDays": 8},
            "Value '8' at 'retentionInDays' is invalid: allowed are 0, 1, 3, 5, 7",
        ),
        (
            "aws:ec2/route:Route",
            {"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"},
            "exactly one of gatewayId, natGatewayId, networkInterfaceId, transitGatewayId, "
            "vpcPeeringConnectionId must be given (got none)",
        ),
        (VPC, {"cidrBlock": "10.0.0.0/16", "region": "us-east-1"}, "only eu-west-1 is played"),
        (
            GROUP,
            {**GROUP_INPUTS, "minSize": 2},
            "minSize <= desiredCapacity <= maxSize must hold (got 2, 1, 3)",
        ),
        (
            GROUP,
            {**GROUP_INPUTS, "minSize": 4, "desiredCapacity": None},
            "minSize <= desiredCapacity <= maxSize must hold (got 4, None, 3)",
        ),
        (
            GROUP,
            {**GROUP_INPUTS, "launchTemplate": None},
            "exactly one of launchTemplate, mixedInstancesPolicy must be given (got none)",
        ),
        (
            GROUP,
            {**GROUP_INPUTS, "tags": [{"key": "a", "val": "b", "propagateAtLaunch": True}]},
            "tags: unknown property tags[0].val: AWS has no such parameter",
        ),
        (
            INSTANCE,
            {"ami": "ami-1", "instanceType": "t4g.nano", "metadataOptions": {"httpTokens": "no"}},
            "Value 'no' at 'metadataOptions.httpTokens' failed to satisfy constraint",
        ),
        (INSTANCE, {"instanceType": "t4g.nano"}, "exactly one of ami must be given (got none)"),
        (
            FILE_SYSTEM,
            {"kmsKeyId": f"arn:aws:kms:eu-west-1:111122223333:key/{uuid.uuid4()}"},
            "kmsKeyId can only be given with encrypted: true",
        ),
        (
            FILE_SYSTEM,
            {"lifecyclePolicies": [{"transitionToIa": "AFTER_2_DAYS"}]},
            "Value 'AFTER_2_DAYS' at 'lifecyclePolicies[0].transitionToIA' failed to satisfy",
        ),
    ],
)
def test_bad_input_is_refused_before_anything_is_made(
    engine: Any, token: str, props: dict[str, Any], message: str
):
    with pytest.raises(engine.Refusal) as refused:
        engine.check(token, "bad", props)

    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("token", "props", "message"),
    [
        (
            SUBNET,
            {"vpcId": "vpc-00000000", "cidrBlock": "10.0.0.0/24"},
            "InvalidVpcID.NotFound: The Vpc 'vpc-00000000' does not exist",
        ),
        (
            "aws:ec2/route:Route",
            {
                "routeTableId": "rtb-00000000",
                "destinationCidrBlock": "0.0.0.0/0",
                "natGatewayId": "nat-00000000",
            },
            "InvalidNatGatewayID.NotFound: The NatGateway 'nat-00000000' does not exist",
        ),
        (
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            {"role": "nobody", "policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"},
            "NoSuchEntity: Role nobody not found",
        ),
        (
            "aws:eks/cluster:Cluster",
            {
                "name": "nowhere",
                "roleArn": "arn:aws:iam::123456789012:role/nobody",
                "vpcConfig": {"subnetIds": ["subnet-00000000"]},
            },
            "'missing': Invalid",
        ),
        (
            GROUP,
            GROUP_INPUTS,
            "InvalidSubnetID.NotFound: The Subnet 'subnet-00000000' does not exist",
        ),
        (
            INSTANCE,
            {"ami": "ami-00000000000000000", "instanceType": "t4g.nano"},
            "InvalidAMIID.NotFound",
        ),
        (
            "aws:ec2/eip:Eip",
            {"networkInterface": "eni-00000000"},
            "InvalidNetworkInterfaceID.NotFound: The NetworkInterface 'eni-00000000' does not",
        ),
        (
            MOUNT_TARGET,
            {"fileSystemId": "fs-00000000", "subnetId": "subnet-00000000"},
            "InvalidFileSystemID.NotFound: The FileSystem 'fs-00000000' does not exist",
        ),
        (
            "aws:eks/accessEntry:AccessEntry",
            {"clusterName": "nowhere", "principalArn": "arn:aws:iam::123456789012:role/nobody"},
            "ResourceNotFoundException: No cluster found for name: nowhere.",
        ),
    ],
)
def test_what_does_not_exist_cannot_be_referred_to(
    engine: Any, token: str, props: dict[str, Any], message: str
):
    with pytest.raises(engine.Refusal) as refused:
        engine.create(token, "missing", props)

    assert str(refused.value).startswith(f"{token} 'missing'")
    assert message in str(refused.value)


def test_what_is_in_use_cannot_be_deleted(engine: Any):
    vpc = engine.create(VPC, "used", {"cidrBlock": "10.0.0.0/16"})
    subnet = engine.create(SUBNET, "used", {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    gateway = engine.create(GATEWAY, "used", {"vpcId": vpc.id})
    eip = engine.create("aws:ec2/eip:Eip", "used", {"domain": "vpc"})
    nat = engine.create(
        "aws:ec2/natGateway:NatGateway", "used", {"subnetId": subnet.id, "allocationId": eip.id}
    )

    for used, by in ((vpc, subnet.id), (gateway, nat.id), (eip, "eipassoc-"), (subnet, "eni-")):
        with pytest.raises(engine.Refusal, match=f"has dependencies and cannot be deleted.*{by}"):
            engine.delete(used)
        assert engine.refresh(used) is not None

    for unused in (nat, eip, gateway, subnet, vpc):
        engine.delete(unused)
        assert engine.refresh(unused) is None


@pytest.mark.behaviour("vpc-dependency-violation-leftover-eni")
def test_a_mount_target_holds_its_subnet_its_group_and_its_file_system(engine: Any):
    vpc = engine.create(VPC, "files", {"cidrBlock": "10.0.0.0/16"})
    subnet = engine.create(SUBNET, "files", {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    group = engine.create(SECURITY_GROUP, "files", {"vpcId": vpc.id})
    files = engine.create(FILE_SYSTEM, "files", {"encrypted": True})
    inputs = {"fileSystemId": files.id, "subnetId": subnet.id, "securityGroups": [group.id]}
    target = engine.create(MOUNT_TARGET, "files", inputs)
    interface = target.state["networkInterfaceId"]

    for used, words in (
        (subnet, f"DependencyViolation.*{interface}"),
        (group, f"DependencyViolation.*{interface}"),
        (files, "FileSystemInUse"),
    ):
        with pytest.raises(engine.Refusal, match=words):
            engine.delete(used)
    with pytest.raises(engine.Refusal, match="MountTargetConflict"):
        engine.create(MOUNT_TARGET, "second", inputs)

    for unused in (target, files, group, subnet, vpc):
        engine.delete(unused)
        assert engine.refresh(unused) is None


@pytest.mark.behaviour("igw-detach-mapped-addresses")
def test_a_public_address_holds_the_internet_gateway_until_its_resource_goes(engine: Any):
    vpc = engine.create(VPC, "out", {"cidrBlock": "10.0.0.0/16"})
    subnet = engine.create(SUBNET, "out", {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    gateway = engine.create(GATEWAY, "out", {"vpcId": vpc.id})
    interface = engine.create(INTERFACE, "out", {"subnetId": subnet.id})
    eip = engine.create("aws:ec2/eip:Eip", "out", {"networkInterface": interface.id})

    with pytest.raises(engine.Refusal, match=f"has dependencies.*{interface.id}"):
        engine.delete(gateway)

    for unused in (eip, interface, gateway, subnet, vpc):
        engine.delete(unused)
        assert engine.refresh(unused) is None


def test_a_delete_waits_for_what_is_on_its_way_out(engine: Any):
    vpc = engine.create(VPC, "slow", {"cidrBlock": "10.0.0.0/16"})
    subnet = engine.create(SUBNET, "slow", {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    later = threading.Timer(0.3, engine.delete, [subnet])
    later.start()

    engine.delete(vpc, timeout=5)

    later.join()
    assert engine.refresh(vpc) is None


def test_an_unknown_type_says_where_to_add_it(engine: Any):
    with pytest.raises(engine.Refusal) as refused:
        engine.check("aws:s3/bucket:Bucket", "b", {})

    assert "does not know the type aws:s3/bucket:Bucket" in str(refused.value)
    assert "rehearsal/aws/resource_types/" in str(refused.value)


@pytest.mark.parametrize(
    ("token", "arguments", "message"),
    [
        ("aws:s3/getBucket:getBucket", {"bucket": "a"}, "has no data source aws:s3/getBucket"),
        ("aws:eks/getCluster:getCluster", {}, "the required argument name is missing"),
        ("aws:index/getRegion:getRegion", {"colour": "red"}, "unknown argument colour"),
        ("aws:ec2/getVpc:getVpc", {"cidrBlock": "1.2.3.0/24"}, "no matching EC2 VPC found"),
    ],
)
def test_a_data_source_without_an_answer_is_an_error(
    engine: Any, token: str, arguments: dict[str, Any], message: str
):
    with pytest.raises(engine.Refusal, match=message):
        engine.invoke(token, arguments)


def test_unknown_values_are_not_refused_in_a_preview(engine: Any):
    inputs = engine.check(
        "aws:eks/cluster:Cluster",
        "later",
        {
            "roleArn": UNKNOWN,
            "vpcConfig": {"subnetIds": [UNKNOWN, "subnet-1"]},
            "upgradePolicy": {"supportType": UNKNOWN},
            "encryptionConfig": {"provider": {"keyArn": UNKNOWN}, "resources": ["secrets"]},
            "tags": UNKNOWN,
        },
    )

    assert inputs["roleArn"] == UNKNOWN


@pytest.mark.behaviour("security-group-replaced-while-used")
def test_a_replaced_security_group_goes_when_nothing_uses_it_and_its_name_was_not_fixed(
    engine: Any,
):
    vpc = engine.create(VPC, "grouped", {"cidrBlock": "10.0.0.0/16"})
    subnet = engine.create(SUBNET, "grouped", {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    inputs = {"vpcId": vpc.id, "description": "nodes"}
    named, made = (
        engine.create(SECURITY_GROUP, name, inputs | fixed)
        for name, fixed in (("named", {"name": "fixed"}), ("made", {}))
    )
    user = {"subnetId": subnet.id, "securityGroups": [made.id]}
    interface = engine.create(INTERFACE, "grouped", user)

    change = {"description": "nodes and pods"}
    assert engine.diff(named, inputs | change | {"name": "fixed"}).deleteBeforeReplace
    assert not engine.diff(made, inputs | change).deleteBeforeReplace
    with pytest.raises(engine.Refusal, match=r"InvalidGroup\.Duplicate"):
        engine.create(SECURITY_GROUP, "second", inputs | change | {"name": "fixed"})
    new = engine.create(SECURITY_GROUP, "new", inputs | change)
    with pytest.raises(engine.Refusal, match=f"DependencyViolation.*{interface.id}"):
        engine.delete(made)
    engine.delete(interface)
    for group in (made, named, new, subnet, vpc):
        engine.delete(group)
        assert engine.refresh(group) is None


def test_a_second_route_to_a_destination_and_a_second_table_of_a_subnet_are_refused(
    engine: Any, world: Any
):
    vpc = world.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnet = world.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    gateway = world.make(GATEWAY, {"vpcId": vpc.id})
    table, other = world.table(vpc.id), world.table(vpc.id)
    route = {"destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway.id}
    world.make("aws:ec2/route:Route", route | {"routeTableId": table})
    association = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    world.make(association, {"routeTableId": table, "subnetId": subnet.id})

    with pytest.raises(engine.Refusal, match=rf"RouteAlreadyExists.*\({table}\).*already exists"):
        engine.create("aws:ec2/route:Route", "second", route | {"routeTableId": table})
    with pytest.raises(engine.Refusal, match=r"Resource\.AlreadyAssociated"):
        engine.create(association, "second", {"routeTableId": other, "subnetId": subnet.id})
    world.make("aws:ec2/route:Route", route | {"routeTableId": other})
