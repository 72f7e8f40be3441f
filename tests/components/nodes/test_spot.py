import base64
import email
import json
from dataclasses import replace

import pulumi
import pulumi_aws as aws
import pytest

from components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from components.nodes.spot_config import SpotNodeGroupConfig
from tests.cluster_refs import CLUSTER

GROUP = "aws:autoscaling/group:Group"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
# The group of document 000, in the order it is written there.
TYPES = [f"{family}.large" for family in ("m5", "m4", "m5d", "m5a", "m5ad", "m5n", "m5dn")]
SEED = {
    "instanceTypes": TYPES,
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 5},
    "distribution": {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 0,
        "spotAllocationStrategy": "capacity-optimized",
    },
    "labels": {"lifecycle": "Ec2Spot"},
    "taints": [{"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"}],
}
# The least that a stack file can say.
SHORT = {k: SEED[k] for k in ("instanceTypes", "releaseVersion", "size")}
IMAGE_OF = {
    "aws:ssm/getParametersByPath:getParametersByPath": lambda query: {
        "names": [f"{query['path']}/image_id"],
        "values": [f"ami of {query['path']}"],
    }
}


def config(**settings):
    return SpotNodeGroupConfig.model_validate(SEED | settings)


def arguments(settings, **others):
    args = SpotNodeGroupArgs(
        config=settings,
        cluster=CLUSTER,
        subnet_ids=["subnet-a", "subnet-b", "subnet-c"],
        security_group_ids=["sg-nodes"],
        autoscaled=True,
        handler_tag="aws-node-termination-handler/dev",
        hook_seconds=300,
        needs=[],
    )
    return replace(args, **others)


def seed():
    SpotNodeGroup("ng-spot", arguments(config()))


def unattended():
    """Without an autoscaler and a handler."""
    args = arguments(config(), autoscaled=False, handler_tag=None, hook_seconds=None)
    SpotNodeGroup("ng-spot", args)


def short():
    SpotNodeGroup("short", arguments(SpotNodeGroupConfig.model_validate(SHORT)))


def zonal():
    settings = config(size={"min": 2, "max": 5, "desired": 4}, perZone=True)
    SpotNodeGroup("ng-spot", arguments(settings))


@pytest.fixture
def built(once):
    return once(seed, IMAGE_OF)


def of(once, program):
    return once(program, IMAGE_OF)


def overrides(declared):
    return declared.inputs["mixedInstancesPolicy"]["launchTemplate"]["overrides"]


def distribution(declared):
    return declared.inputs["mixedInstancesPolicy"]["instancesDistribution"]


def groups(built):
    """In the order of their names: the engine hears of them in any."""
    return sorted(built.every(GROUP), key=lambda each: each.inputs["name"])


def tags(declared):
    return {tag["key"]: tag["value"] for tag in declared.inputs["tags"]}


def kubelet_flags(template):
    message = email.message_from_bytes(base64.b64decode(template.inputs["userData"]))
    (part,) = message.get_payload()
    assert part.get_content_type() == "application/node.eks.aws"
    return json.loads(part.get_payload())["spec"]["kubelet"]["flags"]


@pytest.mark.feature("A0-02", "A0-03")
def test_every_node_registers_with_the_label_and_the_taint_of_the_file(built):
    flags = kubelet_flags(built.one(TEMPLATE))

    assert flags == [
        "--node-labels=lifecycle=Ec2Spot",
        "--register-with-taints=spotInstance=true:PreferNoSchedule",
    ]
    # No override has a template of its own.
    assert all(set(each) == {"instanceType"} for each in overrides(built.one(GROUP)))


@pytest.mark.feature("A0-04", "A3-15")
def test_sizes_are_the_file_s_and_it_starts_with_the_minimum(built, deploy):
    given = built.one(GROUP).inputs
    assert (given["minSize"], given["maxSize"], given["desiredCapacity"]) == (2, 5, 2)

    other = config(size={"min": 0, "max": 9, "desired": 4})
    given = deploy(lambda: SpotNodeGroup("a", arguments(other)), IMAGE_OF).one(GROUP).inputs
    assert (given["minSize"], given["maxSize"], given["desiredCapacity"]) == (0, 9, 4)


@pytest.mark.feature("A0-05")
def test_the_group_keeps_its_name(built):
    group = built.one(GROUP)

    assert group.inputs["name"] == "dev-ng-spot"
    assert tags(group)["Name"] == "dev-ng-spot"
    assert tags(group)["frugal-eks/node-group"] == "ng-spot"


@pytest.mark.feature("A0-06")
def test_one_group_mixes_the_types_in_the_order_of_the_file(built):
    assert overrides(built.one(GROUP)) == [{"instanceType": name} for name in TYPES]
    assert "instanceType" not in built.one(TEMPLATE).inputs


@pytest.mark.feature("A0-07", "A0-08")
def test_zeros_are_sent_as_zeros_and_the_strategy_as_it_is_written(built):
    assert distribution(built.one(GROUP)) == {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 0,
        "spotAllocationStrategy": "capacity-optimized",
    }


@pytest.mark.feature("C-07", "A0-07", "B-26", "B-27", "B-28", "B-33")
def test_the_shortest_declaration_makes_a_sound_group(once):
    group = of(once, short).one(GROUP)

    assert group.inputs == {
        "name": "dev-short",
        "minSize": 2,
        "maxSize": 5,
        "desiredCapacity": 2,
        "vpcZoneIdentifiers": ["subnet-a", "subnet-b", "subnet-c"],
        "healthCheckType": "EC2",
        "mixedInstancesPolicy": {
            "launchTemplate": {
                "launchTemplateSpecification": {"launchTemplateId": "short-id", "version": "1"},
                "overrides": [{"instanceType": name} for name in TYPES],
            },
            "instancesDistribution": {
                "onDemandBaseCapacity": 0,
                "onDemandPercentageAboveBaseCapacity": 0,
                "spotAllocationStrategy": "price-capacity-optimized",
            },
        },
        "capacityRebalance": True,
        "instanceRefresh": {
            "strategy": "Rolling",
            "preferences": {
                "minHealthyPercentage": 100,
                "maxHealthyPercentage": 110,
                "instanceWarmup": "120",
                "skipMatching": True,
            },
        },
        "suspendedProcesses": ["AZRebalance"],
        "initialLifecycleHooks": [
            {
                "name": "drain",
                "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
                "defaultResult": "CONTINUE",
                "heartbeatTimeout": 300,
            }
        ],
        "waitForCapacityTimeout": "0",
        "tags": [
            {"key": key, "value": value, "propagateAtLaunch": True}
            for key, value in {
                "Name": "dev-short",
                "frugal-eks/node-group": "short",
                "kubernetes.io/cluster/dev": "owned",
                "k8s.io/cluster/dev": "owned",
                "k8s.io/cluster-autoscaler/enabled": "true",
                "k8s.io/cluster-autoscaler/dev": "owned",
                "k8s.io/cluster-autoscaler/node-template/resources/cpu": "2",
                "k8s.io/cluster-autoscaler/node-template/resources/memory": "8192Mi",
                "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage": "20Gi",
                "aws-node-termination-handler/dev": "true",
            }.items()
        ],
    }


@pytest.mark.feature("A3-06", "B-33")
def test_the_seed_s_group_has_exactly_these_tags_from_its_first_instance_on(built):
    template = "k8s.io/cluster-autoscaler/node-template"

    assert tags(built.one(GROUP)) == {
        "Name": "dev-ng-spot",
        "frugal-eks/node-group": "ng-spot",
        "kubernetes.io/cluster/dev": "owned",
        "k8s.io/cluster/dev": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        "k8s.io/cluster-autoscaler/dev": "owned",
        f"{template}/label/lifecycle": "Ec2Spot",
        f"{template}/taint/spotInstance": "true:PreferNoSchedule",
        f"{template}/resources/cpu": "2",
        f"{template}/resources/memory": "8192Mi",
        f"{template}/resources/ephemeral-storage": "20Gi",
        "aws-node-termination-handler/dev": "true",
    }
    assert all(tag["propagateAtLaunch"] for tag in built.one(GROUP).inputs["tags"])


def test_the_template_is_what_the_nodes_need(built):
    given = built.one(TEMPLATE).inputs

    own = {
        "Name": "dev-ng-spot",
        "frugal-eks/node-group": "ng-spot",
        "kubernetes.io/cluster/dev": "owned",
    }
    path = (
        "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/"
        "amazon-eks-node-al2023-x86_64-standard-1.35-v20260930"
    )
    assert {key: value for key, value in given.items() if key != "userData"} == {
        "updateDefaultVersion": True,
        "imageId": f"ami of {path}",
        "iamInstanceProfile": {"name": "ng-spot"},
        "vpcSecurityGroupIds": ["sg-nodes"],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 1,
        },
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "volumeSize": 20,
                    "volumeType": "gp3",
                    "encrypted": "true",
                    "deleteOnTermination": "true",
                },
            }
        ],
        "tagSpecifications": [
            {
                "resourceType": "instance",
                "tags": own | {"aws-node-termination-handler/dev": "true"},
            },
            {"resourceType": "volume", "tags": own},
            {"resourceType": "network-interface", "tags": own},
        ],
        "tags": own,
    }


@pytest.mark.feature("B-34")
def test_nothing_but_the_release_in_the_file_chooses_the_image(built, deploy):
    other = config(releaseVersion="1.35.8-20260923")
    changed = deploy(lambda: SpotNodeGroup("ng-spot", arguments(other)), IMAGE_OF)

    before, after = built.one(TEMPLATE).inputs, changed.one(TEMPLATE).inputs
    assert before["imageId"].endswith("-v20260930")
    assert after == before | {"imageId": before["imageId"].replace("20260930", "20260923")}


@pytest.mark.parametrize(
    ("types", "path"),
    [(["m7g.large"], "/arm64/1.66.0"), (["m7i.large"], "/x86_64/1.66.0")],
)
def test_a_bottlerocket_group_has_its_image_its_two_volumes_and_its_settings(deploy, types, path):
    settings = config(
        instanceTypes=types,
        imageFamily="Bottlerocket",
        releaseVersion="1.66.0-1ad6b4a4",
        volumeGib=80,
        metadata={"hopLimit": 2},
    )
    built = deploy(lambda: SpotNodeGroup("a", arguments(settings)), IMAGE_OF)

    given = built.one(TEMPLATE).inputs
    assert given["imageId"] == f"ami of /aws/service/bottlerocket/aws-k8s-1.35{path}"
    volumes = {
        each["deviceName"]: each["ebs"]["volumeSize"] for each in given["blockDeviceMappings"]
    }
    assert volumes == {"/dev/xvda": 4, "/dev/xvdb": 80}
    metadata = {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 2}
    assert given["metadataOptions"] == metadata
    assert "[settings.kubernetes]" in base64.b64decode(given["userData"]).decode()
    assert (
        tags(built.one(GROUP))[
            "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage"
        ]
        == "80Gi"
    )


@pytest.mark.feature("B-25")
def test_types_by_attributes_take_the_place_of_a_list(deploy):
    settings = SpotNodeGroupConfig.model_validate(
        SHORT
        | {
            "instanceTypes": [],
            "instanceRequirements": {
                "vCpu": {"min": 2, "max": 4},
                "memoryMib": {"min": 8192},
                "excludedInstanceTypes": ["t*", "m5.large"],
                "spotMaxPricePercentageOverLowestPrice": 50,
            },
            "distribution": {"maxPrice": 0.05},
        }
    )
    group = deploy(lambda: SpotNodeGroup("a", arguments(settings)), IMAGE_OF).one(GROUP)

    assert overrides(group) == [
        {
            "instanceRequirements": {
                "vcpuCount": {"min": 2, "max": 4},
                "memoryMib": {"min": 8192},
                "cpuManufacturers": ["intel", "amd"],
                "instanceGenerations": ["current"],
                "excludedInstanceTypes": ["t*", "m5.large"],
                "burstablePerformance": "excluded",
                "bareMetal": "excluded",
                "localStorage": "included",
                "acceleratorCount": {"max": 0},
                "spotMaxPricePercentageOverLowestPrice": 50,
            }
        }
    ]
    assert distribution(group)["spotMaxPrice"] == "0.05"


@pytest.mark.feature("B-25")
def test_weights_and_the_settings_of_the_cheapest_pools_reach_the_group(deploy):
    settings = config(
        instanceTypes=[
            {"type": "m5.large", "weight": 1},
            {"type": "m5.xlarge", "weight": 2},
            {"type": "m5a.large", "weight": 1},
            {"type": "m5a.xlarge", "weight": 2},
        ],
        distribution={
            "onDemandBaseCapacity": 1,
            "onDemandPercentageAboveBaseCapacity": 25,
            "onDemandAllocationStrategy": "lowest-price",
            "spotAllocationStrategy": "lowest-price",
            "spotInstancePools": 3,
        },
    )
    group = deploy(lambda: SpotNodeGroup("a", arguments(settings)), IMAGE_OF).one(GROUP)

    assert overrides(group) == [
        {"instanceType": "m5.large", "weightedCapacity": "1"},
        {"instanceType": "m5.xlarge", "weightedCapacity": "2"},
        {"instanceType": "m5a.large", "weightedCapacity": "1"},
        {"instanceType": "m5a.xlarge", "weightedCapacity": "2"},
    ]
    assert distribution(group) == {
        "onDemandBaseCapacity": 1,
        "onDemandPercentageAboveBaseCapacity": 25,
        "onDemandAllocationStrategy": "lowest-price",
        "spotAllocationStrategy": "lowest-price",
        "spotInstancePools": 3,
    }


@pytest.mark.feature("B-26", "B-28")
def test_rebalancing_can_be_off_and_the_refresh_can_be_another(deploy):
    refresh = {"minHealthyPercentage": 50, "maxHealthyPercentage": 150, "instanceWarmup": 0}
    settings = config(capacityRebalance=False, refresh=refresh)
    given = deploy(lambda: SpotNodeGroup("a", arguments(settings)), IMAGE_OF).one(GROUP).inputs

    assert given["capacityRebalance"] is False
    assert given["instanceRefresh"]["preferences"] == {
        "minHealthyPercentage": 50,
        "maxHealthyPercentage": 150,
        "instanceWarmup": "0",
        "skipMatching": True,
    }


@pytest.mark.feature("B-28")
def test_a_new_template_is_a_new_policy_which_starts_the_refresh(deploy):
    def program():
        aws.ec2.LaunchTemplate("other")
        SpotNodeGroup("a", arguments(config()))

    built = deploy(program, IMAGE_OF)
    group = built.one(GROUP)
    specification = group.inputs["mixedInstancesPolicy"]["launchTemplate"][
        "launchTemplateSpecification"
    ]

    # A number, which comes from the template: not $Latest or $Default, which never change.
    assert specification == {"launchTemplateId": "a-id", "version": "1"}
    assert built.waits_for(group, built.named(TEMPLATE, "a"))


@pytest.mark.feature("A3-15")
def test_the_number_of_nodes_is_the_autoscaler_s_where_there_is_one(built, once):
    owned, own = built.one(GROUP), of(once, unattended).one(GROUP)

    assert set(owned.request.ignoreChanges) == {"initialLifecycleHooks", "desiredCapacity"}
    assert set(own.request.ignoreChanges) == {"initialLifecycleHooks"}
    assert owned.inputs["suspendedProcesses"] == ["AZRebalance"]
    assert "suspendedProcesses" not in own.inputs


@pytest.mark.feature("B-27")
def test_the_hook_is_there_before_the_first_instance_and_can_be_changed_later(built):
    hook = {
        "name": "drain",
        "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "defaultResult": "CONTINUE",
        "heartbeatTimeout": 300,
    }
    group, later = built.one(GROUP), built.one(HOOK)

    assert group.inputs["initialLifecycleHooks"] == [hook]
    assert later.inputs == hook | {"autoscalingGroupName": "dev-ng-spot"}
    # In a destroy the hook goes with its group: the last nodes are drained as well.
    assert later.request.deletedWith == group.urn


def test_without_a_handler_nothing_waits_for_a_drain(once):
    built = of(once, unattended)

    assert built.every(HOOK) == []
    assert "initialLifecycleHooks" not in built.one(GROUP).inputs
    assert not [key for key in tags(built.one(GROUP)) if "termination-handler" in key]
    (instance, *_) = built.one(TEMPLATE).inputs["tagSpecifications"]
    assert not [key for key in instance["tags"] if "termination-handler" in key]


def test_a_handler_that_cannot_answer_has_the_shorter_hook_and_no_tag(deploy):
    args = arguments(config(), handler_tag=None, hook_seconds=120)
    built = deploy(lambda: SpotNodeGroup("a", args), IMAGE_OF)

    (first,) = built.one(GROUP).inputs["initialLifecycleHooks"]
    assert built.one(HOOK).inputs == first | {
        "autoscalingGroupName": "dev-a",
        "heartbeatTimeout": 120,
    }
    assert not [key for key in tags(built.one(GROUP)) if "termination-handler" in key]


@pytest.mark.feature("C-08")
def test_one_line_makes_a_group_in_each_zone_that_share_the_size_evenly(once):
    sizes = {
        each.inputs["name"]: (
            each.inputs["vpcZoneIdentifiers"],
            each.inputs["minSize"],
            each.inputs["desiredCapacity"],
            each.inputs["maxSize"],
        )
        for each in groups(of(once, zonal))
    }
    assert sizes == {
        "dev-ng-spot-1": (["subnet-a"], 1, 2, 2),
        "dev-ng-spot-2": (["subnet-b"], 1, 1, 2),
        "dev-ng-spot-3": (["subnet-c"], 0, 1, 1),
    }


@pytest.mark.feature("C-08")
def test_the_groups_of_the_zones_are_alike_for_the_autoscaler(once):
    built = of(once, zonal)

    first, *others = [tags(each) | {"Name": ""} for each in groups(built)]
    assert others == [first, first]
    assert [tags(each)["Name"] for each in groups(built)] == [
        "dev-ng-spot-1",
        "dev-ng-spot-2",
        "dev-ng-spot-3",
    ]
    assert len(built.every(TEMPLATE)) == len(built.every(ENTRY)) == 1
    hooks = {each.request.deletedWith: each.inputs for each in built.every(HOOK)}
    assert {urn: hook["autoscalingGroupName"] for urn, hook in hooks.items()} == {
        each.urn: each.inputs["name"] for each in groups(built)
    }


def test_the_zones_share_the_on_demand_base_too(deploy):
    settings = config(distribution={"onDemandBaseCapacity": 2}, perZone=True)
    built = deploy(lambda: SpotNodeGroup("a", arguments(settings)), IMAGE_OF)

    bases = [distribution(each)["onDemandBaseCapacity"] for each in groups(built)]
    assert bases == [1, 1, 0]


def test_fewer_nodes_than_zones_with_a_group_each_are_refused(deploy):
    settings = config(size={"min": 1, "max": 2}, perZone=True)

    with pytest.raises(pulumi.RunError) as refused:
        deploy(lambda: SpotNodeGroup("ng-spot", arguments(settings)), IMAGE_OF)
    assert str(refused.value) == (
        "spotNodeGroups.ng-spot: perZone makes 3 groups of 2 nodes at most in all: "
        "raise size.max to 3 or more"
    )


def test_nodes_join_by_an_entry_that_is_there_before_them(built):
    group, entry = built.one(GROUP), built.one(ENTRY)

    assert entry.inputs == {
        "clusterName": "dev",
        "principalArn": "arn:aws:iam::111122223333:role/ng-spot-role",
        "type": "EC2_LINUX",
    }
    assert built.waits_for(group, entry)
    attachments = built.every(ATTACHMENT)
    assert sorted(each.inputs["policyArn"].rpartition("/")[2] for each in attachments) == [
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonSSMManagedInstanceCore",
    ]
    assert all(built.waits_for(group, each) for each in attachments)


def test_what_the_nodes_need_outlives_them_and_they_have_time_to_drain(deploy):
    def program():
        queue = aws.sqs.Queue("handler")
        SpotNodeGroup("a", arguments(config(), needs=[queue]))

    built = deploy(program, IMAGE_OF)

    group = built.one(GROUP)
    assert built.waits_for(group, built.one("aws:sqs/queue:Queue"))
    assert group.request.customTimeouts.delete == "20m"


@pytest.mark.parametrize(
    ("settings", "pools"),
    [
        ({"instanceTypes": TYPES[:3]}, 9),
        ({"instanceTypes": TYPES[:1], "perZone": True}, 3),
    ],
)
def test_a_spread_too_small_to_survive_is_warned_of(deploy, caplog, settings, pools):
    deploy(lambda: SpotNodeGroup("ng-spot", arguments(config(**settings))), IMAGE_OF)

    count = len(settings["instanceTypes"])
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == [
        f"spotNodeGroups.ng-spot: instanceTypes lists {count}, which makes {pools} pools of spot "
        "capacity in 3 zones, and AWS takes nodes of one pool back together: list 4 or more, or "
        "choose by instanceRequirements"
    ]


def test_the_names_are_an_output_that_waits_for_the_groups(once):
    built = of(once, zonal)

    names = ["dev-ng-spot-1", "dev-ng-spot-2", "dev-ng-spot-3"]
    assert built.outputs["ng-spot"] == {"groupNames": names}


@pytest.mark.parametrize("program", [seed, zonal, unattended])
def test_a_preview_shows_what_an_update_makes(once, program):
    preview, update = once(program, IMAGE_OF, preview=True), of(once, program)

    assert preview.tree() == update.tree()
    for shown, made in zip(groups(preview), groups(update), strict=True):
        unknown = {"mixedInstancesPolicy"}
        assert {k: v for k, v in shown.inputs.items() if k not in unknown} == {
            k: v for k, v in made.inputs.items() if k not in unknown
        }
