import json

import pytest
from pydantic import ValidationError

from components.location import Location
from components.node_groups.managed import (
    ManagedNodeGroup,
    ManagedNodeGroupArgs,
    ManagedNodeGroupConfig,
    SizeConfig,
)

LOCATION = Location(region="eu-west-1", account="111122223333")
GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
RELEASE = "kubernetes:helm.sh/v3:Release"
FEWEST = {
    "instanceTypes": ["m7i.large", "m6i.large"],
    "releaseVersion": "1.35.3-20261101",
    "size": {"min": 1, "max": 3},
}


def config(**settings):
    return ManagedNodeGroupConfig.model_validate(FEWEST | settings)


def group(settings, location=LOCATION):
    args = ManagedNodeGroupArgs(
        config=settings,
        cluster_name="dev",
        subnet_ids=["subnet-a", "subnet-b"],
        location=location,
        needs=[],
    )
    return ManagedNodeGroup("base", args)


def by_default():
    group(config())


@pytest.mark.feature("B-35", "B-34")
def test_a_group_is_what_the_stack_file_says(once):
    built = once(by_default)

    assert built.one(GROUP).inputs == {
        "nodeGroupName": "base",
        "clusterName": "dev",
        "nodeRoleArn": "arn:aws:iam::111122223333:role/base-role",
        "subnetIds": ["subnet-a", "subnet-b"],
        "amiType": "AL2023_x86_64_STANDARD",
        "releaseVersion": "1.35.3-20261101",
        "capacityType": "ON_DEMAND",
        "instanceTypes": ["m7i.large", "m6i.large"],
        "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 1},
        "labels": {},
        "taints": [],
        "updateConfig": {"maxUnavailablePercentage": 33},
        "launchTemplate": {"id": "base-id", "version": "1"},
    }


def test_spot_sizes_labels_and_taints_reach_the_group(deploy):
    taints = [
        {"key": "spot", "value": "true", "effect": "PreferNoSchedule"},
        {"key": "alone", "effect": "NoSchedule"},
        {"key": "gone", "value": "now", "effect": "NoExecute"},
    ]
    settings = config(
        capacityType="SPOT",
        size={"min": 0, "max": 5, "desired": 2},
        labels={"intent": "apps"},
        taints=taints,
    )
    given = deploy(lambda: group(settings)).one(GROUP).inputs

    assert given["capacityType"] == "SPOT"
    assert given["scalingConfig"] == {"minSize": 0, "maxSize": 5, "desiredSize": 2}
    assert given["labels"] == {"intent": "apps"}
    assert given["taints"] == [
        {"key": "spot", "value": "true", "effect": "PREFER_NO_SCHEDULE"},
        {"key": "alone", "value": "", "effect": "NO_SCHEDULE"},
        {"key": "gone", "value": "now", "effect": "NO_EXECUTE"},
    ]


def test_the_number_of_nodes_is_the_autoscaler_s_once_the_group_is_made(once):
    request = once(by_default).one(GROUP).request

    assert list(request.ignoreChanges) == ["scalingConfig.desiredSize"]


@pytest.mark.feature("B-34")
def test_nothing_but_the_release_in_the_stack_file_chooses_the_image(once, deploy):
    built = once(by_default)

    assert "imageId" not in built.one(TEMPLATE).inputs
    newer = deploy(lambda: group(config(releaseVersion="1.35.4-20261115"))).one(GROUP).inputs
    assert newer == built.one(GROUP).inputs | {"releaseVersion": "1.35.4-20261115"}


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("release", [None, "latest", "1.35", "1.35.3", "1.35.3-latest", ""])
def test_an_image_that_is_not_pinned_is_refused(release):
    settings = {k: v for k, v in FEWEST.items() if k != "releaseVersion"}
    settings |= {} if release is None else {"releaseVersion": release}

    with pytest.raises(ValidationError) as refused:
        ManagedNodeGroupConfig.model_validate(settings)
    assert [error["loc"] for error in refused.value.errors()] == [("releaseVersion",)]


@pytest.mark.parametrize("release", ["1.35.3-20261101", "1.52.0-a1b2c3d4"])
def test_releases_of_both_families_are_accepted(release):
    assert config(releaseVersion=release).release_version == release


@pytest.mark.parametrize(
    ("ami_type", "types", "device"),
    [
        ("AL2023_x86_64_STANDARD", ["m7i.large"], "/dev/xvda"),
        ("AL2023_ARM_64_STANDARD", ["m7g.large"], "/dev/xvda"),
        ("BOTTLEROCKET_x86_64", ["m7i.large"], "/dev/xvdb"),
        ("BOTTLEROCKET_ARM_64", ["m7g.large"], "/dev/xvdb"),
    ],
)
def test_the_volume_of_pods_is_encrypted_gp3_of_the_given_size(deploy, ami_type, types, device):
    settings = config(amiType=ami_type, instanceTypes=types, volumeGib=50)
    built = deploy(lambda: group(settings))

    assert built.one(TEMPLATE).inputs["blockDeviceMappings"] == [
        {
            "deviceName": device,
            "ebs": {
                "volumeSize": 50,
                "volumeType": "gp3",
                "encrypted": "true",
                "deleteOnTermination": "true",
            },
        }
    ]
    assert built.one(GROUP).inputs["amiType"] == ami_type


def test_pods_stay_away_from_the_node_s_metadata(once):
    assert once(by_default).one(TEMPLATE).inputs["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": 1,
    }


@pytest.mark.feature("B-12")
def test_the_nodes_join_the_security_group_that_eks_made_and_no_other(once):
    template = once(by_default).one(TEMPLATE).inputs

    # A template that names groups would keep EKS from adding its own.
    assert set(template) == {"updateDefaultVersion", "metadataOptions", "blockDeviceMappings"}


def test_the_role_of_the_nodes_has_its_four_policies_before_the_first_node(once):
    built = once(by_default)

    (statement,) = json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"]
    assert statement["Principal"] == {"Service": "ec2.amazonaws.com"}
    attachments = built.every(ATTACHMENT)
    assert sorted(each.inputs["policyArn"] for each in attachments) == [
        f"arn:aws:iam::aws:policy/{name}"
        for name in (
            "AmazonEC2ContainerRegistryPullOnly",
            "AmazonEKSWorkerNodePolicy",
            "AmazonEKS_CNI_Policy",
            "AmazonSSMManagedInstanceCore",
        )
    ]
    assert all(built.waits_for(built.one(GROUP), each) for each in attachments)


def test_in_china_ec2_has_a_name_of_its_own(deploy):
    china = Location(region="cn-north-1", account="111122223333")
    built = deploy(lambda: group(config(), china))

    (statement,) = json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"]
    assert statement["Principal"] == {"Service": "ec2.amazonaws.com.cn"}
    assert {each.inputs["policyArn"].split(":")[1] for each in built.every(ATTACHMENT)} == {
        "aws-cn"
    }


@pytest.mark.feature("B-35")
def test_karpenter_s_controller_and_coredns_run_on_a_managed_group(on_nodes):
    nodes = on_nodes.one(GROUP)

    release = on_nodes.named(RELEASE, "karpenter")
    assert on_nodes.waits_for(release, nodes)
    assert not on_nodes.waits_for(nodes, release)
    assert on_nodes.waits_for(on_nodes.named("aws:eks/addon:Addon", "coredns"), nodes)
    assert on_nodes.every("aws:eks/fargateProfile:FargateProfile") == []


def test_nodes_live_within_the_life_of_their_way_to_aws(on_nodes):
    nodes = on_nodes.one(GROUP)

    way = [
        each
        for kind in ("route:Route", "natGateway:NatGateway", "vpcEndpoint:VpcEndpoint")
        for each in on_nodes.every(f"aws:ec2/{kind}")
    ]
    assert {each.request.name for each in way} >= {"network-private-1", "network-nat-1"}
    assert [each.urn for each in way if not on_nodes.waits_for(nodes, each)] == []


def test_eks_lets_the_group_s_role_join_by_itself(on_nodes):
    entries = on_nodes.every("aws:eks/accessEntry:AccessEntry")

    admin = "arn:aws:iam::111122223333:role/platform-admin"
    karpenter = "arn:aws:iam::111122223333:role/KarpenterNodeRole-nodeless"
    assert {entry.inputs["principalArn"] for entry in entries} == {admin, karpenter}


def test_a_preview_shows_what_an_update_makes(once):
    preview, update = once(by_default, preview=True), once(by_default)

    assert preview.tree() == update.tree()
    assert preview.one(TEMPLATE).inputs == update.one(TEMPLATE).inputs
    unknown = {"nodeRoleArn", "launchTemplate"}
    shown = {k: v for k, v in preview.one(GROUP).inputs.items() if k not in unknown}
    assert shown == {k: v for k, v in update.one(GROUP).inputs.items() if k not in unknown}


def test_a_type_that_cannot_run_the_image_is_told_by_its_place():
    with pytest.raises(ValidationError) as refused:
        config(instanceTypes=["m7i.large", "m7g.large"])

    (error,) = refused.value.errors()
    assert error["msg"] == (
        "instanceTypes[1]: does not run amiType AL2023_x86_64_STANDARD: change one of them"
    )


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ({"min": 3, "max": 2}, "lies outside min 3 to max 2: correct one of them"),
        ({"min": 1, "max": 2, "desired": 3}, "lies outside min 1 to max 2: correct one of them"),
        ({"min": 1, "max": 2, "desired": 0}, "lies outside min 1 to max 2: correct one of them"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(size, problem):
    with pytest.raises(ValidationError) as refused:
        SizeConfig(**size)

    assert [error["msg"] for error in refused.value.errors()] == [f"desired: {problem}"]


def test_a_group_may_start_with_none_and_by_default_starts_with_the_minimum():
    started = [SizeConfig(min=0, max=3, desired=0).initial, SizeConfig(min=2, max=3).initial]

    assert started == [0, 2]
