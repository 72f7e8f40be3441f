"""The spot stack comes up as its file says, and stays as it is."""

import json

import pytest

from rehearsal.nodes_now import is_true

pytestmark = pytest.mark.engine

TYPES = ["m5.large", "m4.large", "m5d.large", "m5a.large", "m5ad.large", "m5n.large", "m5dn.large"]
TAINT = {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"}
AUTOSCALER = "k8s.io/cluster-autoscaler"


@pytest.fixture
def made(life):
    return life.made


@pytest.fixture
def tags(made):
    """Of the group, all of which its instances get."""
    assert all(tag["PropagateAtLaunch"] for tag in made.group["Tags"])
    return {tag["Key"]: tag["Value"] for tag in made.group["Tags"]}


def names(nodes):
    return {node["metadata"]["name"] for node in nodes}


def labelled(nodes, **labels):
    return [one for one in nodes if labels.items() <= one["metadata"]["labels"].items()]


@pytest.mark.feature("A3-14", "B-34")
def test_all_of_it_comes_up_in_one_go_as_previewed_and_a_second_preview_is_empty(made):
    assert made.up.succeeded
    assert made.first_preview.changes == made.up.changes
    assert made.second_preview.is_empty


@pytest.mark.feature("A0-04", "A0-05", "A0-06", "A0-07", "A0-08", "B-25")
def test_the_group_is_what_the_stack_file_says_zeros_included(made, tags):
    group = made.group
    assert (group["MinSize"], group["DesiredCapacity"], group["MaxSize"]) == (2, 2, 5)
    assert (group["AutoScalingGroupName"], tags["Name"]) == ("spot-ng-spot", "spot-ng-spot")
    assert tags["frugal-eks/node-group"] == "ng-spot"
    policy = group["MixedInstancesPolicy"]
    overrides = policy["LaunchTemplate"]["Overrides"]
    assert [override["InstanceType"] for override in overrides] == TYPES
    spread = policy["InstancesDistribution"]
    assert (spread["OnDemandBaseCapacity"], spread["OnDemandPercentageAboveBaseCapacity"]) == (0, 0)
    assert spread["SpotAllocationStrategy"] == "capacity-optimized"


@pytest.mark.feature("B-26", "B-33", "A3-06", "C-07")
def test_the_group_has_from_the_first_instance_on_what_others_look_for(made, tags):
    assert made.group["CapacityRebalance"] is True
    looked_for = {
        "kubernetes.io/cluster/spot": "owned",
        f"{AUTOSCALER}/enabled": "true",
        f"{AUTOSCALER}/spot": "owned",
        f"{AUTOSCALER}/node-template/label/lifecycle": "Ec2Spot",
        f"{AUTOSCALER}/node-template/taint/spotInstance": "true:PreferNoSchedule",
        f"{AUTOSCALER}/node-template/resources/cpu": "2",
    }
    assert looked_for.items() <= tags.items()
    assert "aws-node-termination-handler/spot" in tags


@pytest.mark.feature("A0-01", "A0-02", "A0-03", "A0-13", "A0-14", "B-30")
def test_nodes_join_with_label_and_taint_the_spot_ones_alone(made):
    spot, on_demand = (
        labelled(made.nodes, lifecycle="Ec2Spot"),
        labelled(made.nodes, lifecycle="OnDemand"),
    )

    assert (len(spot), len(on_demand)) == (2, 3)
    assert names(made.nodes) == names(spot) | names(on_demand)
    assert all(is_true(node, "Ready") for node in made.nodes)
    assert names(node for node in made.nodes if TAINT in node["spec"].get("taints", [])) == names(
        spot
    )


@pytest.mark.feature("A4-07")
def test_handler_autoscaler_and_names_run_where_nothing_is_interrupted(made):
    safe = names(labelled(made.nodes, lifecycle="OnDemand"))
    for name in ("aws-node-termination-handler", "cluster-autoscaler", "metrics-server"):
        pods = [one for one in made.pods if one["metadata"]["name"].startswith(f"{name}-")]
        assert pods
        assert {pod["spec"]["nodeName"] for pod in pods} <= safe


@pytest.mark.feature("A0-27", "A0-22", "A0-23")
def test_the_samples_run_on_spot_where_there_is_room(made):
    spot = names(labelled(made.nodes, lifecycle="Ec2Spot"))
    apps = {pod["metadata"]["labels"]["app"]: pod["spec"]["nodeName"] for pod in made.samples}

    assert apps.keys() >= {"ecsdemo-frontend", "ecsdemo-crystal", "ecsdemo-nodejs"}
    assert set(apps.values()) <= spot


@pytest.mark.feature("A3-03", "A3-04")
def test_only_the_autoscaler_s_own_role_may_resize_groups(made):
    policies = [
        (one["outputs"]["role"], json.loads(one["outputs"]["policy"]))
        for one in made.resources
        if one["type"] == "aws:iam/rolePolicy:RolePolicy"
    ]
    resizing = {
        role: statement
        for role, policy in policies
        for statement in policy["Statement"]
        if "autoscaling:SetDesiredCapacity" in statement["Action"]
    }
    assert [role.startswith("cluster-autoscaler-role") for role in resizing] == [True]
    (statement,) = resizing.values()
    assert statement["Condition"]["StringEquals"] == {
        f"aws:ResourceTag/{AUTOSCALER}/enabled": "true",
        f"aws:ResourceTag/{AUTOSCALER}/spot": "owned",
    }


@pytest.mark.feature("A4-09")
def test_no_registry_login_is_in_the_state(made):
    for word in ("repositoryPassword", "docker-registry", "ecr-public.amazonaws"):
        assert word not in made.state_text
    (release,) = [
        one
        for one in made.resources
        if one["type"].endswith(":Release") and "termination" in one["urn"]
    ]
    assert not release["inputs"].get("repositoryOpts")
