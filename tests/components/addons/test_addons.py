"""Add-ons as the platform wires them: what each waits for, and what it leaves alone."""

import json

import pytest

RELEASE = "kubernetes:helm.sh/v3:Release"
SERVICE = "kubernetes:core/v1:Service"
HOSTNAME = "kubernetes:core/v1:ServicePatch"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
ADDON = "aws:eks/addon:Addon"
PROFILE = "aws:eks/fargateProfile:FargateProfile"
ROUTE = "aws:ec2/route:Route"
NAT = "aws:ec2/natGateway:NatGateway"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
ROLE = "aws:iam/role:Role"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"

SHIPPED = {
    "awsLoadBalancerController": {"replicas": 1},
    "externalDns": {"zones": ["example.com"], "policy": "sync"},
    "efsCsi": {},
    "metricsServer": {},
    "kubeOpsView": {
        "loadBalancer": "nlb",
        "hostname": "kubeopsview.example.com",
        "timeZone": "Asia/Seoul",
    },
}
EBS = {"ebsCsi": {}}
# Each key, and the add-ons that need it: they go with it.
NEEDED_BY = {
    "awsLoadBalancerController": ["kubeOpsView"],
    "externalDns": ["kubeOpsView"],
}
RELEASES = {
    "awsLoadBalancerController": "aws-load-balancer-controller",
    "externalDns": "external-dns",
    "efsCsi": "efs-csi",
    "metricsServer": "metrics-server",
    "kubeOpsView": "kube-ops-view",
}


def without(*keys):
    return {key: section for key, section in SHIPPED.items() if key not in keys}


def declared(built):
    """What each resource is, by its URN: inputs, and what it waits for."""
    return {
        each.urn: (each.inputs, sorted(each.request.dependencies))
        for each in built.declared
        # Only their lists of children and outputs differ.
        if not each.request.type.startswith("frugal-eks:")
    }


def of_addons(built):
    """The URNs of all that lies below the component that holds the add-ons."""
    inside = {each.urn for each in built.every("frugal-eks:addons:Addons")}
    for each in built.declared:  # a parent is declared before its children
        if each.request.parent in inside:
            inside.add(each.urn)
    return inside


@pytest.mark.behaviour("lbc-finalizer-and-groups-left")
@pytest.mark.feature("C-22", "B-43")
def test_load_balancer_and_record_are_made_after_their_owners_and_so_go_before_them(platform):
    built = platform()
    (service,) = built.every(SERVICE)
    (hostname,) = built.every(HOSTNAME)

    for owner in ("aws-load-balancer-controller", "external-dns"):
        assert built.waits_for(service, built.named(RELEASE, owner))
    # The name goes first: its record is taken away while the load balancer is.
    assert built.waits_for(hostname, service)


@pytest.mark.feature("B-43", "A2-42")
@pytest.mark.parametrize("name", RELEASES.values())
def test_an_add_on_stands_on_its_profile_and_on_the_way_to_aws_not_on_coredns(platform, name):
    built = platform()
    release = built.named(RELEASE, name)

    assert built.waits_for(release, built.named(PROFILE, "fargate-kube-system"))
    for needed in (*built.every(ROUTE), *built.every(NAT)):
        assert built.waits_for(release, needed)
    # Those that call AWS ask the VPC's own resolver: a minute and a half of each first `up`.
    assert not built.waits_for(release, built.named(ADDON, "coredns"))


def test_the_first_node_waits_for_no_add_on_and_no_add_on_for_another(platform):
    built = platform()
    pool = built.one(POOL)
    releases = [built.named(RELEASE, name) for name in RELEASES.values()]

    assert [each.urn for each in releases if built.waits_for(pool, each)] == []
    assert [each.urn for each in releases if built.waits_for(each, pool)] == []
    assert [
        (first.urn, second.urn)
        for first in releases
        for second in releases
        if first is not second and built.waits_for(first, second)
    ] == []


@pytest.mark.parametrize("key", SHIPPED)
def test_turning_an_add_on_off_changes_nothing_else(platform, key):
    shipped = platform({"addons": SHIPPED})
    before = declared(shipped)
    gone = [key, *NEEDED_BY.get(key, [])]
    after = declared(platform({"addons": without(*gone)}))

    assert {urn: before[urn] for urn in after} == after
    left_out = before.keys() - after.keys()
    assert left_out
    assert left_out <= of_addons(shipped)


def test_turning_an_add_on_on_changes_nothing_else(platform):
    before = declared(platform({"addons": SHIPPED}))
    more = platform({"addons": SHIPPED | EBS})
    after = declared(more)

    assert {urn: after[urn] for urn in before} == before
    assert after.keys() - before.keys() <= of_addons(more)


def test_without_add_ons_there_is_nothing_of_them(platform):
    built = platform({"addons": None})

    assert of_addons(built) == set()
    assert not built.every(SERVICE) + built.every(ACCOUNT)


@pytest.mark.feature("A2-34")
@pytest.mark.parametrize(
    ("account", "role"),
    [
        ("aws-load-balancer-controller", "aws-load-balancer-controller"),
        ("external-dns", "external-dns"),
        ("efs-csi-controller-sa", "efs-csi"),
    ],
)
def test_the_program_makes_the_accounts_with_their_roles(platform, account, role):
    built = platform()
    objects = [each.inputs["metadata"] for each in built.every(ACCOUNT)]
    (metadata,) = [each for each in objects if each["name"] == account]
    trust = json.loads(built.named(ROLE, f"{role}-role").inputs["assumeRolePolicy"])

    assert metadata["namespace"] == "kube-system"
    (arn,) = metadata["annotations"].values()
    assert arn.endswith(f"/{role}-role")
    claims = trust["Statement"][0]["Condition"]["StringEquals"]
    assert f"system:serviceaccount:kube-system:{account}" in claims.values()


@pytest.mark.behaviour("apiservice-unavailable-blocks-namespaces")
def test_on_nodes_the_rights_come_by_associations_and_pods_wait_for_the_nodes(platform):
    group = {
        "instanceTypes": ["m7i.large"],
        "releaseVersion": "1.35.8-20260930",
        "size": {"min": 2, "max": 3},
    }
    built = platform({"fargate": None, "managedNodeGroups": {"base": group}})

    accounts = {each.inputs["serviceAccount"] for each in built.every(ASSOCIATION)}
    assert {"aws-load-balancer-controller", "external-dns", "efs-csi-controller-sa"} <= accounts
    nodes = built.one("aws:eks/nodeGroup:NodeGroup")
    for name in RELEASES.values():
        assert built.waits_for(built.named(RELEASE, name), nodes)


@pytest.mark.feature("A2-46")
def test_the_page_s_address_is_an_output_of_the_platform(platform):
    outputs = platform().outputs["platform"]

    assert outputs["kubeOpsViewUrl"] == "http://kubeopsview.example.com:8080/#scale=1.5"
    assert "kubeOpsViewUrl" not in platform({"addons": without("kubeOpsView")}).outputs["platform"]


@pytest.mark.feature("B-10")
def test_a_network_without_internet_gets_the_endpoints_of_the_add_ons_that_are_on(platform):
    isolated = {
        "network": {"cidr": "10.20.0.0/16", "natGateways": "none"},
        "imageMirror": "registry.example.com/mirror",
        "addons": {"awsLoadBalancerController": {}, "efsCsi": {}, "metricsServer": {}},
    }
    built = platform(
        isolated | {"karpenter": None, "overprovisioning": None} | {"sampleWorkloads": None}
    )

    services = {
        each.inputs["serviceName"].removeprefix("com.amazonaws.eu-west-1.")
        for each in built.every("aws:ec2/vpcEndpoint:VpcEndpoint")
    }
    assert services == {
        *("s3", "ec2", "ecr.api", "ecr.dkr", "eks", "logs", "sqs", "ssm", "sts"),
        *("elasticloadbalancing", "elasticfilesystem"),
    }
    images = json.dumps([each.inputs["values"] for each in built.every(RELEASE)])
    assert "registry.example.com/mirror/eks/aws-load-balancer-controller" in images
    assert "public.ecr.aws" not in images
