"""Cluster Autoscaler as the platform wires it, beside a managed node group."""

import json

import pytest

from components import versions
from components.workloads.overprovisioning.pause_pods import PRIORITY

RELEASE = "kubernetes:helm.sh/v3:Release"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ROUTE = "aws:ec2/route:Route"
ADDON = "aws:eks/addon:Addon"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
INLINE = "aws:iam/rolePolicy:RolePolicy"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
PRIORITY_CLASS = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
AUTOSCALER = "cluster-autoscaler"

BASE = {
    "instanceTypes": ["m7i.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 5},
}
WITHOUT = {"fargate": None, "karpenter": None, "managedNodeGroups": {"base": BASE}}
WITH = WITHOUT | {"clusterAutoscaler": {}}
CUT_OFF = -10
"""Of the flag expendable-pods-priority-cutoff: for a pod below it no node is added (upstream's
FAQ)."""


def values(built):
    return built.named(RELEASE, AUTOSCALER).inputs["values"]


@pytest.mark.feature("A3-14")
def test_it_comes_with_the_cluster_after_its_nodes_its_rights_and_the_way_to_aws(platform):
    built = platform(WITH)
    release = built.named(RELEASE, AUTOSCALER)

    needed = [built.one(GROUP), *built.every(ROUTE)]
    needed += [built.named(INLINE, f"{AUTOSCALER}-role-policy")]
    needed += [built.named(ASSOCIATION, f"{AUTOSCALER}-role-association")]
    assert [each.urn for each in needed if not built.waits_for(release, each)] == []
    assert not release.inputs.get("skipAwait")
    # It may have to make the node that CoreDNS waits for.
    assert not built.waits_for(release, built.named(ADDON, "coredns"))


@pytest.mark.feature("A3-05", "B-40")
def test_it_is_told_cluster_and_minor(platform):
    told = values(platform(WITH))

    assert told["autoDiscovery"] == {"clusterName": "nodeless"}
    assert told["image"]["tag"] == versions.CLUSTER_AUTOSCALER["1.35"]


@pytest.mark.feature("B-40")
def test_on_a_cluster_that_exists_it_follows_the_minor_that_is_found(platform):
    built = platform(
        {
            "cluster": {"existing": "shared"},
            "network": None,
            "fargate": None,
            "karpenter": None,
            "addons": None,
            "overprovisioning": None,
            "sampleWorkloads": None,
            "clusterAutoscaler": {},
        }
    )

    assert values(built)["autoDiscovery"] == {"clusterName": "shared"}
    assert values(built)["image"]["tag"] == versions.CLUSTER_AUTOSCALER["1.34"]


@pytest.mark.feature("A3-04")
def test_no_node_may_scale_its_own_group(platform):
    built = platform(WITH)

    policies = {each.request.name: each.inputs["policy"] for each in built.every(INLINE)}
    assert [name for name, policy in policies.items() if "SetDesiredCapacity" in policy] == [
        f"{AUTOSCALER}-role-policy"
    ]
    of_nodes = [
        each.inputs for each in built.every(ATTACHMENT) if each.inputs["role"] == "base-role"
    ]
    assert sorted(each["policyArn"].rpartition("/")[2] for each in of_nodes) == [
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonSSMManagedInstanceCore",
    ]


@pytest.mark.feature("A3-02", "A3-15")
def test_bounds_are_the_group_s_own_and_what_lies_between_is_left_to_it(platform):
    built = platform(WITH)

    group = built.one(GROUP)
    assert group.inputs["scalingConfig"] == {"minSize": 2, "maxSize": 5, "desiredSize": 2}
    assert "scalingConfig.desiredSize" in group.request.ignoreChanges
    assert "autoscalingGroups" not in values(built)


@pytest.mark.feature("A3-13")
def test_for_pause_pods_it_adds_nodes(platform):
    built = platform(WITH | {"overprovisioning": {}})

    assert built.one(PRIORITY_CLASS).inputs["value"] == PRIORITY > CUT_OFF
    assert "expendable-pods-priority-cutoff" not in values(built)["extraArgs"]


def test_turning_it_on_changes_nothing_else(platform):
    def declared(built):
        # Pods of the stack's own wait for it besides.
        return {
            each.urn: each.inputs
            for each in built.declared
            if not each.request.type.startswith("frugal-eks:")
        }

    before, after = declared(platform(WITHOUT)), declared(platform(WITH))

    assert {urn: after[urn] for urn in before} == before
    assert {urn.rpartition("::")[2] for urn in after.keys() - before.keys()} == {
        AUTOSCALER,
        f"{AUTOSCALER}-account",
        f"{AUTOSCALER}-role",
        f"{AUTOSCALER}-role-policy",
        f"{AUTOSCALER}-role-association",
    }


def test_beside_karpenter_it_can_wait_without_a_pod(platform):
    built = platform(
        {"managedNodeGroups": {"base": BASE}, "clusterAutoscaler": {"replicas": 0}},
    )

    assert values(built)["replicaCount"] == 0
    assert built.named(RELEASE, "karpenter")


@pytest.mark.feature("B-10")
def test_without_internet_it_has_an_endpoint_an_image_and_a_list_of_instance_types(platform):
    isolated = {
        "network": {"cidr": "10.20.0.0/16", "natGateways": "none"},
        "imageMirror": "registry.example.com/mirror",
        "addons": None,
    }
    built = platform(WITH | isolated)

    services = {each.inputs["serviceName"].rpartition(".")[2] for each in built.every(ENDPOINT)}
    assert {"autoscaling", "ec2", "eks", "sts"} <= services
    told = values(built)
    assert told["extraArgs"]["aws-use-static-instance-list"] == "true"
    assert "registry.k8s.io" not in json.dumps(told)


@pytest.mark.feature("A3-14")
def test_pause_pods_go_before_who_adds_nodes_for_them(platform):
    built = platform(WITH)
    (pause,) = [
        each
        for each in built.every("kubernetes:apps/v1:Deployment")
        if each.inputs["metadata"]["name"] == "pause-pods"
    ]

    assert built.waits_for(pause, built.named(RELEASE, AUTOSCALER))
