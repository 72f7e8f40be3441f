"""The platform as the stack file asks for it otherwise: each variant as a whole."""

import json

import pytest

CLUSTER = "eks:index:Cluster"
TAG = "aws:ec2/tag:Tag"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
RELEASE = "kubernetes:helm.sh/v3:Release"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
ROLE = "aws:iam/role:Role"
SPOT_ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
ROUTE = "aws:ec2/route:Route"
ADDON = "aws:eks/addon:Addon"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"

ADDONS = {"awsLoadBalancerController": {}, "efsCsi": {}, "metricsServer": {}}
EXISTING_VPC = {
    "vpcId": "vpc-0123456789abcdef0",
    "privateSubnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
    "publicSubnetIds": ["subnet-0cccccca"],
}
# Only the add-ons, on a cluster of somebody else's.
ADDONS_ONLY = {
    "cluster": {"existing": "shared"},
    "network": None,
    "fargate": None,
    "karpenter": None,
    "overprovisioning": None,
    "sampleWorkloads": None,
    "addons": ADDONS,
}
KARPENTER_TOO = ADDONS_ONLY | {
    "network": EXISTING_VPC | {"publicSubnetIds": [], "tagSubnets": True},
    "karpenter": {
        "nodeClasses": {"default": {"amiAlias": "al2023@v20260930"}},
        "nodePools": {"default": {"nodeClass": "default", "capacityTypes": ["on-demand"]}},
    },
}
ROLES = {"path": "/teams/platform/", "permissionsBoundary": "arn:aws:iam::aws:policy/Boundary"}


@pytest.mark.feature("A0-09")
def test_add_ons_can_be_had_for_a_cluster_that_exists_and_nothing_of_it_is_declared(platform):
    built = platform(ADDONS_ONLY)

    kinds = {each.request.type for each in built.declared}
    assert not {
        kind for kind in kinds if kind.startswith(("aws:ec2/", "aws:kms", "aws:cloudwatch"))
    }
    assert not built.every(CLUSTER) + built.every(ADDON)
    names = {each.inputs["name"] for each in built.every(RELEASE)}
    assert names == {"aws-load-balancer-controller", "aws-efs-csi-driver", "metrics-server"}
    values = built.named(RELEASE, "aws-load-balancer-controller").inputs["values"]
    assert (values["clusterName"], values["vpcId"]) == ("shared", "vpc-0123456789abcdef0")
    assert {each.inputs["clusterName"] for each in built.every(ASSOCIATION)} == {"shared"}


def test_where_system_pods_of_such_a_cluster_run_on_fargate_rights_come_by_accounts(platform):
    built = platform(ADDONS_ONLY | {"cluster": {"existing": "shared", "runsOn": "fargate"}})

    assert not built.every(ASSOCIATION)
    trust = built.named(ROLE, "efs-csi-role").inputs["assumeRolePolicy"]
    assert "AssumeRoleWithWebIdentity" in trust


def test_karpenter_on_a_cluster_that_exists_takes_its_group_by_id(platform):
    built = platform(KARPENTER_TOO)

    spec = built.one(NODE_CLASS).inputs["spec"]
    assert spec["securityGroupSelectorTerms"] == [{"id": "sg-shared"}]
    tagged = {each.inputs["resourceId"] for each in built.every(TAG)}
    assert tagged == {"subnet-0aaaaaaa", "subnet-0bbbbbbb"}


@pytest.mark.feature("C-12")
@pytest.mark.parametrize(
    ("changes", "owner"),
    [({}, "sg-cluster"), ({"nodeSecurityGroup": {}}, "nodes-id")],
    ids=["shared", "own"],
)
def test_exactly_one_group_is_found_by_karpenter(platform, changes, owner):
    built = platform(changes)

    by_tag = [
        each.inputs["resourceId"]
        for each in built.every(TAG)
        if each.inputs["key"] == "karpenter.sh/discovery"
    ]
    by_declaration = [
        f"{each.request.name}-id"
        for each in built.every(GROUP)
        if "karpenter.sh/discovery" in each.inputs.get("tags", {})
    ]
    assert by_tag + by_declaration == [owner]
    # EKS puts the cluster's tag on its own group: none of ours may carry it too.
    tags = [each.inputs.get("tags", {}) for each in built.every(GROUP)]
    assert not any(key.startswith("kubernetes.io/cluster/") for tag in tags for key in tag)


@pytest.mark.feature("C-15", "B-09")
def test_a_nat_instance_takes_the_place_of_the_gateway(platform):
    network = {"cidr": "10.20.0.0/16", "natInstance": {}}
    built = platform({"network": network})

    assert not built.every("aws:ec2/natGateway:NatGateway")
    private = [each for each in built.every(ROUTE) if "private" in each.request.name]
    assert {each.inputs["networkInterfaceId"] for each in private} == {"network-nat-id"}
    pods = built.named(RELEASE, "karpenter")
    assert all(built.waits_for(pods, each) for each in private)
    assert built.waits_for(pods, built.one("aws:autoscaling/group:Group"))


@pytest.mark.feature("A2-11", "A2-10")
def test_a_bastion_tells_its_address_and_how_to_get_there(platform):
    inside = platform({"bastion": {}}).outputs["platform"]
    by_ssh = {"bastion": {"ssh": {"keyName": "me", "cidr": "192.0.2.7/32"}}}
    outside = platform(by_ssh)

    assert inside["bastionCommand"].startswith("aws ssm start-session")
    assert outside.outputs["platform"]["bastionCommand"].startswith(
        "ssh -i ~/.ssh/me.pem ec2-user@"
    )
    instance = outside.one("aws:ec2/instance:Instance")
    assert instance.inputs["subnetId"] == "network-public-1-id"
    assert "bastionCommand" not in platform().outputs["platform"]
    text = json.dumps([each.inputs for each in outside.declared])
    assert "AKIA" not in text
    assert "secret_access_key" not in text.lower()


@pytest.mark.feature("C-11")
@pytest.mark.parametrize(
    ("changes", "there"),
    [
        ({}, True),
        ({"roles": {"spotServiceLinkedRole": False}}, False),
        (KARPENTER_TOO, False),
    ],
    ids=["spot", "spot, but somebody else sees to it", "on-demand"],
)
def test_the_role_for_spot_is_seen_to_where_anything_asks_for_spot(platform, changes, there):
    built = platform(changes)

    assert bool(built.every(SPOT_ROLE)) is there
    if there:
        assert built.waits_for(built.one(POOL), built.one(SPOT_ROLE))


@pytest.mark.feature("B-14")
def test_each_role_of_the_platform_has_path_and_boundary_add_ons_and_bastion_included(platform):
    built = platform({"roles": ROLES, "bastion": {}})
    roles = built.every(ROLE)

    assert {"external-dns-role", "bastion-role", "cluster-role"} <= {r.request.name for r in roles}
    assert {(r.inputs["path"], r.inputs["permissionsBoundary"]) for r in roles} == {
        tuple(ROLES.values())
    }


@pytest.mark.feature("B-20")
def test_releases_of_the_user_s_own_start_when_all_else_is_there(platform):
    podinfo = {
        "chart": "podinfo",
        "repository": "https://charts.example.com",
        "version": "6.9.0",
        "namespace": "demo",
        "createNamespace": True,
        "values": {"replicaCount": 2},
    }
    built = platform({"extraReleases": {"podinfo": podinfo}})
    release = built.named(RELEASE, "extra-releases-podinfo")

    others = [each for each in built.every(RELEASE) if each != release]
    others += [
        built.one(POOL),
        *built.every(ADDON),
        *built.every("kubernetes:core/v1:ServicePatch"),
    ]
    assert [each.urn for each in others if not built.waits_for(release, each)] == []
    assert release.inputs["values"] == {"replicaCount": 2}


@pytest.mark.feature("B-41")
def test_one_program_serves_stacks_of_other_names_regions_and_sizes(platform, another):
    first, second = platform(), another

    assert first.one(CLUSTER).inputs["name"] == "nodeless"
    assert second.one(CLUSTER).inputs["name"] == "seoul"
    values = second.named(RELEASE, "aws-load-balancer-controller").inputs["values"]
    assert (values["region"], values["clusterName"]) == ("ap-northeast-2", "seoul")
    assert second.outputs["platform"]["updateKubeconfig"] == (
        "aws eks update-kubeconfig --region ap-northeast-2 --name seoul"
    )
    # What AWS made up in the test has the first one's region; what we declare names neither.
    assert "nodeless" not in json.dumps([each.inputs for each in second.declared])


@pytest.mark.feature("A2-61")
def test_the_pause_pods_namespace_is_no_profile_s(platform):
    built = platform()

    profiles = built.every("aws:eks/fargateProfile:FargateProfile")
    taken = {s["namespace"] for each in profiles for s in each.inputs["selectors"]}
    (namespace,) = [
        each.inputs["metadata"]["namespace"]
        for each in built.every("kubernetes:apps/v1:Deployment")
        if each.inputs["metadata"]["name"] == "pause-pods"
    ]
    assert namespace not in taken
