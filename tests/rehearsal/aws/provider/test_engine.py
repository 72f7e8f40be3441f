"""Small programs on the real engine: both stand-ins as the plugins that it starts."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from tests.rehearsal.aws.provider.small_programs import Pulumi, new_stack

pytestmark = pytest.mark.engine

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

config = pulumi.Config()
cidr = config.get("cidr") or "10.0"
principal = {"Service": "eks.amazonaws.com"}
trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}

def no_creator_admin(args):
    if args.type_ == "aws:eks/cluster:Cluster":
        access = args.props["accessConfig"] | {"bootstrapClusterCreatorAdminPermissions": False}
        return pulumi.ResourceTransformResult(args.props | {"accessConfig": access}, args.opts)

vpc = aws.ec2.Vpc("vpc", cidr_block=f"{cidr}.0.0/16", tags={"note": config.get("note") or "one"})
zones = aws.get_availability_zones(state="available").names
subnets = [
    aws.ec2.Subnet(
        f"subnet-{i}", vpc_id=vpc.id, cidr_block=f"{cidr}.{i}.0/24", availability_zone=zones[i]
    )
    for i in range(2)
]
document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
role = aws.iam.Role("role", assume_role_policy=document)
policy = aws.iam.RolePolicyAttachment(
    "policy", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
)
aws.sqs.Queue("queue", tags={"word": pulumi.Output.secret("hush-hush")})
cluster = eks.Cluster(
    "platform", name="engine", version="1.35", vpc_id=vpc.id,
    private_subnet_ids=[subnet.id for subnet in subnets], service_role=role,
    authentication_mode=eks.AuthenticationMode.API, skip_default_node_group=True,
    skip_default_security_groups=True, use_default_vpc_cni=True,
    kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
    coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
    bootstrap_self_managed_addons=False, create_oidc_provider=config.get_bool("oidc") or False,
    opts=pulumi.ResourceOptions(depends_on=[policy], transforms=[no_creator_admin]),
)
pulumi.export("cluster", cluster.eks_cluster.name)
pulumi.export("issuer", cluster.eks_cluster.identities[0].oidcs[0].issuer)
pulumi.export("group", cluster.cluster_security_group_id)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("forRole", cluster.get_kubeconfig(role_arn=role.arn))
"""
SPOT_ROLE = """
from components.iam.roles import SpotServiceLinkedRole

SpotServiceLinkedRole("spot-role")
"""
THEIRS = """
from components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.location import Location

ExistingCluster(
    "cluster",
    ExistingClusterArgs(
        config=ExistingClusterConfig(existing="theirs"),
        location=Location(region="eu-west-1", account="123456789012"),
    ),
)
"""


def planned(run: Pulumi) -> dict[str, list[str]]:
    """Name of each resource that a preview would change: what it would do, and the properties."""
    steps: list[dict[str, Any]] = json.loads(run("preview", "--json").stdout)["steps"]
    return {
        step["urn"].rpartition("::")[2]: [step["op"], *step.get("diffReasons", [])]
        for step in steps
        if step["op"] not in {"same", "read"}
    }


@pytest.mark.feature("C-18")
def test_a_program_goes_up_changes_and_comes_down(on_engine: Callable[[str], Pulumi]):
    run = on_engine(PROGRAM)
    assert "platform-eksCluster" in planned(run)
    run("up", "--yes", "--skip-preview")

    state = json.loads(run("stack", "export").stdout)["deployment"]["resources"]
    children = {
        (resource["type"], resource["urn"].rpartition("::")[2]): resource
        for resource in state
        if resource.get("parent", "").endswith("eks:index:Cluster::platform")
    }
    control_plane = children.pop(("aws:eks/cluster:Cluster", "platform-eksCluster"))
    assert children.keys() == {("pulumi:providers:kubernetes", "platform-eks-k8s")}
    # The genuine component's SDK asks for that plugin; here nobody asks for another one.
    assert "::default_7_25_0::" in control_plane["provider"]
    access = control_plane["inputs"]["accessConfig"]
    assert access["bootstrapClusterCreatorAdminPermissions"] is False
    assert "hush-hush" not in json.dumps(state)

    outputs = json.loads(run("stack", "output", "--json").stdout)
    assert outputs["cluster"] == "engine"
    assert outputs["issuer"].startswith("https://oidc.eks.eu-west-1.amazonaws.com/id/")
    assert outputs["group"].startswith("sg-")
    user = outputs["kubeconfig"]["users"][0]["user"]["exec"]
    assert "get-token" in user["args"]
    assert "--role" in json.loads(outputs["forRole"])["users"][0]["user"]["exec"]["args"]

    assert planned(run) == {}
    run("refresh", "--yes", "--skip-preview")
    assert planned(run) == {}

    run("config", "set", "note", "two")
    assert planned(run) == {"vpc": ["update", "tags"]}
    run("config", "set", "cidr", "10.1")
    replaced = {name: how for name, how in planned(run).items() if how[0] == "replace"}
    assert replaced.keys() >= {"vpc", "subnet-0", "subnet-1"}
    assert "cidrBlock" in replaced["vpc"]
    run("config", "rm", "cidr")
    run("up", "--yes", "--skip-preview")

    run("config", "set", "oidc", "true")
    refused = run("preview", fails=True)
    assert "property createOidcProvider" in refused.stdout
    assert "must be absent or false (got true)" in refused.stdout

    run("destroy", "--yes", "--skip-preview")
    assert json.loads(run("stack", "export").stdout)["deployment"].get("resources", []) == []


@pytest.fixture
def iam(played_aws: str) -> Iterator[Any]:
    """The account's IAM; what a test leaves of the role for spot requests is taken away."""
    client = boto3.client("iam", "eu-west-1", endpoint_url=played_aws)
    yield client
    for role in spot_roles(client):
        client.delete_service_linked_role(RoleName=role["RoleName"])


def spot_roles(iam: Any) -> list[dict[str, Any]]:
    """All that the account has of it: at most one."""
    return iam.list_roles(PathPrefix="/aws-service-role/spot.amazonaws.com/")["Roles"]


def planned_for_the_role(run: Pulumi) -> list[str]:
    """What a preview would do to the role; empty where nothing."""
    steps: list[dict[str, Any]] = json.loads(run("preview", "--json").stdout)["steps"]
    return [s["op"] for s in steps if "aws:iam/serviceLinkedRole:" in s["urn"]]


@pytest.mark.feature("C-11")
@pytest.mark.behaviour("spot-service-linked-role-missing")
def test_the_spot_role_is_made_once_and_then_belongs_to_the_account(
    on_engine: Callable[[str], Pulumi], iam: Any
):
    run = on_engine(SPOT_ROLE)
    assert planned_for_the_role(run) == ["create"]
    run("up", "--yes", "--skip-preview")
    made = spot_roles(iam)
    assert [role["RoleName"] for role in made] == ["AWSServiceRoleForEC2Spot"]

    # Found in every run from now on, and still this stack's own.
    assert planned(run) == {}
    run("up", "--yes", "--skip-preview")
    assert planned(run) == {}

    new_stack(run, "beside")
    assert planned_for_the_role(run) == ["import"]
    run("up", "--yes", "--skip-preview")
    assert planned(run) == {}

    run("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert spot_roles(iam) == made
    run("refresh", "--yes", "--skip-preview")
    assert planned(run) == {}

    run("stack", "select", "dev")
    assert planned_for_the_role(run) == ["import"]
    run("up", "--yes", "--skip-preview")
    assert planned(run) == {}
    assert spot_roles(iam) == made


@pytest.mark.feature("C-11")
def test_the_spot_role_of_somebody_else_is_adopted_as_it_is(
    on_engine: Callable[[str], Pulumi], iam: Any
):
    iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com", Description="theirs")
    tags = [{"Key": "owner", "Value": "them"}]
    iam.tag_role(RoleName="AWSServiceRoleForEC2Spot", Tags=tags)

    run = on_engine(SPOT_ROLE)
    assert planned_for_the_role(run) == ["import"]
    run("up", "--yes", "--skip-preview")
    assert planned(run) == {}
    run("refresh", "--yes", "--skip-preview")
    assert planned(run) == {}
    run("destroy", "--yes", "--skip-preview")

    kept = iam.get_role(RoleName="AWSServiceRoleForEC2Spot")["Role"]
    assert (kept["Description"], kept["Tags"]) == ("theirs", tags)


@pytest.mark.feature("A0-09")
def test_a_cluster_that_is_not_there_is_told_with_the_remedy_and_without_a_traceback(
    on_engine: Callable[[str], Pulumi],
):
    run = on_engine(THEIRS)
    refused = run("preview", fails=True)

    told = refused.stdout + refused.stderr
    assert "cluster.existing: AWS does not tell of a cluster theirs in eu-west-1" in told
    assert "`aws eks list-clusters --region eu-west-1` names those that are there" in told
    assert "ResourceNotFoundException" in told
    assert "Traceback" not in told
