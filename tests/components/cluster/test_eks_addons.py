import json

import pulumi
import pytest
from pydantic import ValidationError

from components import versions
from components.cluster.eks_addons import (
    EksAddon,
    EksAddonArgs,
    NodeAddons,
    NodeAddonsArgs,
    coredns_configuration,
    pinned_build,
)
from components.cluster.eks_addons_config import (
    CoreDnsConfig,
    EksAddonConfig,
    EksAddonsConfig,
    Home,
)
from components.location import Location
from tests.cluster_refs import cluster_ref

LOCATION = Location(region="eu-west-1", account="111122223333")
OIDC_PROVIDER_ARN = "arn:aws:iam::111122223333:oidc-provider/issuer"
ADDON = "aws:eks/addon:Addon"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
PROFILE = "aws:eks/fargateProfile:FargateProfile"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
RELEASE = "kubernetes:helm.sh/v3:Release"


def addons(has_nodes, *, location=LOCATION, kubernetes="1.35"):
    args = NodeAddonsArgs(
        config=EksAddonsConfig(),
        cluster=cluster_ref(version=kubernetes, location=location),
        has_nodes=has_nodes,
    )
    return NodeAddons("addons", args)


def with_nodes():
    addons(has_nodes=True)


def without_nodes():
    addons(has_nodes=False)


def one_addon(config=None, *, kubernetes="1.35", configuration=None, addon_name="kube-proxy"):
    args = EksAddonArgs(
        config=config or EksAddonConfig(),
        addon_name=addon_name,
        cluster=cluster_ref(version=kubernetes),
        configuration=configuration,
    )
    return EksAddon("it", args)


def expected(name, version, *, preserve=False):
    return {
        "clusterName": "dev",
        "addonName": name,
        "addonVersion": version,
        "resolveConflictsOnCreate": "OVERWRITE",
        "resolveConflictsOnUpdate": "OVERWRITE",
        "preserve": preserve,
    }


@pytest.mark.feature("A2-24", "A2-25")
def test_nodes_get_network_proxy_and_identity_in_the_pinned_builds(once):
    built = once(with_nodes)

    assert {addon.request.name: addon.inputs for addon in built.every(ADDON)} == {
        "vpc-cni": expected("vpc-cni", versions.VPC_CNI, preserve=True),
        "kube-proxy": expected("kube-proxy", versions.KUBE_PROXY_1_35),
        "eks-pod-identity-agent": expected("eks-pod-identity-agent", versions.POD_IDENTITY_AGENT),
    }


@pytest.mark.feature("A2-24")
def test_the_network_add_on_has_a_role_of_its_own_with_the_cni_policy_alone(once):
    built = once(with_nodes)

    role = built.one("aws:iam/role:Role")
    assert built.one(ATTACHMENT).inputs == {
        "role": "vpc-cni-role",
        "policyArn": "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy",
    }
    assert built.every("aws:iam/rolePolicy:RolePolicy") == []
    assert built.one(ASSOCIATION).inputs == {
        "clusterName": "dev",
        "namespace": "kube-system",
        "serviceAccount": "aws-node",
        "roleArn": "arn:aws:iam::111122223333:role/vpc-cni-role",
    }
    assert (
        '"aws:RequestTag/kubernetes-service-account": "aws-node"' in role.inputs["assumeRolePolicy"]
    )


def test_in_china_the_cni_policy_is_of_its_partition(deploy):
    china = Location(region="cn-north-1", account="111122223333")
    built = deploy(lambda: addons(has_nodes=True, location=china))

    arn = "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy"
    assert built.one(ATTACHMENT).inputs["policyArn"] == arn


@pytest.mark.feature("A2-24", "A2-25", "C-01")
def test_a_cluster_that_can_have_no_nodes_gets_no_pod_identity(once):
    built = once(without_nodes)

    assert built.tree() == [
        "NodeAddons addons",
        "  EksAddon kube-proxy",
        "    Addon kube-proxy",
        "  EksAddon vpc-cni",
        "    Addon vpc-cni",
    ]


@pytest.mark.feature("B-13")
def test_the_agent_comes_first_then_the_association_then_the_pods_that_need_it(once):
    built = once(with_nodes)

    agent = built.named(ADDON, "eks-pod-identity-agent")
    association, pods = built.one(ASSOCIATION), built.named(ADDON, "vpc-cni")
    assert built.waits_for(association, agent)
    assert built.waits_for(pods, association)
    assert built.waits_for(pods, agent)
    assert built.waits_for(pods, built.one(ATTACHMENT))


@pytest.mark.feature("B-13")
def test_karpenter_on_nodes_starts_behind_the_agent_and_its_own_association(on_nodes):
    release = on_nodes.named(RELEASE, "karpenter")
    own = on_nodes.named(ASSOCIATION, "karpenter-controller-role-association")

    assert on_nodes.waits_for(release, on_nodes.named(ADDON, "eks-pod-identity-agent"))
    assert on_nodes.waits_for(release, own)


def test_the_proxy_waits_for_nothing_but_the_cluster(platform):
    built = platform()

    proxy = built.named(ADDON, "kube-proxy")
    assert not [addon for addon in built.every(ADDON) if built.waits_for(proxy, addon)]


@pytest.mark.feature("B-16")
def test_network_proxy_and_identity_come_before_the_first_node_of_each_kind(platform, on_nodes):
    first = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
    kinds = [(on_nodes, NODE_GROUP), (on_nodes, NODE_POOL), (platform(), NODE_POOL)]

    assert [
        (kind, addon)
        for built, kind in kinds
        for addon in first
        if not built.waits_for(built.one(kind), built.named(ADDON, addon))
    ] == []


@pytest.mark.feature("B-16")
def test_coredns_comes_after_the_first_node_of_the_group_that_runs_it(on_nodes):
    dns = on_nodes.named(ADDON, "coredns")

    assert on_nodes.waits_for(dns, on_nodes.one(NODE_GROUP))
    assert not on_nodes.waits_for(on_nodes.one(NODE_GROUP), dns)


@pytest.mark.feature("B-16")
def test_coredns_comes_after_the_pools_where_karpenter_has_to_launch_its_node(platform):
    built = platform({"fargate": {"profiles": {"karpenter": [{"namespace": "karpenter"}]}}})

    dns = built.named(ADDON, "coredns")
    assert built.waits_for(dns, built.one(NODE_POOL))
    assert not built.waits_for(built.one(NODE_POOL), dns)
    assert json.loads(dns.inputs["configurationValues"]) == {"replicaCount": 2}


@pytest.mark.feature("A2-26", "A2-31")
def test_coredns_runs_as_two_replicas_on_fargate_once_its_profile_is_there(platform):
    built = platform()

    addon = built.named(ADDON, "coredns")
    dns = addon.inputs
    size = {"cpu": "0.25", "memory": "256M"}
    assert (dns["addonName"], dns["addonVersion"]) == ("coredns", versions.COREDNS_1_35)
    assert json.loads(dns["configurationValues"]) == {
        "computeType": "Fargate",
        "podLabels": {"eks.amazonaws.com/fargate-profile": "fargate-kube-system"},
        "replicaCount": 2,
        "resources": {"limits": size, "requests": size},
    }
    assert built.waits_for(addon, built.named(PROFILE, "fargate-kube-system"))


@pytest.mark.feature("A2-31")
def test_coredns_on_fargate_is_off_the_way_to_the_first_node(platform):
    built = platform()

    dns = built.named(ADDON, "coredns")
    ours = [built.one(NODE_POOL), built.named(RELEASE, "karpenter")]
    assert not any(built.waits_for(dns, each) for each in ours)
    assert not any(built.waits_for(each, dns) for each in ours)


@pytest.mark.feature("A2-26")
def test_coredns_on_nodes_is_not_told_of_fargate(on_nodes):
    dns = on_nodes.named(ADDON, "coredns").inputs

    values = json.loads(dns["configurationValues"])
    assert set(values) == {"replicaCount", "affinity"}
    # Two kinds of nodes: one of them is its home.
    assert values["affinity"]["nodeAffinity"] == on_nodes_that("DoesNotExist")


def on_nodes_that(operator):
    expression = {"key": "karpenter.sh/nodepool", "operator": operator}
    terms = [{"matchExpressions": [expression]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


@pytest.mark.feature("A2-26")
def test_where_there_are_groups_too_coredns_can_be_told_to_run_on_karpenter_s_nodes():
    values = coredns_configuration(CoreDnsConfig(), Home.KARPENTER, several=True)

    assert values["affinity"]["nodeAffinity"] == on_nodes_that("Exists")


@pytest.mark.parametrize("home", [Home.NODE_GROUPS, Home.KARPENTER])
def test_the_only_home_there_is_needs_no_affinity(home):
    assert coredns_configuration(CoreDnsConfig(), home) == {"replicaCount": 2}


@pytest.mark.feature("A2-26")
def test_a_profile_for_coredns_alone_is_found_by_the_labels_of_its_pods(another):
    dns = another.named(ADDON, "coredns")

    assert another.waits_for(dns, another.named(PROFILE, "fargate-dns"))
    assert json.loads(dns.inputs["configurationValues"])["computeType"] == "Fargate"


def test_the_number_of_dns_replicas_is_a_setting():
    config = CoreDnsConfig(replicas=3)

    assert coredns_configuration(config, Home.KARPENTER) == {"replicaCount": 3}


@pytest.mark.feature("A2-27")
@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("pinned", versions.KUBE_PROXY_1_34),
        ("v1.34.1-eksbuild.2", "v1.34.1-eksbuild.2"),
        ("default", "v9.0.0-eksbuild.1"),
        ("latest", "v9.9.9-eksbuild.9"),
    ],
)
def test_the_build_that_was_chosen_shows_as_a_number_in_the_plan(
    deploy, account, wanted, chosen, preview
):
    config = EksAddonConfig(version=wanted)
    built = deploy(lambda: one_addon(config, kubernetes="1.34"), account, preview=preview)

    assert built.one(ADDON).inputs["addonVersion"] == chosen
    assert built.outputs["it"] == {"version": chosen}


@pytest.mark.feature("A2-27")
@pytest.mark.parametrize(("wanted", "most_recent"), [("default", False), ("latest", True)])
def test_aws_is_asked_for_the_build_of_this_add_on_and_kubernetes_version(
    deploy, wanted, most_recent
):
    asked = []

    def build(query):
        asked.append(query)
        return {"version": "v1.0.0-eksbuild.1"}

    answers = {"aws:eks/getAddonVersion:getAddonVersion": build}
    deploy(lambda: one_addon(EksAddonConfig(version=wanted), kubernetes="1.36"), answers)

    query = {"addonName": "kube-proxy", "kubernetesVersion": "1.36", "mostRecent": most_recent}
    assert asked == [query]


@pytest.mark.feature("A2-27")
@pytest.mark.parametrize("wanted", ["1.34", "v1.34.1", "newest", ""])
def test_a_version_that_is_no_build_is_refused(wanted):
    with pytest.raises(ValidationError):
        EksAddonConfig(version=wanted)


@pytest.mark.feature("B-17")
def test_preserve_and_both_conflict_modes_are_settings_of_each_add_on(deploy):
    config = EksAddonConfig(
        preserve=True, resolve_conflicts_on_create="NONE", resolve_conflicts_on_update="PRESERVE"
    )
    built = deploy(lambda: one_addon(config))

    addon = built.one(ADDON).inputs
    assert addon["preserve"] is True
    assert addon["resolveConflictsOnCreate"] == "NONE"
    assert addon["resolveConflictsOnUpdate"] == "PRESERVE"


@pytest.mark.feature("B-17")
def test_the_settings_of_one_add_on_do_not_reach_another(another):
    keys = ("preserve", "resolveConflictsOnCreate", "resolveConflictsOnUpdate")

    assert {
        addon.request.name: tuple(addon.inputs[key] for key in keys)
        for addon in another.every(ADDON)
    } == {
        "vpc-cni": (False, "OVERWRITE", "OVERWRITE"),
        "kube-proxy": (True, "OVERWRITE", "OVERWRITE"),
        "coredns": (False, "OVERWRITE", "PRESERVE"),
        "eks-pod-identity-agent": (False, "NONE", "OVERWRITE"),
    }


@pytest.mark.feature("B-17")
def test_preserving_is_no_way_to_create():
    with pytest.raises(ValidationError):
        EksAddonConfig(resolve_conflicts_on_create="PRESERVE")


@pytest.mark.feature("B-18")
@pytest.mark.parametrize("kubernetes", versions.EKS_ADDONS)
def test_every_add_on_follows_the_cluster_s_minor_by_the_one_file(deploy, kubernetes):
    def program():
        addons(has_nodes=True, kubernetes=kubernetes)
        one_addon(kubernetes=kubernetes, addon_name="coredns")

    built = deploy(program)

    builds = {a.inputs["addonName"]: a.inputs["addonVersion"] for a in built.every(ADDON)}
    pinned = versions.EKS_ADDONS[kubernetes]
    of_every_cluster = ("vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent")
    assert builds == {name: pinned[name] for name in of_every_cluster}


def test_values_are_written_in_one_order_so_that_no_run_shows_a_difference(deploy):
    built = deploy(lambda: one_addon(configuration={"b": 1, "a": {"d": 1, "c": 2}}))

    values = built.one(ADDON).inputs["configurationValues"]
    assert values == '{"a": {"c": 2, "d": 1}, "b": 1}'


@pytest.mark.feature("B-19")
def test_every_add_on_is_made_after_a_cluster_that_starts_without_any(platform):
    built = platform()

    control_plane = built.one("eks:index:Cluster")
    assert control_plane.inputs["bootstrapSelfManagedAddons"] is False
    addons_of_it = {
        addon.request.name for addon in built.every(ADDON) if built.waits_for(addon, control_plane)
    }
    assert addons_of_it == {"vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns"}


def test_a_minor_without_a_pinned_build_is_told_with_the_way_out():
    with pytest.raises(pulumi.RunError, match=r"set its version to default or to an exact build$"):
        pinned_build("aws-ebs-csi-driver", "1.30")
