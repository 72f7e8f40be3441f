"""What waits for what, in both directions: too little breaks a destroy, too much costs minutes."""

import logging
import re
import runpy
from pathlib import Path

import pulumi
import pytest

ROOT = Path(__file__).parents[2]
CLUSTER = "eks:index:Cluster"
SUBNET = "aws:ec2/subnet:Subnet"
ROUTE = "aws:ec2/route:Route"
NAT = "aws:ec2/natGateway:NatGateway"
ADDON = "aws:eks/addon:Addon"
PROFILE = "aws:eks/fargateProfile:FargateProfile"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ENTRY = "aws:eks/accessEntry:AccessEntry"
GRANT = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
RELEASE = "kubernetes:helm.sh/v3:Release"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
PROVIDER = "pulumi:providers:kubernetes"

ON_NODES = {
    "fargate": None,
    "managedNodeGroups": {
        "base": {
            "instanceTypes": ["m7g.large"],
            "amiType": "AL2023_ARM_64_STANDARD",
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 2, "max": 4},
        }
    },
}
# As Pulumi hands it over: by the alphabet, not in the file's order.
ON_FARGATE_BY_OTHER_NAMES = {
    "fargate": {
        "profiles": {
            "a-system": [{"namespace": "kube-system"}],
            "b-batch": [{"namespace": "batch"}],
            "z-scaling": [{"namespace": "karpenter"}],
        }
    }
}
WHO_DEPLOYS = "aws:index/getCallerIdentity:getCallerIdentity"


def main():
    runpy.run_path(str(ROOT / "__main__.py"))


def all_of(built, kind, prefix=""):
    found = [each for each in built.every(kind) if each.request.name.startswith(prefix)]
    assert found, f"no {kind} {prefix}"
    return found


def missing(built, first, needed):
    """What `first` should wait for, and does not."""
    return [each.urn for each in needed if not built.waits_for(first, each)]


def superfluous(built, first, others):
    """What `first` should not wait for, and does."""
    return [each.urn for each in others if built.waits_for(first, each)]


def karpenters(built):
    """Rights, queue and rules, which AWS can make while it makes the control plane."""
    kinds = ("aws:iam/", "aws:sqs/", "aws:cloudwatch/event")
    of = [each for each in built.declared if each.request.type.startswith(kinds)]
    return [each for each in of if each.request.name.startswith("karpenter")]


def test_the_control_plane_waits_for_its_subnets_role_key_and_log_group(platform):
    built = platform()

    needed = [
        built.one("aws:ec2/vpc:Vpc"),
        *all_of(built, SUBNET, "network-private"),
        built.named(ROLE, "cluster-role"),
        *all_of(built, ATTACHMENT, "cluster-role"),
        built.named("aws:cloudwatch/logGroup:LogGroup", "cluster-logs"),
        built.one("aws:kms/key:Key"),
    ]
    assert missing(built, built.one(CLUSTER), needed) == []


def test_nat_routes_and_karpenter_s_rights_are_made_beside_the_control_plane(platform):
    built = platform()

    others = [
        *all_of(built, NAT),
        *all_of(built, "aws:ec2/eip:Eip"),
        *all_of(built, ROUTE),
        *all_of(built, "aws:ec2/routeTableAssociation:RouteTableAssociation"),
        *all_of(built, SUBNET, "network-public"),
        *all_of(built, ROLE, "fargate"),
        *karpenters(built),
    ]
    assert superfluous(built, built.one(CLUSTER), others) == []


def test_what_is_made_beside_the_control_plane_does_not_wait_for_it_either(platform):
    built = platform()

    cluster = built.one(CLUSTER)
    queue = [each for each in karpenters(built) if "iam" not in each.request.type]
    node_role = [built.named(ROLE, "karpenter-controller-node")]
    fargate_role = [*all_of(built, ROLE, "fargate"), *all_of(built, ATTACHMENT, "fargate")]
    beside = [*all_of(built, NAT), *all_of(built, ROUTE), *queue, *node_role, *fargate_role]
    beside += all_of(built, "aws:iam/policy:Policy")
    assert [each.urn for each in beside if built.waits_for(each, cluster)] == []


@pytest.mark.parametrize("changes", [None, ON_NODES], ids=["fargate", "nodes"])
def test_no_component_with_aws_inside_waits_for_the_cluster_s_provider(platform, changes):
    """No edge shows it: Pulumi holds a component, and all inside, until its providers are known."""
    built = platform(changes)

    components = [each for each in built.declared if not each.request.custom]
    held = [each.urn for each in components if each.request.providers]
    inside = [each.urn for each in built.declared if each.request.parent in held]
    assert held
    assert [urn for urn in inside if "::kubernetes:" not in urn.replace("$", "::")] == []


def test_everything_inside_the_cluster_has_the_provider_of_the_cluster(platform):
    built = platform()

    provider = built.one(PROVIDER)
    inside = [each for each in built.declared if each.request.type.startswith("kubernetes:")]
    assert {each.request.provider.rpartition("::")[0] for each in inside} == {provider.urn}
    assert missing(built, provider, [built.one(CLUSTER), *all_of(built, GRANT)]) == []


def test_the_profile_of_karpenter_waits_for_control_plane_and_role_alone(platform):
    built = platform()

    profile = built.named(PROFILE, "fargate-karpenter")
    needed = [built.one(CLUSTER), *all_of(built, ATTACHMENT, "fargate-role")]
    others = [
        built.named(PROFILE, "fargate-kube-system"),
        *all_of(built, ADDON),
        *all_of(built, ROUTE),
        *all_of(built, NAT),
        *all_of(built, GRANT),
        built.one(PROVIDER),
        *karpenters(built),
    ]
    assert missing(built, profile, needed) == []
    assert superfluous(built, profile, others) == []


@pytest.mark.parametrize(
    ("changes", "first", "others"),
    [
        (None, "karpenter", ["kube-system"]),
        (ON_FARGATE_BY_OTHER_NAMES, "z-scaling", ["a-system", "b-batch"]),
    ],
)
def test_karpenter_s_profile_is_the_first_by_whatever_name(platform, changes, first, others):
    built = platform(changes)

    profile = built.named(PROFILE, f"fargate-{first}")
    rest = [built.named(PROFILE, f"fargate-{other}") for other in others]
    assert [each.urn for each in rest if not built.waits_for(each, profile)] == []
    assert superfluous(built, profile, rest) == []
    assert built.waits_for(built.named(RELEASE, "karpenter"), profile)
    assert superfluous(built, built.named(RELEASE, "karpenter"), rest) == []


@pytest.mark.feature("A2-49")
def test_karpenter_starts_without_a_node_without_coredns_and_without_its_profile(platform):
    built = platform()

    others = [
        *all_of(built, ADDON),  # CoreDNS, and what only nodes need
        built.named(PROFILE, "fargate-kube-system"),
        *all_of(built, POOL),
        *all_of(built, CLASS),
    ]
    assert superfluous(built, built.named(RELEASE, "karpenter"), others) == []


@pytest.mark.feature("C-02", "C-18")
def test_a_pool_goes_while_all_that_ends_its_nodes_still_lives(platform):
    built = platform()

    pool = built.one(POOL)
    needed = [
        built.one(CLASS),
        built.named(RELEASE, "karpenter"),
        built.named(RELEASE, "karpenter-crd"),
        *karpenters(built),
        built.named(ENTRY, "karpenter-controller-node"),
        built.named(PROFILE, "fargate-karpenter"),
        *all_of(built, ATTACHMENT, "fargate-role"),
        *all_of(built, ROUTE),
        *all_of(built, NAT),
        *all_of(built, "aws:ec2/internetGateway:InternetGateway"),
        *all_of(built, GRANT),
        built.named(ADDON, "vpc-cni"),
        built.named(ADDON, "kube-proxy"),
        *all_of(built, "aws:eks/podIdentityAssociation:PodIdentityAssociation"),
        built.named("aws:ec2/tag:Tag", "cluster-discovery"),
        *all_of(built, SUBNET, "network-private"),
        built.one(CLUSTER),
    ]
    assert missing(built, pool, needed) == []
    own_class, *rest = needed
    assert missing(built, own_class, rest) == []


def test_the_first_node_waits_for_neither_coredns_nor_its_profile(platform):
    built = platform()

    others = [
        built.named(ADDON, "coredns"),
        built.named(PROFILE, "fargate-kube-system"),
        *all_of(built, DEPLOYMENT),
    ]
    assert superfluous(built, built.one(POOL), others) == []


@pytest.mark.feature("C-02")
def test_workloads_come_after_the_pools_and_go_before_them(platform):
    built = platform()

    for workload in all_of(built, DEPLOYMENT):
        assert missing(built, workload, all_of(built, POOL)) == []
        assert superfluous(built, workload, [built.named(ADDON, "coredns")]) == []


def test_add_ons_are_made_side_by_side(platform):
    built = platform()

    proxy, dns = built.named(ADDON, "kube-proxy"), built.named(ADDON, "coredns")
    assert superfluous(built, proxy, [each for each in all_of(built, ADDON) if each != proxy]) == []
    assert superfluous(built, dns, [*all_of(built, POOL), *all_of(built, RELEASE)]) == []
    assert missing(built, dns, [built.named(PROFILE, "fargate-kube-system")]) == []


@pytest.mark.feature("A2-01")
def test_fargate_and_karpenter_make_a_cluster_without_any_node_group(platform):
    built = platform()

    made = {each.request.type for each in built.declared}
    assert not {kind for kind in made if re.search("(?i)nodegroup|autoscaling|ec2/instance", kind)}
    assert built.named(PROFILE, "fargate-kube-system").inputs["selectors"] == [
        {"namespace": "kube-system"}
    ]
    # The other pods: whatever no profile selects, Karpenter's pools.
    assert {
        selector["namespace"]
        for profile in built.every(PROFILE)
        for selector in profile.inputs["selectors"]
    } == {"kube-system", "karpenter"}
    assert len(built.every(POOL)) == 1


@pytest.mark.feature("A2-06")
def test_nobody_else_scales_a_nodeless_cluster(platform):
    built = platform()

    said = [f"{each.request.name} {each.inputs.get('chart', '')}" for each in built.declared]
    assert [each for each in said if re.search("(?i)autoscal", each)] == []


@pytest.mark.feature("B-35")
def test_karpenter_can_run_on_a_small_managed_group(platform):
    built = platform(ON_NODES)

    release, group = built.named(RELEASE, "karpenter"), built.one(GROUP)
    association = built.named(
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "karpenter-controller-role-association",
    )
    assert built.every(PROFILE) == []
    assert missing(built, release, [group, association, *all_of(built, ROUTE)]) == []
    assert missing(built, group, [built.named(ADDON, "vpc-cni"), *all_of(built, ROUTE)]) == []
    # The agent hands the role out, and stands on the same nodes.
    assert missing(built, release, [built.named(ADDON, "eks-pod-identity-agent")]) == []
    assert superfluous(built, release, [built.named(ADDON, "coredns")]) == []
    assert missing(built, built.one(POOL), [release, group]) == []


@pytest.mark.parametrize(("nodes", "replicas"), [(1, 1), (2, 2), (4, 2)])
def test_no_pod_of_karpenter_waits_for_a_node_that_never_comes(platform, nodes, replicas):
    (base,) = ON_NODES["managedNodeGroups"].values()
    groups = {"base": base | {"size": {"min": nodes, "max": 4}}}

    built = platform(ON_NODES | {"managedNodeGroups": groups})

    assert built.named(RELEASE, "karpenter").inputs["values"]["replicas"] == replicas


def test_on_nodes_coredns_waits_for_the_group_and_not_for_karpenter(platform):
    built = platform(ON_NODES)

    dns = built.named(ADDON, "coredns")
    assert missing(built, dns, [built.one(GROUP)]) == []
    assert superfluous(built, dns, [*all_of(built, RELEASE), *all_of(built, POOL)]) == []


def test_every_resource_is_below_the_platform(platform):
    tree = platform().tree()

    assert [line for line in tree if not line.startswith(" ")] == ["Platform platform"]


@pytest.mark.feature("C-21")
def test_the_same_stack_file_declares_the_same_again(platform):
    first = platform()

    again = platform({})

    assert again is not first
    assert {each.urn: each.inputs for each in again.declared} == {
        each.urn: each.inputs for each in first.declared
    }


@pytest.fixture
def said(caplog):
    """A run's messages, each with the number of resources that there were by then."""
    found = []

    class Heard(logging.Handler):
        def emit(self, record):
            made = pulumi.runtime.settings.get_monitor().declared
            made = [each for each in made if each.request.custom]
            found.append((record.getMessage(), len(made)))

    handler = Heard()
    caplog.set_level(logging.INFO)
    logging.getLogger().addHandler(handler)
    yield found
    logging.getLogger().removeHandler(handler)


@pytest.mark.feature("A2-16")
@pytest.mark.parametrize("preview", [True, False])
def test_the_run_says_where_and_what_before_anything_is_made(
    said, deploy, account, stack_file, preview
):
    deploy(main, account, settings=stack_file("nodeless"), preview=preview)

    facts = "cluster nodeless, Kubernetes 1.35, Karpenter 1.14.1"
    assert said[0] == (f"account 111122223333, region eu-west-1, {facts}", 0)


@pytest.mark.feature("A2-16")
def test_without_karpenter_no_version_of_it_is_told(said, deploy, account, stack_file):
    settings = stack_file("nodeless") | {f"frugal-eks:{k}": v for k, v in ON_NODES.items() if v}
    del settings["frugal-eks:karpenter"]

    deploy(main, account, settings=settings)

    assert said[0][0].endswith("Kubernetes 1.35")


@pytest.fixture
def stranger(account):
    """Somebody who deploys and is no administrator of the stack file."""
    caller = {"accountId": "111122223333", "arn": "arn:aws:sts::111122223333:assumed-role/ci/run"}
    return account | {WHO_DEPLOYS: lambda _: caller}


NO_ADMIN = (
    "arn:aws:sts::111122223333:assumed-role/ci/run deploys, but is not in cluster.admins: it could "
    "not make anything inside the cluster. Add its role, or deploy as one of them"
)


def test_nothing_is_made_by_somebody_who_could_not_use_the_cluster(deploy, stranger, stack_file):
    with pytest.raises(pulumi.RunError) as error:
        deploy(main, stranger, settings=stack_file("nodeless"))

    assert str(error.value) == NO_ADMIN
    made = pulumi.runtime.settings.get_monitor().declared
    assert [each.urn for each in made if each.request.custom] == []


def test_a_preview_may_run_with_fewer_rights_and_says_so(said, deploy, stranger, stack_file):
    deploy(main, stranger, settings=stack_file("nodeless"), preview=True)

    assert said[1][0] == NO_ADMIN
