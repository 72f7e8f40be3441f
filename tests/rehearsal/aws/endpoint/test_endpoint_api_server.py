"""The played EKS on a real API server, scheduler and kwok."""

import itertools
import json
import time

import pytest

from components import versions
from rehearsal import lifecycle
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.kubernetes import ApiServer
from rehearsal.aws.eks_service.node_objects import GROUP_LABEL
from rehearsal.clients import aws_client
from rehearsal.state import State
from tests.rehearsal.iam import once_iam_counts

pytestmark = pytest.mark.engine
ACCOUNT, REGION, MINOR = "123456789012", "eu-west-1", "1.35"
TIMEOUT = 60.0  # seconds


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    state = State(tmp_path_factory.mktemp("rehearsal") / "state")
    lifecycle.start(state, region=REGION, account=ACCOUNT)
    yield state
    lifecycle.stop(state)


@pytest.fixture(scope="module")
def kubernetes(started):
    server = ApiServer(started.kubeconfig)
    yield server
    server.close()


@pytest.fixture(scope="module")
def cluster(started):
    """An EKS client of a cluster without nodes, its subnets and a maker of roles."""
    clients = {name: aws_client(name, started.endpoints) for name in ("ec2", "iam", "eks")}
    vpc = clients["ec2"].create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        clients["ec2"].create_subnet(
            VpcId=vpc, CidrBlock=f"10.20.{i}.0/24", AvailabilityZone=f"{REGION}{zone}"
        )["Subnet"]["SubnetId"]
        for i, zone in enumerate("ab")
    ]

    def role(service, *policies, actions=("sts:AssumeRole",)):
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": list(actions),
        }
        name = service.partition(".")[0]
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        made = clients["iam"].create_role(RoleName=name, AssumeRolePolicyDocument=trust)
        for policy in policies:
            arn = f"arn:aws:iam::aws:policy/{policy}"
            clients["iam"].attach_role_policy(RoleName=name, PolicyArn=arn)
        return made["Role"]["Arn"]

    eks = clients["eks"]
    once_iam_counts(
        eks.create_cluster,
        name="demo",
        version=MINOR,
        roleArn=role("eks.amazonaws.com", "AmazonEKSClusterPolicy"),
        resourcesVpcConfig={"subnetIds": subnets},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    until(lambda: eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE")
    yield eks, subnets, role
    for client in clients.values():
        client.close()


def until(done):
    deadline = time.monotonic() + TIMEOUT
    while not done():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)


def until_admitted(kubernetes, metadata, well):
    """Make pods with this metadata until one is admitted well."""
    numbers = itertools.count()

    def known():
        one = pod(f"probe-{next(numbers)}", **metadata)
        kubernetes.apply([one])
        return well(kubernetes.get(one))

    until(known)


def pod(name, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "apps", **metadata},
        "spec": {"containers": [{"name": "c", "image": "i"}], "schedulerName": "nobody"},
    }


DAEMON_SET = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "daemons", "namespace": "apps"},
    "spec": {
        "selector": {"matchLabels": {"of": "daemons"}},
        "template": {
            "metadata": {"labels": {"of": "daemons"}},
            "spec": {
                "containers": [{"name": "c", "image": "i"}],
                "nodeSelector": {"no": "node"},
            },
        },
    },
}
"""Has no pod: owns one only for the test."""


@pytest.mark.behaviour("fargate-webhook-race-default-scheduler", "fargate-coredns-kept-on-ec2")
def test_pods_of_a_profile_go_to_fargate_once_its_webhook_knows_it_and_no_others(
    cluster, kubernetes
):
    eks, subnets, role = cluster
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}}
    account = {"kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "apps"}}
    kubernetes.apply([namespace, {"apiVersion": "v1", **account}])
    once_iam_counts(
        eks.create_fargate_profile,
        clusterName="demo",
        fargateProfileName="apps_1",
        podExecutionRoleArn=role("eks-fargate-pods.amazonaws.com"),
        subnets=subnets,
        selectors=[{"namespace": "a*", "labels": {"tier": "we?"}}, {"namespace": "other"}],
    )

    def profiles():
        return eks.list_fargate_profiles(clusterName="demo")["fargateProfileNames"]

    def status():
        asked = {"clusterName": "demo", "fargateProfileName": "apps_1"}
        return eks.describe_fargate_profile(**asked)["fargateProfile"]["status"]

    until(lambda: status() == "ACTIVE")
    web = {"tier": "web"}
    kubernetes.apply([pod("too-early", labels=web), DAEMON_SET])
    until_admitted(
        kubernetes, {"labels": web}, lambda one: one["spec"]["schedulerName"] != "nobody"
    )
    owner = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "name": "daemons",
        "uid": kubernetes.get(DAEMON_SET)["metadata"]["uid"],
    }
    label = "eks.amazonaws.com/fargate-profile"
    pods = {
        "too-early": pod("too-early", labels=web),
        "selected": pod("selected", labels=web),
        "without-labels": pod("without-labels"),
        "other-label": pod("other-label", labels={"tier": "web2"}),
        "for-ec2": pod(
            "for-ec2", labels=web, annotations={"eks.amazonaws.com/compute-type": "ec2"}
        ),
        "of-a-daemon-set": pod("of-a-daemon-set", labels=web, ownerReferences=[owner]),
        "of-another-profile": pod("of-another-profile", labels={**web, label: "another"}),
    }
    kubernetes.apply(one for name, one in pods.items() if name != "too-early")

    found = {name: kubernetes.get(one) for name, one in pods.items()}
    schedulers = {name: one["spec"]["schedulerName"] for name, one in found.items()}
    assert schedulers == {**dict.fromkeys(pods, "nobody"), "selected": "fargate-scheduler"}
    assert found["selected"]["metadata"]["labels"][label] == "apps_1"

    kubernetes.delete([DAEMON_SET])
    eks.delete_fargate_profile(clusterName="demo", fargateProfileName="apps_1")
    until(lambda: profiles() == [])
    assert kubernetes.get(pods["selected"]) is None
    assert kubernetes.get(pods["for-ec2"]) is not None
    assert kubernetes.list("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy") == []


@pytest.mark.behaviour("pod-identity-association-late")
def test_pods_get_the_variables_of_pod_identity_once_its_webhook_knows_the_association(
    cluster, kubernetes
):
    eks, _, role = cluster
    whose = {"namespace": "joining", "serviceAccount": "writer"}
    account = {"kind": "ServiceAccount", "metadata": {"name": "writer", "namespace": "joining"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "joining"}}
    kubernetes.apply([namespace, {"apiVersion": "v1", **account}])

    def mine(name):
        one = pod(name)
        one["metadata"]["namespace"] = "joining"
        one["spec"]["serviceAccountName"] = "writer"
        return one

    arn = role("pods.eks.amazonaws.com", actions=["sts:AssumeRole", "sts:TagSession"])
    made = eks.create_pod_identity_association(clusterName="demo", **whose, roleArn=arn)
    kubernetes.apply([mine("too-early")])

    def variables(name):
        return [
            each["name"]
            for each in kubernetes.get(mine(name))["spec"]["containers"][0].get("env", [])
        ]

    numbers = itertools.count()

    def known():
        name = f"probe-{next(numbers)}"
        kubernetes.apply([mine(name)])
        return variables(name)

    until(known)
    assert variables("too-early") == []
    assert sorted(known()) == [
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ]
    association = made["association"]["associationId"]
    eks.delete_pod_identity_association(clusterName="demo", associationId=association)
    kubernetes.delete([namespace])


def test_addons_run_on_a_node_group_and_go_with_it(cluster, kubernetes):
    eks, subnets, role = cluster
    names = list(versions.EKS_ADDONS[MINOR])
    group = {"clusterName": "demo", "nodegroupName": "base"}

    def addon_status(name):
        return eks.describe_addon(clusterName="demo", addonName=name)["addon"]["status"]

    for name in names:
        eks.create_addon(clusterName="demo", addonName=name)
    until(lambda: addon_status("vpc-cni") == "ACTIVE")
    assert addon_status("coredns") == "CREATING"

    once_iam_counts(
        eks.create_nodegroup,
        **group,
        nodeRole=role("ec2.amazonaws.com"),
        subnets=subnets,
        scalingConfig={"minSize": 2, "maxSize": 2, "desiredSize": 2},
        instanceTypes=["m7g.large"],
        amiType="AL2023_ARM_64_STANDARD",
    )

    until(lambda: all(addon_status(name) == "ACTIVE" for name in names))
    nodes = kubernetes.list("v1", "Node", {GROUP_LABEL: "base"})
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes]
    assert sorted(zones) == [f"{REGION}a", f"{REGION}b"]
    assert {node["status"]["allocatable"]["cpu"] for node in nodes} == {"1930m"}
    assert {node["status"]["allocatable"]["pods"] for node in nodes} == {"29"}

    eks.delete_nodegroup(**group)
    until(lambda: eks.list_nodegroups(clusterName="demo")["nodegroups"] == [])
    for name in names:
        eks.delete_addon(clusterName="demo", addonName=name)
    until(lambda: eks.list_addons(clusterName="demo")["addons"] == [])
    assert kubernetes.list("v1", "Node", {GROUP_LABEL: "base"}) == []
    until(lambda: kubernetes.list("v1", "Pod", {"k8s-app": "aws-node"}) == [])
    for kind in ("Deployment", "DaemonSet"):
        assert kubernetes.list("apps/v1", kind) == []


def test_an_api_server_that_is_gone_is_an_error_and_not_silence(tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "{apiVersion: v1, kind: Config, current-context: c,"
        " clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}],"
        " contexts: [{name: c, context: {cluster: c, user: u}}],"
        " users: [{name: u, user: {token: t}}]}"
    )

    for server in (ApiServer(kubeconfig), ApiServer(tmp_path / "missing")):
        with pytest.raises(AwsError) as caught:
            server.check()
        server.close()
        assert "API server does not answer" in caught.value.message
        assert caught.value.message.endswith("then try again")
