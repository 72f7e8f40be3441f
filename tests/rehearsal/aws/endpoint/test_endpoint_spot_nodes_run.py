"""Spot nodes of a program's own group in a real API server, with a real scheduler and kwok."""

import json
import time
import urllib.request

import pytest

from rehearsal import lifecycle
from rehearsal.aws.eks_service.kubernetes import ApiServer
from rehearsal.clients import aws_client
from rehearsal.state import State
from tests.rehearsal.aws.endpoint.conftest import Aws
from tests.rehearsal.aws.endpoint.groups import HOOK, Groups, mime, node_config
from tests.rehearsal.iam import once_iam_counts

pytestmark = pytest.mark.engine
ACCOUNT, REGION = "123456789012", "eu-central-1"
TIMEOUT = 60.0  # seconds
FLAGS = (
    "--node-labels=lifecycle=Ec2Spot",
    "--register-with-taints=spotInstance=true:PreferNoSchedule",
)
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "containers": [{"name": "c", "image": "i"}],
        "nodeSelector": {"lifecycle": "Ec2Spot"},
    },
}


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    state = State(tmp_path_factory.mktemp("rehearsal") / "state")
    lifecycle.start(state, region=REGION, account=ACCOUNT)
    yield state
    lifecycle.stop(state)


@pytest.fixture(scope="module")
def aws(started):
    """The played AWS with the cluster demo, on the real API server."""
    server = ApiServer(started.kubeconfig)
    clients = {}

    def client(service):
        if service not in clients:
            clients[service] = aws_client(service, started.endpoints)
        return clients[service]

    aws = Aws(server, None, client)
    aws.vpc = client("ec2").create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    aws.subnets = [aws.subnet(f"10.20.{i}.0/24", zone) for i, zone in enumerate("abc")]
    account = {"kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "default"}}
    server.apply([{"apiVersion": "v1", **account}])
    once_iam_counts(aws.eks.create_cluster, **aws.cluster_arguments())
    until(lambda: aws.eks.describe_cluster(name="demo")["cluster"]["status"] == "ACTIVE")
    yield aws
    server.close()
    for one in clients.values():
        one.close()


def until(done):
    deadline = time.monotonic() + TIMEOUT
    while not (found := done()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)
    return found


def ready(kubernetes):
    """Names of the nodes that kwok brought up."""
    return {
        node["metadata"]["name"]
        for node in kubernetes.list("v1", "Node", {"lifecycle": "Ec2Spot"})
        for condition in node["status"].get("conditions", [])
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }


def test_spot_nodes_run_pods_and_go_with_their_instances(aws, started):
    groups, kubernetes = Groups(aws), aws.kubernetes
    groups.let_in()
    cluster = aws.eks.describe_cluster(name="demo")["cluster"]
    ca = cluster["certificateAuthority"]["data"]
    user_data = mime(
        node_config("demo", *FLAGS, apiServerEndpoint=cluster["endpoint"], certificateAuthority=ca)
    )
    name = groups.make(1, data={"UserData": user_data}, LifecycleHookSpecificationList=[HOOK])

    first = until(lambda: ready(kubernetes))
    kubernetes.apply([POD])
    until(lambda: kubernetes.get(POD)["status"].get("phase") == "Running")
    (instance,) = groups.states(name)
    url = f"{started.endpoints['aws']}/_rehearsal/spot-interruption?instance={instance}&seconds=1"
    with urllib.request.urlopen(urllib.request.Request(url, method="POST")) as answer:
        assert json.loads(answer.read())["group"] == name
    second = until(lambda: ready(kubernetes) - first)

    until(lambda: ready(kubernetes) == second)
    assert kubernetes.get(POD) is None
    sizes = {"MinSize": 0, "MaxSize": 0, "DesiredCapacity": 0}
    aws.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=name, **sizes)
    (waiting,) = groups.states(name)
    assert ready(kubernetes) == second
    aws.client("autoscaling").complete_lifecycle_action(
        AutoScalingGroupName=name,
        LifecycleHookName="drain",
        InstanceId=waiting,
        LifecycleActionResult="CONTINUE",
    )
    until(lambda: not ready(kubernetes))
    groups.clear()
