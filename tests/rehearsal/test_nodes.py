import json
import os
import signal
import subprocess
import time

import boto3
import pytest
import yaml
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.client import Client
from lightkube.models import core_v1
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Event, Namespace, Node, Pod, ServiceAccount

from rehearsal import charts, lifecycle, toolchain
from rehearsal.errors import RehearsalError
from rehearsal.nodes import fargate, fargate_sizes
from rehearsal.nodes.container_env import UnreadableError, environment
from rehearsal.nodes.pod_credentials import untrusted
from rehearsal.processes import Processes
from rehearsal.state import State
from tests.rehearsal.iam import once_iam_counts

REGION, ACCOUNT = "eu-west-1", "111122223333"
SECONDS = 40
ISSUER = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
PROVIDER = f"arn:aws:iam::111122223333:oidc-provider/{ISSUER}"
APPLY = ("apply", "--server-side", "--force-conflicts", "-f", "-")
ROLE_ARN = "eks.amazonaws.com/role-arn"


def container(**requests):
    resources = core_v1.ResourceRequirements(requests=requests) if requests else None
    return core_v1.Container(name="main", image="image", resources=resources)


def spec(*containers, **fields):
    return core_v1.PodSpec(containers=list(containers) or [container()], **fields)


@pytest.mark.parametrize(
    ("requests", "size"),
    [
        ({}, "0.25vCPU 0.5GB"),
        ({"cpu": "250m", "memory": "256Mi"}, "0.25vCPU 0.5GB"),
        # With the 256 MiB that Fargate adds.
        ({"cpu": "250m", "memory": "257Mi"}, "0.25vCPU 1GB"),
        ({"cpu": "0.251"}, "0.5vCPU 1GB"),
        ({"cpu": "1", "memory": "1Gi"}, "1vCPU 2GB"),
        ({"cpu": "100m", "memory": "7G"}, "1vCPU 7GB"),
        ({"cpu": "16", "memory": "119Gi"}, "16vCPU 120GB"),
    ],
)
def test_a_pod_gets_the_smallest_size_that_holds_it(requests, size):
    assert fargate_sizes.shown(fargate_sizes.size_for(spec(container(**requests)))) == size


def test_requests_add_up_and_a_large_init_container_counts():
    both = spec(container(cpu="1"), container(cpu="1"))
    init = spec(container(cpu="1"), initContainers=[container(cpu="4")])

    assert [fargate_sizes.size_for(one)[0] for one in (both, init)] == [2, 4]


@pytest.mark.parametrize(
    ("pod", "why"),
    [
        (spec(hostNetwork=True), "fields not supported: hostNetwork"),
        (
            spec(
                core_v1.Container(
                    name="a", securityContext=core_v1.SecurityContext(privileged=True)
                )
            ),
            "invalid SecurityContext fields: Privileged",
        ),
        (
            spec(
                volumes=[
                    core_v1.Volume(name="logs", hostPath=core_v1.HostPathVolumeSource(path="/"))
                ]
            ),
            "volumes not supported: logs of type hostPath",
        ),
        (
            spec(container(**{"nvidia.com/gpu": "1"})),
            "resources not supported: nvidia.com/gpu",
        ),
        (spec(container(cpu="17")), "exceed the largest size, 16 vCPU and 120 GiB"),
    ],
)
def test_what_fargate_does_not_run_is_told(pod, why):
    assert fargate_sizes.unsupported(pod).endswith(why)


def test_a_pod_of_a_daemon_set_does_not_run_on_fargate():
    assert fargate_sizes.unsupported(spec(), ["DaemonSet"]) == "DaemonSets are not supported"
    assert fargate_sizes.unsupported(spec(), ["ReplicaSet"]) is None


def test_nodes_are_spread_over_the_zones_of_the_profile_and_have_addresses_of_their_own():
    subnets = [
        fargate.Subnet(id="subnet-a", zone="eu-west-1a", cidr="10.20.0.0/24"),
        fargate.Subnet(id="subnet-b", zone="eu-west-1b", cidr="10.20.1.0/24"),
    ]
    nodes = []
    for _ in range(4):
        nodes.append(fargate.node_for(Pod(spec=spec()), subnets, nodes, REGION))

    zones = [node.metadata.labels["topology.kubernetes.io/zone"] for node in nodes]
    assert zones == ["eu-west-1a", "eu-west-1b"] * 2
    assert nodes[0].metadata.name == "fargate-ip-10-20-0-11.eu-west-1.compute.internal"
    assert len({node.metadata.name for node in nodes}) == len(nodes)


def test_a_full_subnet_is_told():
    subnet = fargate.Subnet(id="subnet-a", zone="eu-west-1a", cidr="10.20.0.0/28")
    nodes = []
    for _ in range(4):
        nodes.append(fargate.node_for(Pod(spec=spec()), [subnet], nodes, REGION))

    with pytest.raises(LookupError, match=r"subnet-a \(10\.20\.0\.0/28\) has no free address"):
        fargate.node_for(Pod(spec=spec()), [subnet], nodes, REGION)


def trust(**changes):
    claims = {f"{ISSUER}:sub": "system:serviceaccount:a:b", f"{ISSUER}:aud": "sts.amazonaws.com"}
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": PROVIDER},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {"StringEquals": claims},
    }
    return {"Version": "2012-10-17", "Statement": [statement | changes]}


def refusal(document, namespace="a"):
    claims = {
        f"{ISSUER}:sub": f"system:serviceaccount:{namespace}:b",
        f"{ISSUER}:aud": "sts.amazonaws.com",
    }
    return untrusted(document, "sts:AssumeRoleWithWebIdentity", PROVIDER, claims)


@pytest.mark.parametrize(
    "document",
    [
        trust(),
        trust(Action=["sts:TagSession", "sts:AssumeRoleWithWebIdentity"]),
        trust(Action="sts:*"),
        trust(Condition={"StringLike": {f"{ISSUER}:sub": "system:serviceaccount:a:*"}}),
        trust(Condition={"StringEquals": {f"{ISSUER}:sub": ["x", "system:serviceaccount:a:b"]}}),
        trust(Condition={}),
    ],
)
def test_a_role_that_trusts_the_service_account_is_granted(document):
    assert refusal(document) is None


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (trust(Action="sts:AssumeRole"), "does not allow sts:AssumeRoleWithWebIdentity"),
        (trust(Principal={"Service": "ec2.amazonaws.com"}), "does not allow"),
        (trust(Effect="Deny"), "denies sts:AssumeRoleWithWebIdentity"),
        (trust(Condition={"StringEquals": {f"{ISSUER}:aud": "other"}}), ":aud StringEquals"),
        (trust(Condition={"StringEquals": {"other/id:sub": "x"}}), "but it is None"),
        # What is not understood is not met.
        (trust(Condition={"DateGreaterThan": {f"{ISSUER}:sub": "x"}}), "DateGreaterThan"),
    ],
)
def test_a_role_that_does_not_trust_it_is_refused_with_the_reason(document, why):
    assert why in refusal(document)


def test_the_subject_of_another_namespace_is_refused():
    assert "but it is 'system:serviceaccount:other:b'" in refusal(trust(), namespace="other")


def pod_with(*variables, **fields):
    resources = core_v1.ResourceRequirements(requests={"cpu": "1.5"}, limits={"memory": "1Gi"})
    main = core_v1.Container(name="main", env=list(variables), resources=resources, **fields)
    return Pod(metadata=ObjectMeta(name="pod", namespace="platform"), spec=spec(main))


def variable(name, value=None, **source):
    return core_v1.EnvVar(
        name=name, value=value, valueFrom=core_v1.EnvVarSource(**source) if source else None
    )


def test_variables_come_from_values_fields_and_resources():
    where = core_v1.ObjectFieldSelector(fieldPath="metadata.namespace")
    cpu = core_v1.ResourceFieldSelector(resource="requests.cpu", divisor="1m")
    memory = core_v1.ResourceFieldSelector(resource="limits.memory", divisor="0")

    told = environment(
        pod_with(
            variable("PLAIN", "value"),
            variable("SYSTEM_NAMESPACE", fieldRef=where),
            variable("CPU_REQUESTS", resourceFieldRef=cpu),
            variable("MEMORY_LIMIT", resourceFieldRef=memory),
        )
    )

    assert told == {
        "PLAIN": "value",
        "SYSTEM_NAMESPACE": "platform",
        "CPU_REQUESTS": "1500",
        "MEMORY_LIMIT": str(1024**3),
    }


def test_a_variable_from_elsewhere_is_told_by_its_name():
    secret = core_v1.SecretKeySelector(key="token", name="secret")

    with pytest.raises(UnreadableError, match="variable TOKEN comes from a Secret"):
        environment(pod_with(variable("TOKEN", secretKeyRef=secret)))
    with pytest.raises(UnreadableError, match="takes variables with envFrom"):
        environment(pod_with(envFrom=[core_v1.EnvFromSource()]))


class Played:
    """A running rehearsal with a cluster and a Fargate profile for two namespaces."""

    def __init__(self, state):
        self.state, self.endpoints = state, state.endpoints
        self.client = Client(config=KubeConfig.from_file(state.kubeconfig).get(), trust_env=False)
        self.tools = toolchain.ensure(["kubectl", "render"])
        self.iam, self.eks, self.ec2, self.sqs = map(self.aws, ("iam", "eks", "ec2", "sqs"))
        self.issuer = self.provider = ""

    def aws(self, service):
        return boto3.client(
            service,
            endpoint_url=self.endpoints["aws"],
            region_name=REGION,
            aws_access_key_id="rehearsal",
            aws_secret_access_key="rehearsal",
        )

    def role(self, name, document, policy=None):
        made = self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(document))[
            "Role"
        ]["Arn"]
        if policy:
            arn = f"arn:aws:iam::aws:policy/{policy}"
            self.iam.attach_role_policy(RoleName=name, PolicyArn=arn)
        return made

    def make_cluster(self):
        vpc = self.ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            self.ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"10.20.{number}.0/24", AvailabilityZone=f"{REGION}{zone}"
            )["Subnet"]["SubnetId"]
            for number, zone in enumerate("ab")
        ]
        cluster = self.role("cluster", service("eks"), "AmazonEKSClusterPolicy")
        pods = self.role(
            "pods", service("eks-fargate-pods"), "AmazonEKSFargatePodExecutionRolePolicy"
        )
        once_iam_counts(
            self.eks.create_cluster,
            name="dev",
            version="1.35",
            roleArn=cluster,
            resourcesVpcConfig={"subnetIds": subnets},
            accessConfig={"authenticationMode": "API"},
        )
        wait(lambda: self.eks.describe_cluster(name="dev")["cluster"]["status"] == "ACTIVE")
        url = self.eks.describe_cluster(name="dev")["cluster"]["identity"]["oidc"]["issuer"]
        self.issuer = url.removeprefix("https://")
        self.provider = self.iam.create_open_id_connect_provider(
            Url=url, ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
        )["OpenIDConnectProviderArn"]
        profile = {"clusterName": "dev", "fargateProfileName": "platform"}
        once_iam_counts(
            self.eks.create_fargate_profile,
            **profile,
            podExecutionRoleArn=pods,
            subnets=subnets,
            selectors=[{"namespace": "karpenter"}, {"namespace": "apps"}],
        )
        wait(
            lambda: (
                self.eks.describe_fargate_profile(**profile)["fargateProfile"]["status"] == "ACTIVE"
            )
        )

    def wait_for_webhook(self):
        """Until pods of the profile are sent to Fargate, some seconds after it is ACTIVE."""
        tried = []

        def is_known():
            tried.append(f"early-{len(tried)}")
            self.pod(tried[-1])
            return self.get(tried[-1]).spec.schedulerName == fargate.SCHEDULER

        wait(is_known)
        for name in tried:
            self.client.delete(Pod, name, namespace="apps")

    def irsa(self, subject):
        claims = {
            f"{self.issuer}:sub": f"system:serviceaccount:{subject}",
            f"{self.issuer}:aud": "sts.amazonaws.com",
        }
        principal = {"Federated": self.provider}
        return trust(Principal=principal, Condition={"StringEquals": claims})

    def apply(self, text):
        subprocess.run(
            [self.tools["kubectl"], "--kubeconfig", self.state.kubeconfig, *APPLY],
            input=text,
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def install(self, chart, values):
        charts.assemble(self.state.charts)
        told = subprocess.run(
            [self.tools["render"], self.state.charts / chart, chart, "karpenter"],
            input=yaml.safe_dump(values),
            capture_output=True,
            text=True,
            check=True,
        )
        self.apply("\n---\n".join(json.loads(told.stdout).values()))

    def pod(self, name, namespace="apps", **fields):
        metadata = ObjectMeta(name=name, namespace=namespace)
        self.client.create(Pod(metadata=metadata, spec=spec(**fields)))

    def get(self, name, namespace="apps"):
        return self.client.get(Pod, name, namespace=namespace)

    def events(self, namespace, reason):
        listed = self.client.list(Event, namespace=namespace)
        return [event.message for event in listed if event.reason == reason]


def service(name):
    principal = {"Service": f"{name}.amazonaws.com"}
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}],
    }


def wait(holds, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def is_ready(pod):
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions or [])


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    state = State(tmp_path_factory.mktemp("played") / "state")
    try:
        lifecycle.start(state, region=REGION, account=ACCOUNT)
        made = Played(state)
        made.make_cluster()
        for namespace in ("karpenter", "apps"):
            made.client.create(Namespace(metadata=ObjectMeta(name=namespace)))
        made.wait_for_webhook()
        yield made
        made.client.close()
    finally:
        lifecycle.stop(state)


@pytest.mark.engine
def test_a_pod_that_a_profile_selects_runs_on_a_node_of_its_own(played):
    played.pod("one")
    played.pod("two")

    wait(lambda: is_ready(played.get("one")) and is_ready(played.get("two")))
    pods = [played.get(name) for name in ("one", "two")]
    nodes = [played.client.get(Node, pod.spec.nodeName) for pod in pods]
    assert nodes[0].metadata.name != nodes[1].metadata.name
    for pod, node in zip(pods, nodes, strict=True):
        assert node.metadata.labels["eks.amazonaws.com/compute-type"] == "fargate"
        assert "eks.amazonaws.com/compute-type" in [taint.key for taint in node.spec.taints]
        assert pod.metadata.annotations["CapacityProvisioned"] == "0.25vCPU 0.5GB"
        assert pod.status.podIP == node.status.addresses[0].address
        # By this label Karpenter's simulated fleet would take the node for its own.
        assert "kwok.x-k8s.io/node" not in node.metadata.labels


@pytest.mark.engine
def test_the_node_of_a_deleted_pod_goes(played):
    played.pod("short")
    node = wait(lambda: played.get("short").spec.nodeName)
    played.client.delete(Pod, "short", namespace="apps")

    wait(lambda: node not in [one.metadata.name for one in played.client.list(Node)])


@pytest.mark.engine
def test_a_pod_that_fargate_cannot_run_stays_pending_with_an_event(played):
    played.pod("host", hostNetwork=True)

    expected = "Pod not supported on Fargate: fields not supported: hostNetwork"
    wait(lambda: expected in played.events("apps", "FailedScheduling"))
    assert played.get("host").spec.nodeName is None


@pytest.mark.engine
@pytest.mark.behaviour("irsa-oidc-provider-missing-or-late")
def test_a_pod_whose_role_does_not_trust_it_crashes_until_the_role_does(played):
    arn = played.role("writer", played.irsa("apps:other"))
    account = ObjectMeta(name="writer", namespace="apps", annotations={ROLE_ARN: arn})
    played.client.create(ServiceAccount(metadata=account))
    played.pod("writer", serviceAccountName="writer")

    wait(lambda: played.get("writer").status.containerStatuses)
    crashed = played.get("writer")
    state = crashed.status.containerStatuses[0].state.waiting
    assert not is_ready(crashed)
    assert state.reason == "CrashLoopBackOff"
    assert f"{arn} cannot be taken on by system:serviceaccount:apps:writer" in state.message
    document = json.dumps(played.irsa("apps:writer"))
    played.iam.update_assume_role_policy(RoleName="writer", PolicyDocument=document)
    wait(lambda: is_ready(played.get("writer")))


def karpenter_values(role=None):
    resources = {"cpu": "1", "memory": "1Gi"}
    return {
        "settings": {"clusterName": "dev", "interruptionQueue": "dev"},
        "dnsPolicy": "Default",
        "serviceAccount": {"annotations": {ROLE_ARN: role} if role else {}},
        "controller": {
            "resources": {"requests": resources, "limits": resources},
            "env": [{"name": "AWS_REGION", "value": REGION}],
        },
    }


@pytest.mark.engine
def test_the_real_karpenter_runs_with_its_pods_rights_and_only_while_they_are_there(played):
    played.sqs.create_queue(QueueName="dev")
    played.install("karpenter-crd", {})
    processes = Processes(played.state)

    # Fargate has no Pod Identity: without a role of IRSA there are no credentials.
    played.install("karpenter", karpenter_values())
    wait(lambda: played.events("karpenter", "BackOff"))
    assert "EKS Pod Identity does not work on Fargate" in played.events("karpenter", "BackOff")[0]
    assert processes.find("karpenter") is None
    deployment = played.client.get(Deployment, "karpenter", namespace="karpenter")
    assert not deployment.status.readyReplicas

    role = played.role("karpenter", played.irsa("karpenter:karpenter"))
    played.install("karpenter", karpenter_values(role))

    def ready_replicas():
        found = played.client.get(Deployment, "karpenter", namespace="karpenter")
        return found.status.readyReplicas == found.spec.replicas

    wait(ready_replicas)
    first = processes.find("karpenter")
    assert first.alive

    # A crash of the controller is a crash of its pods, and it is started again.
    os.kill(first.pid, signal.SIGKILL)
    ended = "the controller was ended by SIGKILL"
    wait(lambda: any(ended in one for one in played.events("karpenter", "BackOff")))
    wait(lambda: (found := processes.find("karpenter")) and found.pid != first.pid)
    wait(ready_replicas)

    played.client.delete(Deployment, "karpenter", namespace="karpenter")
    wait(lambda: processes.find("karpenter") is None)


@pytest.mark.engine
def test_a_second_start_leaves_a_running_rehearsal_as_it_is(played):
    before = [record.pid for record in Processes(played.state).all()]

    assert lifecycle.start(played.state, region=REGION, account=ACCOUNT) == played.endpoints
    assert [record.pid for record in Processes(played.state).all()] == before
    with pytest.raises(RehearsalError, match=r"not us-east-1 of 111122223333: .*with --state$"):
        lifecycle.start(played.state, region="us-east-1", account=ACCOUNT)
    with pytest.raises(RehearsalError, match=r"`./frugal-eks rehearse stop` first$"):
        lifecycle.wipe(played.state)


@pytest.mark.engine
def test_two_rehearsals_at_once_do_not_disturb_each_other(played, tmp_path):
    other = State(tmp_path / "other")
    try:
        endpoints = lifecycle.start(other, region="us-east-1", account="444455556666")
        assert set(endpoints.values()) & set(played.endpoints.values()) == set()
        lifecycle.require_running(played.state)
    finally:
        ended = lifecycle.stop(other)
    lifecycle.wipe(other)

    assert "kube-apiserver" in ended
    lifecycle.require_running(played.state)
    with pytest.raises(RehearsalError, match=r"`./frugal-eks rehearse start` starts one$"):
        lifecycle.require_running(other)
