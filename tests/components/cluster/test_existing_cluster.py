import json

import grpc
import pulumi
import pulumi_kubernetes as k8s
import pytest

from components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.kubernetes.first_request import AS_ANYBODY_KNOWN
from components.kubernetes.kubeconfig import AMBIENT, TokenIdentity
from components.location import Location
from components.placement import RunsOn

ACCOUNT = "111122223333"
LOCATION = Location(region="eu-west-1", account=ACCOUNT)
ISSUER = "https://oidc.eks.eu-west-1.amazonaws.com/id/THEIRS"
OIDC_PROVIDER_ARN = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER.removeprefix('https://')}"
CLUSTER_ARN = f"arn:aws:eks:eu-west-1:{ACCOUNT}:cluster/theirs"

GET_CLUSTER = "aws:eks/getCluster:getCluster"
GET_ADDON = "aws:eks/getAddon:getAddon"
GET_OIDC = "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"
PROVIDER = "pulumi:providers:kubernetes"

CLUSTER = {
    "name": "theirs",
    "arn": CLUSTER_ARN,
    "endpoint": "https://theirs.eks.amazonaws.com",
    "status": "ACTIVE",
    "version": "1.34",
    "certificateAuthorities": [{"data": "Q0E="}],
    "kubernetesNetworkConfigs": [{"serviceIpv4Cidr": "10.100.0.0/16"}],
    "identities": [{"oidcs": [{"issuer": ISSUER}]}],
    "accessConfigs": [{"authenticationMode": "API_AND_CONFIG_MAP"}],
    "vpcConfig": {
        "vpcId": "vpc-theirs",
        "subnetIds": ["subnet-a", "subnet-b"],
        "clusterSecurityGroupId": "sg-theirs",
    },
}


class NotFound(grpc.RpcError):
    """What the engine answers where a look-up fails."""

    def __init__(self, what):
        self.what = what

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return f"{self.what}: ResourceNotFoundException"


def missing(what):
    """The answer of a data source to a question for what is not there."""

    def answer(_):
        raise NotFound(what)

    return answer


def answers(**changes):
    return {
        GET_CLUSTER: lambda query: CLUSTER | {"name": query["name"]} | changes,
        GET_ADDON: lambda query: {"addonName": query["addonName"], "addonVersion": "v1.3.10"},
        GET_OIDC: lambda query: {"arn": OIDC_PROVIDER_ARN, "url": query["url"]},
    }


def program(runs_on=RunsOn.NODES, karpenter=None, identity=AMBIENT):
    def run():
        config = ExistingClusterConfig(existing="theirs", runs_on=runs_on)
        args = ExistingClusterArgs(
            config=config, location=LOCATION, karpenter=karpenter, identity=identity
        )
        cluster = ExistingCluster("it", args)
        opts = pulumi.ResourceOptions(provider=cluster.ref.provider)
        k8s.core.v1.Namespace(
            "inside",
            metadata={
                "annotations": {
                    "vpc": cluster.vpc_id,
                    "subnets": ",".join(cluster.subnet_ids),
                    "kubectl": cluster.update_kubeconfig,
                }
            },
            opts=opts,
        )

    return run


@pytest.mark.feature("A0-09")
@pytest.mark.parametrize("preview", [True, False])
def test_nothing_of_the_cluster_is_in_the_plan_and_all_of_it_is_known_at_once(deploy, preview):
    built = deploy(program(), answers(), preview=preview)

    assert built.tree() == ["ExistingCluster it", "  kubernetes it-kubernetes", "Namespace inside"]
    assert built.outputs["it"] == {
        "name": "theirs",
        "arn": CLUSTER_ARN,
        "endpoint": "https://theirs.eks.amazonaws.com",
        "oidcProviderArn": "",
        "securityGroupId": "sg-theirs",
        "version": "1.34",
    }
    inside = built.one("kubernetes:core/v1:Namespace")
    assert inside.inputs["metadata"]["annotations"] == {
        "vpc": "vpc-theirs",
        "subnets": "subnet-a,subnet-b",
        "kubectl": "aws eks update-kubeconfig --region eu-west-1 --name theirs",
    }


@pytest.mark.feature("A0-09")
def test_the_cluster_is_asked_for_by_its_name(deploy):
    asked = []

    def cluster(query):
        asked.append(query["name"])
        return CLUSTER

    deploy(program(), answers() | {GET_CLUSTER: cluster})

    assert asked == ["theirs"]


@pytest.mark.feature("B-45")
def test_the_provider_fetches_a_token_for_each_use_and_keeps_none(deploy):
    given = deploy(program(), answers()).one(PROVIDER).inputs

    assert given["clusterIdentifier"] == CLUSTER_ARN
    read = json.loads(given["kubeconfig"])
    (user,) = read["users"]
    assert user["user"].keys() == {"exec"}
    assert user["user"]["exec"]["command"] == "aws"
    assert user["user"]["exec"]["args"] == [
        "--region",
        "eu-west-1",
        "eks",
        "get-token",
        "--cluster-name",
        "theirs",
        "--output",
        "json",
    ]
    assert read["clusters"][0]["cluster"] == {
        "server": "https://theirs.eks.amazonaws.com",
        "certificate-authority-data": "Q0E=",
    }


def test_an_update_asks_the_api_once_and_a_preview_does_not(deploy):
    built, preview = (deploy(program(), answers(), preview=preview) for preview in (False, True))

    assert [asked[:2] for asked in built.asked] == [
        ("https://theirs.eks.amazonaws.com", AS_ANYBODY_KNOWN)
    ]
    assert preview.asked == []


def test_the_token_is_that_of_the_profile_and_role_by_which_aws_is_reached(deploy):
    identity = TokenIdentity(profile="ops", role_arn="arn:aws:iam::111122223333:role/ops")
    built = deploy(program(identity=identity), answers())

    options = ["--role-arn", "arn:aws:iam::111122223333:role/ops", "--profile", "ops"]
    (user,) = json.loads(built.one(PROVIDER).inputs["kubeconfig"])["users"]
    assert user["user"]["exec"]["args"][-4:] == options
    inside = built.one("kubernetes:core/v1:Namespace").inputs["metadata"]["annotations"]
    assert inside["kubectl"].endswith(f"--name theirs {' '.join(options)}")


@pytest.mark.feature("C-01")
def test_pods_on_fargate_get_rights_by_the_cluster_s_own_oidc_provider(deploy):
    asked = []

    def provider(query):
        asked.append(query)
        return {"arn": OIDC_PROVIDER_ARN}

    told = answers() | {GET_OIDC: provider, GET_ADDON: missing("not to be asked")}
    built = deploy(program(RunsOn.FARGATE), told)

    assert asked == [{"url": ISSUER}]
    assert built.outputs["it"]["oidcProviderArn"] == OIDC_PROVIDER_ARN


@pytest.mark.feature("C-01")
def test_pods_on_nodes_need_the_agent_and_no_oidc_provider(deploy):
    asked = []

    def addon(query):
        asked.append(query)
        return {}

    deploy(program(), answers() | {GET_ADDON: addon, GET_OIDC: missing("not to be asked")})

    assert asked == [{"clusterName": "theirs", "addonName": "eks-pod-identity-agent"}]


@pytest.mark.feature("A0-09")
@pytest.mark.parametrize(
    ("runs_on", "lacks", "remedy"),
    [
        (
            RunsOn.NODES,
            {GET_CLUSTER: missing("reading EKS Cluster")},
            "cluster.existing: AWS does not tell of a cluster theirs in eu-west-1: "
            "`aws eks list-clusters --region eu-west-1` names those that are there "
            "(invoke of aws:eks/getCluster:getCluster failed: reading EKS Cluster: "
            "ResourceNotFoundException)",
        ),
        (
            RunsOn.NODES,
            {GET_ADDON: missing("reading EKS Add-On")},
            "cluster.existing: the cluster theirs has no add-on eks-pod-identity-agent, by which "
            "pods on nodes get their AWS rights: `aws eks create-addon --region eu-west-1 "
            "--cluster-name theirs --addon-name eks-pod-identity-agent` installs it "
            "(invoke of aws:eks/getAddon:getAddon failed: reading EKS Add-On: "
            "ResourceNotFoundException)",
        ),
        (
            RunsOn.FARGATE,
            {GET_OIDC: missing("finding IAM OIDC Provider")},
            f"cluster.existing: IAM has no OIDC provider for {ISSUER}, by which pods on Fargate "
            "get their AWS rights: `aws iam create-open-id-connect-provider "
            f"--url {ISSUER} --client-id-list sts.amazonaws.com` makes it "
            "(invoke of aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider failed: finding "
            "IAM OIDC Provider: ResourceNotFoundException)",
        ),
    ],
)
def test_what_is_missing_is_told_with_its_remedy_and_without_a_traceback(
    deploy, runs_on, lacks, remedy
):
    with pytest.raises(pulumi.RunError) as refused:
        deploy(program(runs_on), answers() | lacks)

    assert str(refused.value) == remedy


@pytest.mark.feature("A0-09")
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"status": "CREATING"},
            "cluster.existing: the cluster theirs is CREATING: wait until it is ACTIVE",
        ),
        (
            {"accessConfigs": [{"authenticationMode": "CONFIG_MAP"}]},
            "cluster.existing: the cluster theirs knows no access entries (authentication mode "
            "CONFIG_MAP), by which nodes join: `aws eks update-cluster-config --region eu-west-1 "
            "--name theirs --access-config authenticationMode=API_AND_CONFIG_MAP` adds them and "
            "keeps the ConfigMap",
        ),
        (
            {"version": "1.29"},
            "karpenter.version: does not support Kubernetes 1.29 of the cluster theirs: it "
            "supports 1.30 to 1.36 (got 1.14.1)",
        ),
    ],
)
def test_a_cluster_on_which_nothing_would_work_is_refused(deploy, changes, told):
    with pytest.raises(pulumi.RunError) as refused:
        deploy(program(karpenter="1.14.1"), answers(**changes))

    assert str(refused.value) == told


def test_all_reasons_are_told_at_once(deploy):
    with pytest.raises(pulumi.RunError) as refused:
        deploy(program(karpenter="1.14.1"), answers(status="FAILED", version="1.29"))

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "cluster.existing",
        "karpenter.version",
    ]


def test_an_old_kubernetes_is_nobody_s_business_without_karpenter(deploy):
    built = deploy(program(), answers(version="1.29", status="UPDATING"))

    assert built.outputs["it"]["version"] == "1.29"
