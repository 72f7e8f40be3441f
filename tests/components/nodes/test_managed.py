import base64
import json

import pulumi
import pytest

from components.location import Location
from components.nodes.managed import ManagedNodeGroup, ManagedNodeGroupArgs
from components.nodes.managed_config import ManagedNodeGroupConfig
from components.nodes.user_data import kubelet_user_data
from rehearsal.recording.account import IMAGES
from tests.cluster_refs import cluster_ref

LOCATION = Location(region="eu-west-1", account="111122223333")
GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
RELEASE = "kubernetes:helm.sh/v3:Release"
FEWEST = {
    "instanceTypes": ["m7i.large", "m6i.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 1, "max": 3},
}


@pytest.fixture
def deploy(deploy):
    """In an account to which AWS publishes every image."""
    return lambda program, answers=IMAGES, **options: deploy(program, answers, **options)


def config(**settings):
    return ManagedNodeGroupConfig.model_validate(FEWEST | settings)


def group(settings, location=LOCATION, *, autoscaled=False, name="base"):
    args = ManagedNodeGroupArgs(
        config=settings,
        cluster=cluster_ref(location=location),
        subnet_ids=["subnet-a", "subnet-b"],
        autoscaled=autoscaled,
        needs=[],
    )
    return ManagedNodeGroup(name, args)


def by_default():
    group(config())


@pytest.mark.feature("B-35", "B-34")
def test_a_group_is_what_the_stack_file_says(once):
    built = once(by_default)

    assert built.one(GROUP).inputs == {
        "clusterName": "dev",
        "version": "1.35",
        "nodeRoleArn": "arn:aws:iam::111122223333:role/base-role",
        "subnetIds": ["subnet-a", "subnet-b"],
        "amiType": "AL2023_x86_64_STANDARD",
        "releaseVersion": "1.35.8-20260930",
        "capacityType": "ON_DEMAND",
        "instanceTypes": ["m7i.large", "m6i.large"],
        "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 1},
        "labels": {},
        "taints": [],
        "updateConfig": {"maxUnavailablePercentage": 33},
        "nodeRepairConfig": {"enabled": False},
        "launchTemplate": {"id": "base-id", "version": "1"},
    }


FOUR = ["m7i.large", "m6i.large", "m5.large", "m5n.large"]


@pytest.mark.feature("B-32")
def test_spot_types_sizes_labels_and_taints_reach_the_group(deploy, caplog):
    taints = [
        {"key": "spot", "value": "true", "effect": "PreferNoSchedule"},
        {"key": "alone", "effect": "NoSchedule"},
        {"key": "gone", "value": "now", "effect": "NoExecute"},
    ]
    settings = config(
        capacityType="SPOT",
        instanceTypes=FOUR,
        size={"min": 0, "max": 5, "desired": 2},
        labels={"intent": "apps"},
        taints=taints,
    )
    given = deploy(lambda: group(settings)).one(GROUP).inputs

    assert given["capacityType"] == "SPOT"
    assert given["instanceTypes"] == FOUR
    assert given["scalingConfig"] == {"minSize": 0, "maxSize": 5, "desiredSize": 2}
    assert given["labels"] == {"intent": "apps"}
    assert given["taints"] == [
        {"key": "spot", "value": "true", "effect": "PREFER_NO_SCHEDULE"},
        {"key": "alone", "value": "", "effect": "NO_SCHEDULE"},
        {"key": "gone", "value": "now", "effect": "NO_EXECUTE"},
    ]
    assert caplog.records == []


@pytest.mark.feature("A0-01")
def test_on_demand_nodes_carry_the_label_that_the_file_gives_them(deploy):
    settings = config(labels={"lifecycle": "OnDemand"})
    given = deploy(lambda: group(settings)).one(GROUP).inputs

    assert given["capacityType"] == "ON_DEMAND"
    assert given["labels"] == {"lifecycle": "OnDemand"}


def test_a_spot_group_of_few_types_is_told_why_that_is_too_few(deploy, caplog):
    deploy(lambda: group(config(capacityType="SPOT", instanceTypes=FOUR[:3])))

    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.endswith(
        "Spot group base has 3 instance types: when spot runs short of them, most of its nodes go "
        "at once and no others come. List at least 4 of like size in instanceTypes"
    )


def test_an_on_demand_group_may_have_one_type(deploy, caplog):
    deploy(lambda: group(config(instanceTypes=["m7i.large"])))

    assert caplog.records == []


@pytest.mark.parametrize(
    ("settings", "replacing"),
    [
        ({}, ["launchTemplate", "#initerror"]),
        (
            {"amiType": "BOTTLEROCKET_x86_64", "releaseVersion": "1.50.0-a1b2c3d4"},
            ["launchTemplate", "#initerror", "version"],
        ),
    ],
)
def test_a_group_that_would_lose_its_release_is_replaced_by_a_new_one_first(
    deploy, settings, replacing
):
    request = deploy(lambda: group(config(**settings))).one(GROUP).request

    assert list(request.replaceOnChanges) == replacing
    assert request.deleteBeforeReplaceDefined
    assert not request.deleteBeforeReplace
    # Pulumi makes the name. What release 0.2 gave stays.
    assert "nodeGroupName" in request.ignoreChanges


def test_a_group_follows_the_minor_of_its_release_and_bottlerocket_the_cluster_s(deploy):
    settings = {"amiType": "BOTTLEROCKET_x86_64", "releaseVersion": "1.30.0-ca9b9399"}

    assert deploy(lambda: group(config(**settings))).one(GROUP).inputs["version"] == "1.35"
    newer = config(releaseVersion="1.36.3-20260903")
    assert deploy(lambda: group(newer)).one(GROUP).inputs["version"] == "1.36"


def test_a_name_and_what_pulumi_adds_to_it_are_no_longer_than_eks_allows(deploy):
    longest = "g" * 63
    made = deploy(lambda: group(config(), name=longest)).one(GROUP).request

    assert len(f"{made.name}-1234567") <= 63  # noqa: PLR2004
    assert [alias.spec.name for alias in made.aliases] == [longest]


LISTED, ASKED = "aws:autoscaling/getAmiIds:getAmiIds", "aws:autoscaling/getGroup:getGroup"
RANDOM = "1a2b3c4d-0000-1111-2222-0123456789ab"
DESIRED = "scalingConfig.desiredSize"


@pytest.mark.parametrize(
    ("names", "now", "desired", "ignored"),
    [
        # There is none yet: those of other groups have names that begin alike.
        ([f"eks-base-2-{RANDOM}", f"eks-other-base-{RANDOM}"], (9, 9, 9), 1, True),
        ([f"eks-base-{RANDOM}"], (1, 3, 2), 2, True),
        ([f"eks-base-0a1b2c3-{RANDOM}"], (1, 3, 2), 2, True),
        ([f"eks-base-{RANDOM}"], (1, 2, 2), 2, False),
        ([f"eks-base-{RANDOM}"], (4, 9, 7), 3, False),
        ([f"eks-base-{RANDOM}"], (0, 3, 0), 1, False),
    ],
)
def test_the_number_of_nodes_is_the_autoscaler_s_where_there_is_one(
    deploy, names, now, desired, ignored
):
    def sized(query):
        assert query["name"] in names
        return dict(zip(("minSize", "maxSize", "desiredCapacity"), now, strict=True))

    def listed(query):
        assert query["filters"] == [{"name": "tag:eks:cluster-name", "values": ["dev"]}]
        return {"names": names, "arns": names}

    answers = {**IMAGES, LISTED: listed, ASKED: sized}
    made = deploy(lambda: group(config(), autoscaled=True), answers).one(GROUP)

    assert made.inputs["scalingConfig"] == {"minSize": 1, "maxSize": 3, "desiredSize": desired}
    assert (DESIRED in made.request.ignoreChanges) == ignored


def test_without_an_autoscaler_the_number_is_the_file_s_and_nobody_asks_aws(deploy):
    assert DESIRED not in deploy(lambda: group(config())).one(GROUP).request.ignoreChanges


@pytest.mark.feature("B-32")
@pytest.mark.parametrize(
    ("settings", "given"),
    [
        (
            {"update": {"maxUnavailable": 2}},
            {"updateConfig": {"maxUnavailable": 2}},
        ),
        (
            {"update": {"maxUnavailablePercentage": 50}},
            {"updateConfig": {"maxUnavailablePercentage": 50}},
        ),
        ({"nodeRepair": True}, {"nodeRepairConfig": {"enabled": True}}),
        ({"forceUpdate": True}, {"forceUpdateVersion": True}),
    ],
)
def test_updates_and_repair_are_settings(once, deploy, settings, given):
    changed = deploy(lambda: group(config(**settings))).one(GROUP).inputs

    assert changed == once(by_default).one(GROUP).inputs | given


@pytest.mark.feature("B-34")
def test_nothing_but_the_release_in_the_stack_file_chooses_the_image(once, deploy):
    built = once(by_default)

    assert "imageId" not in built.one(TEMPLATE).inputs
    other = deploy(lambda: group(config(releaseVersion="1.35.8-20260923"))).one(GROUP).inputs
    assert other == built.one(GROUP).inputs | {"releaseVersion": "1.35.8-20260923"}


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("preview", [False, True])
@pytest.mark.parametrize(
    ("settings", "series"),
    [
        ({}, "AL2023 for Kubernetes 1.35 and x86_64"),
        (
            {"amiType": "AL2023_ARM_64_STANDARD", "instanceTypes": ["m7g.large"]},
            "AL2023 for Kubernetes 1.35 and arm64",
        ),
        (
            {"amiType": "BOTTLEROCKET_x86_64", "releaseVersion": "1.66.0-1ad6b4a4"},
            "Bottlerocket for Kubernetes 1.35 and x86_64",
        ),
    ],
)
def test_a_release_that_aws_never_published_ends_the_preview(deploy, preview, settings, series):
    nothing = {parameters: lambda _: {"names": [], "values": []} for parameters in IMAGES}
    said = f"^managedNodeGroups.base.releaseVersion: AWS has no such image of {series} in this"

    with pytest.raises(pulumi.RunError, match=said):
        deploy(lambda: group(config(**settings)), nothing, preview=preview)


@pytest.mark.parametrize(
    ("ami_type", "release", "types", "devices"),
    [
        ("AL2023_x86_64_STANDARD", "1.35.8-20260930", ["m7i.large"], {"/dev/xvda": 50}),
        ("AL2023_ARM_64_STANDARD", "1.35.8-20260930", ["m7g.large"], {"/dev/xvda": 50}),
        (
            "BOTTLEROCKET_x86_64",
            "1.66.0-1ad6b4a4",
            ["m7i.large"],
            {"/dev/xvda": 4, "/dev/xvdb": 50},
        ),
        (
            "BOTTLEROCKET_ARM_64",
            "1.66.0-1ad6b4a4",
            ["m7g.large"],
            {"/dev/xvda": 4, "/dev/xvdb": 50},
        ),
    ],
)
def test_each_family_and_architecture_has_encrypted_volumes_of_the_given_size(
    deploy, ami_type, release, types, devices
):
    settings = config(amiType=ami_type, releaseVersion=release, instanceTypes=types, volumeGib=50)
    built = deploy(lambda: group(settings))

    assert built.one(TEMPLATE).inputs["blockDeviceMappings"] == [
        {
            "deviceName": device,
            "ebs": {
                "volumeSize": gib,
                "volumeType": "gp3",
                "encrypted": "true",
                "deleteOnTermination": "true",
            },
        }
        for device, gib in devices.items()
    ]
    given = built.one(GROUP).inputs
    assert (given["amiType"], given["releaseVersion"]) == (ami_type, release)


@pytest.mark.feature("B-29")
@pytest.mark.parametrize(("settings", "hops"), [({}, 1), ({"metadata": {"hopLimit": 2}}, 2)])
def test_pods_stay_away_from_the_node_s_metadata_unless_it_is_asked_for(deploy, settings, hops):
    template = deploy(lambda: group(config(**settings))).one(TEMPLATE).inputs

    assert template["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": hops,
    }


KUBELET = {"maxPods": 58, "evictionHard": {"memory.available": "5%"}}


@pytest.mark.feature("B-30")
@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("al2023", {}),
        ("bottlerocket", {"amiType": "BOTTLEROCKET_x86_64", "releaseVersion": "1.66.0-1ad6b4a4"}),
    ],
)
def test_kubelet_s_settings_are_user_data_that_eks_merges_into_its_own(deploy, family, settings):
    settings = config(kubelet=KUBELET, **settings)
    template = deploy(lambda: group(settings)).one(TEMPLATE).inputs

    text = base64.b64decode(template["userData"], validate=True).decode()
    assert text == kubelet_user_data(family, settings.kubelet)
    assert "58" in text
    assert {"dev", "certificate"}.isdisjoint(text.split())
    # EKS starts the image of its own choice of release only where the template names none.
    assert "imageId" not in template


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
