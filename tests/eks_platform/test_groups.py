"""Spot groups, their handler and their autoscaler as the platform wires them."""

import json
import logging
import re

import pytest

import stack_config
from eks_platform import Platform, PlatformArgs

RELEASE = "kubernetes:helm.sh/v3:Release"
GROUP = "aws:autoscaling/group:Group"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
ADDON = "aws:eks/addon:Addon"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ROUTE = "aws:ec2/route:Route"
QUEUE = "aws:sqs/queue:Queue"
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
INLINE = "aws:iam/rolePolicy:RolePolicy"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
HANDLER = "node-termination-handler"
SPOT_ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"


@pytest.fixture
def spot(platform, stack_file):
    """The shipped stack `spot`, or a variant of it."""
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("spot").items()}
    absent = dict.fromkeys(["fargate", "karpenter", "overprovisioning"])
    return lambda changes=None, **kinds: platform(absent | shipped | (changes or {}), **kinds)


@pytest.fixture
def group(spot):
    """The one Auto Scaling group of the shipped stack."""
    return spot().one(GROUP)


@pytest.mark.feature("A0-35")
def test_nodes_of_a_spot_group_go_before_all_that_drains_them(spot, group):
    built = spot()

    drains = [built.named(RELEASE, HANDLER), built.one(QUEUE), *built.every(TARGET)]
    # By whose names it calls AWS.
    drains += [each for each in built.every(ADDON) if each.inputs["addonName"] == "coredns"]
    drains += [each for each in built.every(INLINE) if each.request.name.startswith(HANDLER)]
    assert [each.urn for each in drains if not built.waits_for(group, each)] == []
    assert [each.urn for each in drains if built.waits_for(each, group)] == []


@pytest.mark.feature("B-31", "B-16")
def test_a_spot_group_joins_after_its_entry_and_the_network_add_on(spot, group):
    built = spot()

    needed = [a for a in built.every(ADDON) if a.inputs["addonName"] in {"vpc-cni", "kube-proxy"}]
    needed += [each for each in built.every(ENTRY) if each.inputs.get("type") == "EC2_LINUX"]
    assert needed
    needed += [*built.every(ROUTE), *built.every(SPOT_ROLE)]
    assert [each.urn for each in needed if not built.waits_for(group, each)] == []


def test_the_platform_s_own_pods_do_not_wait_for_spot(spot, group):
    built = spot()

    others = [*built.every(RELEASE), *built.every(MANAGED)]
    others += [each for each in built.every(ADDON) if each.inputs["addonName"] == "coredns"]
    assert [each.urn for each in others if built.waits_for(each, group)] == []
    apps = [e for e in built.every(DEPLOYMENT) if e.request.name.startswith("ecsdemo")]
    assert {e.inputs["metadata"]["name"] for e in apps} >= {"ecsdemo-frontend", "ecsdemo-nodejs"}
    assert [each.urn for each in apps if not built.waits_for(each, group)] == []


@pytest.mark.feature("A0-35")
def test_apps_go_before_the_handler_and_the_handler_after_the_group(spot, group):
    built = spot()
    handler = built.named(RELEASE, HANDLER)

    for app in built.every(DEPLOYMENT):
        assert built.waits_for(app, group)
        assert built.waits_for(app, handler)


@pytest.mark.feature("A3-02")
def test_an_autoscaler_owns_the_number_of_nodes(spot, group):
    assert "desiredCapacity" in group.request.ignoreChanges
    assert "scalingConfig.desiredSize" in spot().one(MANAGED).request.ignoreChanges

    alone = spot({"clusterAutoscaler": None})
    assert "desiredCapacity" not in alone.one(GROUP).request.ignoreChanges
    assert "scalingConfig.desiredSize" not in alone.one(MANAGED).request.ignoreChanges


@pytest.mark.feature("A3-01", "A3-05", "A3-06")
def test_the_autoscaler_sees_the_group_and_may_resize_it(spot, group):
    built = spot()
    values = built.named(RELEASE, "cluster-autoscaler").inputs["values"]
    tags = {tag["key"]: tag["value"] for tag in group.inputs["tags"]}

    # The chart looks for these two keys (its helper `cluster-autoscaler.autodiscovery`).
    name = values["autoDiscovery"]["clusterName"]
    assert {f"k8s.io/cluster-autoscaler/{key}" for key in ("enabled", name)} <= tags.keys()
    policy = json.loads(built.named(INLINE, "cluster-autoscaler-role-policy").inputs["policy"])
    (scale,) = [s for s in policy["Statement"] if "autoscaling:SetDesiredCapacity" in s["Action"]]
    wanted = scale["Condition"]["StringEquals"]
    assert wanted == {f"aws:ResourceTag/{key}": tags[key] for key in tags if key in str(wanted)}
    assert len(wanted) == len(("enabled", name))
    bound = built.named(
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "cluster-autoscaler-role-association",
    ).inputs
    assert bound["serviceAccount"] == values["rbac"]["serviceAccount"]["name"]


REGIONS = re.compile(r"\b[a-z]{2}-(?:north|south|east|west|central)+[a-z]*-\d\b")


@pytest.mark.feature("A0-10")
@pytest.mark.parametrize("region", ["ap-northeast-2", "us-west-2"])
def test_one_key_says_the_region_everywhere(spot, region):
    addons = {"awsLoadBalancerController": {}, "nodeTerminationHandler": {}, "ebsCsi": {}}
    built = spot({"aws:region": region, "addons": addons})

    told = [each.inputs["values"] for each in built.every(RELEASE)]
    named = [values.get("awsRegion") or values.get("region") for values in told]
    assert [name for name in named if name] == [region] * len([name for name in named if name])
    assert named.count(region) == len(("autoscaler", "handler", "balancers"))
    assert set(REGIONS.findall(json.dumps(told))) == {region}
    assert f"--region {region} " in built.outputs["platform"]["updateKubeconfig"]
    policies = [each.inputs["policy"] for each in built.every(INLINE)]
    assert set(REGIONS.findall(json.dumps(policies))) <= {region, "eu-west-1"}


@pytest.mark.feature("A0-09")
def test_a_spot_group_joins_a_cluster_of_somebody_else_and_nothing_of_that_changes(platform):
    changes = dict.fromkeys(
        ["karpenter", "fargate", "addons", "overprovisioning", "sampleWorkloads", "eksAddons"]
    )
    subnets = ["subnet-0aaaaaaa", "subnet-0bbbbbbb"]
    group = {"instanceTypes": ["m5.large", "m4.large", "m5a.large", "m5d.large"]}
    group |= {"releaseVersion": "1.34.11-20260930", "size": {"min": 2, "max": 5}}
    built = platform(
        changes
        | {
            "cluster": {"existing": "shared"},
            "network": {
                "vpcId": "vpc-0123456789abcdef0",
                "privateSubnetIds": subnets,
                "tagSubnets": True,
            },
            "spotNodeGroups": {"ng-spot": group},
        }
    )

    made = built.one(GROUP)
    assert made.inputs["name"] == "shared-ng-spot"
    assert made.inputs["vpcZoneIdentifiers"] == subnets
    theirs = {"eks:index:Cluster", "aws:eks/cluster:Cluster", ADDON}
    assert {each.request.type for each in built.declared} & theirs == set()
    assert built.one(ENTRY).inputs["clusterName"] == "shared"


@pytest.mark.feature("B-31")
def test_spot_managed_fargate_and_karpenter_live_in_one_cluster(platform, stack_file):
    shipped = stack_file("spot")
    built = platform(
        {
            "managedNodeGroups": shipped["frugal-eks:managedNodeGroups"],
            "spotNodeGroups": shipped["frugal-eks:spotNodeGroups"],
            "addons": {"nodeTerminationHandler": {}},
        }
    )

    queues = {each.inputs["name"] for each in built.every(QUEUE)}
    assert queues == {"nodeless", "nodeless-nth"}
    # A profile takes its pods, as all of kube-system: no node can take them down.
    assert "nodeSelector" not in built.named(RELEASE, HANDLER).inputs["values"]
    assert built.every("aws:eks/fargateProfile:FargateProfile")
    assert built.every("kubernetes:karpenter.sh/v1:NodePool")
    assert built.one(GROUP)
    assert built.one(MANAGED)


@pytest.fixture
def told(caplog, deploy, account, stack_file):
    """What a run says of interruptions."""

    def run(**changes):
        shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("spot").items()}
        config = stack_config.parsed(shipped | changes)
        assert isinstance(config, stack_config.StackConfig), config
        caplog.set_level(logging.INFO)
        deploy(lambda: Platform("platform", PlatformArgs(config=config)), account)
        return [(r.levelname, r.message) for r in caplog.records if "ng-spot" in r.message]

    return run


@pytest.mark.feature("C-19")
def test_the_plan_says_who_drains_which_nodes(told):
    said = [text for level, text in told() if level == "INFO"]

    assert (
        "interruptions are handled so: ng-spot: Node Termination Handler (queue), base: EKS" in said
    )


@pytest.mark.feature("C-19")
def test_spot_nodes_that_nobody_drains_are_a_warning(told):
    said = [text for level, text in told(addons={}) if level == "WARNING"]

    assert said == [
        "spotNodeGroups.ng-spot: nobody drains its nodes before AWS takes them: add "
        "nodeTerminationHandler to addons"
    ]


@pytest.mark.feature("A4-07", "A0-18")
def test_the_mode_decides_queue_hook_and_tag(spot):
    by_queue, by_metadata = spot(), spot({"addons": {"nodeTerminationHandler": {"mode": "imds"}}})

    def tags(built):
        return {tag["key"] for tag in built.one(GROUP).inputs["tags"]}

    def heartbeat(built):
        (hook,) = built.one(GROUP).inputs["initialLifecycleHooks"]
        return hook["heartbeatTimeout"]

    assert "aws-node-termination-handler/spot" in tags(by_queue)
    assert "aws-node-termination-handler/spot" not in tags(by_metadata)
    assert (heartbeat(by_queue), heartbeat(by_metadata)) == (300, 120)
    assert by_queue.one(QUEUE).inputs["name"] == "spot-nth"
    assert by_metadata.every(QUEUE) == by_metadata.every(RULE) == []
    alone = spot({"addons": {"metricsServer": {}}})
    assert "initialLifecycleHooks" not in alone.one(GROUP).inputs


@pytest.mark.feature("C-08")
@pytest.mark.parametrize(
    ("said", "balanced"), [({}, True), ({"balanceSimilarNodeGroups": False}, False)]
)
def test_groups_of_zones_are_kept_balanced_unless_told_otherwise(spot, stack_file, said, balanced):
    groups = stack_file("spot")["frugal-eks:spotNodeGroups"]
    zonal = {"spotNodeGroups": {"ng-spot": groups["ng-spot"] | {"perZone": True}}}
    built = spot(zonal | {"clusterAutoscaler": said})

    flags = built.named(RELEASE, "cluster-autoscaler").inputs["values"]["extraArgs"]
    assert flags["balance-similar-node-groups"] is balanced
    # Upstream takes groups for similar whose nodes differ in no other label than these.
    ignored = {v for k, v in flags.items() if k.partition("_")[0] == "balancing-ignore-label"}
    types = {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}
    assert ignored == (types if balanced else set())
    plain = spot().named(RELEASE, "cluster-autoscaler").inputs["values"]["extraArgs"]
    assert plain["balance-similar-node-groups"] is False


@pytest.mark.feature("A0-33", "A0-35")
def test_apps_go_before_labels_and_labels_before_the_group(spot):
    labels = [{"nodes": ["ip-10-0-0-1.internal"], "labels": {"lifecycle": "OnDemand"}}]
    built = spot({"nodeLabels": labels})

    patch = built.one("kubernetes:core/v1:NodePatch")
    # Kept in the cluster, the labels would stay on nodes that are not ours.
    assert not patch.request.retainOnDelete
    assert built.waits_for(patch, built.one(GROUP))
    for app in built.every(DEPLOYMENT):
        assert built.waits_for(app, patch)


@pytest.mark.feature("C-08", "A4-02")
def test_with_a_group_a_zone_rights_and_rules_name_each(spot, stack_file):
    groups = stack_file("spot")["frugal-eks:spotNodeGroups"]
    built = spot({"spotNodeGroups": {"ng-spot": groups["ng-spot"] | {"perZone": True}}})

    names = sorted(each.inputs["name"] for each in built.every(GROUP))
    assert names == ["spot-ng-spot-1", "spot-ng-spot-2", "spot-ng-spot-3"]
    patterns = [json.loads(each.inputs["eventPattern"]) for each in built.every(RULE)]
    assert names in [p.get("detail", {}).get("AutoScalingGroupName") for p in patterns]
