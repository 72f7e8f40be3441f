"""The real Node Termination Handler drains nodes of a played Auto Scaling group."""

import datetime
import io
import json
import subprocess
import threading
import time

import pytest
import yaml
from lightkube.models import apps_v1, core_v1, policy_v1
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Node, Pod
from lightkube.resources.policy_v1 import PodDisruptionBudget
from rich.console import Console

from rehearsal import charts, lifecycle, toolchain
from rehearsal.clients import Cluster, aws_client
from rehearsal.interruptions.announcements import NOTICE_SECONDS, Kind, event
from rehearsal.interruptions.interruption import Interruption
from rehearsal.nodes import cluster, namespaces
from rehearsal.state import State
from tests.rehearsal.iam import once_iam_counts, until_pods_get_rights

pytestmark = pytest.mark.engine

REGION, ACCOUNT = "eu-west-1", "111122223333"
GROUP = "dev-spot"
TAG = "aws-node-termination-handler/dev"
CHART = "aws-node-termination-handler"
WEB = {"app": "web"}
REPLICAS, HEALTHY = 4, 3
SECONDS = 30
PATTERNS = {
    "spot": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]},
    "rebalance": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]},
    "hook": {
        "source": ["aws.autoscaling"],
        "detail-type": ["EC2 Instance-terminate Lifecycle Action"],
    },
    "health": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
}


class Played:
    """A spot group in two zones whose instances are nodes, and a safe node beside it."""

    def __init__(self, state):
        self.state, self.endpoints = state, state.endpoints
        services = ("ec2", "iam", "eks", "sqs", "events", "autoscaling")
        made = [aws_client(one, self.endpoints) for one in services]
        self.ec2, self.iam, self.eks, self.sqs, self.events, self.autoscaling = made
        self.client = cluster.connect(state, "tests")
        self.tools = toolchain.ensure(["kubectl", "render"])
        self.play = Interruption(state, Cluster(state), Console(file=io.StringIO(), width=200))

    def make_cluster(self):
        """EKS answers whose role a pod gets only for a cluster."""
        vpc = self.ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
        self.subnets = [
            self.ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"10.20.{number}.0/24", AvailabilityZone=f"{REGION}{zone}"
            )["Subnet"]["SubnetId"]
            for number, zone in enumerate("ab")
        ]
        role = self.role("cluster", {"Service": "eks.amazonaws.com"}, ["sts:AssumeRole"])
        arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
        self.iam.attach_role_policy(RoleName="cluster", PolicyArn=arn)
        once_iam_counts(
            self.eks.create_cluster,
            name="dev",
            version="1.35",
            roleArn=role,
            resourcesVpcConfig={"subnetIds": self.subnets},
            accessConfig={"authenticationMode": "API"},
        )
        wait(lambda: self.eks.describe_cluster(name="dev")["cluster"]["status"] == "ACTIVE")

    def role(self, name, principal, actions):
        statement = {"Effect": "Allow", "Principal": principal, "Action": actions}
        document = {"Version": "2012-10-17", "Statement": [statement]}
        made = self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(document))
        return made["Role"]["Arn"]

    def give_role(self, namespace, account):
        agent = {"Service": "pods.eks.amazonaws.com"}
        self.eks.create_pod_identity_association(
            clusterName="dev",
            namespace=namespace,
            serviceAccount=account,
            roleArn=self.role(account, agent, ["sts:AssumeRole", "sts:TagSession"]),
        )
        until_pods_get_rights(self.client, namespace, account)

    def make_queue(self):
        url = self.sqs.create_queue(QueueName="dev-handler")["QueueUrl"]
        asked = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        target = {"Id": "queue", "Arn": asked["Attributes"]["QueueArn"]}
        for name, pattern in PATTERNS.items():
            self.events.put_rule(Name=name, EventPattern=json.dumps(pattern))
            self.events.put_targets(Rule=name, Targets=[target])
        return url

    def make_group(self, name, size, tags):
        image = self.ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        self.ec2.create_launch_template(
            LaunchTemplateName=name, LaunchTemplateData={"ImageId": image}
        )
        template = {"LaunchTemplateName": name, "Version": "$Latest"}
        types = [{"InstanceType": "m5.large"}, {"InstanceType": "m5a.large"}]
        self.autoscaling.create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=size,
            MaxSize=4,
            DesiredCapacity=size,
            CapacityRebalance=True,
            LifecycleHookSpecificationList=[
                {
                    "LifecycleHookName": "drain",
                    "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
                    "HeartbeatTimeout": 300,
                    "DefaultResult": "CONTINUE",
                }
            ],
            VPCZoneIdentifier=",".join(self.subnets),
            MixedInstancesPolicy={
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": template,
                    "Overrides": types,
                },
                "InstancesDistribution": {
                    "OnDemandBaseCapacity": 0,
                    "OnDemandPercentageAboveBaseCapacity": 0,
                    "SpotAllocationStrategy": "capacity-optimized",
                },
            },
            Tags=[{"Key": key, "Value": "", "PropagateAtLaunch": True} for key in tags],
        )

    def instances(self):
        running = {"Name": "instance-state-name", "Values": ["running"]}
        ours = {"Name": "tag-key", "Values": ["aws:autoscaling:groupName"]}
        found = self.ec2.describe_instances(Filters=[running, ours])["Reservations"]
        return {
            one["PrivateDnsName"]: (one["Placement"]["AvailabilityZone"], one["InstanceId"])
            for each in found
            for one in each["Instances"]
        }

    def follow(self, stopping):
        """Play the kubelets: their user data is not what is looked at here."""
        while not stopping.wait(0.3):
            instances = self.instances()
            there = {
                n.metadata.name for n in self.client.list(Node, labels={"lifecycle": "Ec2Spot"})
            }
            for name in instances.keys() - there:
                self.make_node(name, "Ec2Spot", "aws:///{}/{}".format(*instances[name]))
            for name in there - instances.keys():
                self.client.delete(Node, name)

    def make_node(self, name, lifecycle, provider_id=None):
        labels = {
            "lifecycle": lifecycle,
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
        }
        resources = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        self.client.create(
            Node(
                metadata=ObjectMeta(
                    name=name, labels=labels, annotations={"kwok.x-k8s.io/node": "fake"}
                ),
                spec=core_v1.NodeSpec(providerID=provider_id),
                status=core_v1.NodeStatus(capacity=resources, allocatable=resources),
            )
        )

    def install(self, values):
        charts.assemble(self.state.charts)
        told = subprocess.run(
            [self.tools["render"], self.state.charts / CHART, CHART, "kube-system"],
            input=yaml.safe_dump(values),
            capture_output=True,
            text=True,
            check=True,
        )
        subprocess.run(
            [
                *(self.tools["kubectl"], "--kubeconfig", self.state.kubeconfig),
                *("apply", "--server-side", "--namespace=kube-system", "-f", "-"),
            ],
            input="\n---\n".join(json.loads(told.stdout).values()),
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wait(lambda: self.handlers() and all(is_ready(pod) for pod in self.handlers()))

    def handlers(self):
        labels = {"app.kubernetes.io/name": CHART}
        return list(self.client.list(Pod, namespace="kube-system", labels=labels))

    def serve(self):
        """A Deployment of four on spot, with a budget of one at a time."""
        affinity = core_v1.Affinity(
            nodeAffinity=core_v1.NodeAffinity(
                preferredDuringSchedulingIgnoredDuringExecution=[
                    core_v1.PreferredSchedulingTerm(
                        weight=100,
                        preference=core_v1.NodeSelectorTerm(
                            matchExpressions=[
                                core_v1.NodeSelectorRequirement("lifecycle", "In", ["Ec2Spot"])
                            ]
                        ),
                    )
                ]
            )
        )
        main = core_v1.Container(name="main", image="image")
        selector = LabelSelector(matchLabels=WEB)
        template = core_v1.PodTemplateSpec(
            metadata=ObjectMeta(labels=WEB),
            spec=core_v1.PodSpec(containers=[main], affinity=affinity),
        )
        where = ObjectMeta(name="web", namespace="default")
        spec = apps_v1.DeploymentSpec(replicas=REPLICAS, selector=selector, template=template)
        self.client.create(Deployment(metadata=where, spec=spec))
        budget = policy_v1.PodDisruptionBudgetSpec(maxUnavailable=1, selector=selector)
        self.client.create(PodDisruptionBudget(metadata=where, spec=budget))
        wait(lambda: len([pod for pod in self.web() if is_ready(pod)]) == REPLICAS)

    def web(self):
        return list(self.client.list(Pod, namespace="default", labels=WEB))

    def victim(self):
        """The fullest node of the handler's group."""
        nodes = [one for one in self.play.nodes() if one.owner.endswith(f" {GROUP}")]
        return max(nodes, key=lambda one: len(one.pods))

    def told(self):
        """All that the handlers have written."""
        logs = self.state.logs.glob(f"{CHART}-*.log")
        return "\n".join(log.read_text() for log in logs)


def wait(holds, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def is_ready(pod):
    conditions = (pod.status and pod.status.conditions) or []
    return any(one.type == "Ready" and one.status == "True" for one in conditions)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    if why := namespaces.missing():
        pytest.skip(f"the real handler cannot run here: {why}")
    state = State(tmp_path_factory.mktemp("played") / "state")
    stopping = threading.Event()
    try:
        lifecycle.start(state, region=REGION, account=ACCOUNT)
        made = Played(state)
        made.make_cluster()
        made.make_group(GROUP, 2, [TAG])
        # Of another cluster in the same account, say: its events come to the same queue.
        made.make_group("foreign", 1, [])
        made.make_node("safe", "OnDemand")
        kubelets = threading.Thread(target=made.follow, args=[stopping])
        kubelets.start()
        yield made
        stopping.set()
        kubelets.join()
        made.client.close()
    finally:
        stopping.set()
        lifecycle.stop(state)


@pytest.fixture(scope="module")
def queue_mode(played):
    """A spot interruption under the handler with a queue, after one of a foreign instance."""
    played.give_role("kube-system", CHART)
    played.install(
        {
            "enableSqsTerminationDraining": True,
            "queueURL": played.make_queue(),
            "awsRegion": REGION,
            "managedTag": TAG,
            "nodeSelector": {"lifecycle": "OnDemand"},
        }
    )
    played.serve()
    foreign = next(one for one in played.play.nodes() if one.owner.endswith(" foreign"))
    now = datetime.datetime.now(datetime.UTC)
    warned = event(Kind.SPOT, foreign.instance_id, played.endpoints, now)
    played.events.put_events(Entries=[warned])
    victim = played.victim()
    outcome = played.play.play(victim)
    return victim, outcome, played.client.get(Node, foreign.name)


@pytest.fixture(scope="module")
def left(played, queue_mode):  # noqa: ARG001 - one after the other, in one cluster
    """A node that its group ends by itself, once it and its pods are gone."""
    leaver = played.victim()
    played.autoscaling.terminate_instance_in_auto_scaling_group(
        InstanceId=leaver.instance_id, ShouldDecrementDesiredCapacity=False
    )
    wait(lambda: leaver.name not in {one.name for one in played.play.nodes()})
    wait(lambda: len([one for one in played.web() if is_ready(one)]) == REPLICAS)
    return leaver


@pytest.fixture(scope="module")
def imds_mode(played, left):  # noqa: ARG001 - one after the other, in one cluster
    """Maintenance under handlers that each ask their own instance's metadata."""
    played.client.delete(Deployment, CHART, namespace="kube-system")
    wait(lambda: not played.handlers())
    for log in played.state.logs.glob(f"{CHART}-*.log"):
        log.unlink()
    played.install({"daemonsetNodeSelector": {"lifecycle": "Ec2Spot"}, "taintNode": True})
    victim = played.victim()
    return victim, played.play.play(victim, Kind.MAINTENANCE)


@pytest.mark.feature("A0-20", "A4-02")
def test_an_interrupted_spot_node_is_drained_within_its_two_minutes(queue_mode):
    victim, outcome, _ = queue_mode

    assert (victim.capacity, outcome.failures()) == ("spot", [])
    assert outcome.drained[victim.name] < NOTICE_SECONDS / 2
    assert {one.node for one in outcome.moves} == {victim.name}
    assert {one.name for one in outcome.moves} == set(victim.pods)
    assert all(one.now_on not in {"", victim.name} for one in outcome.moves)
    assert [one.owner for one in outcome.new_nodes] == [victim.owner]


# Of an instance that was warned as well the handler may leave the hook to itself: it takes the
# group's event for done if that comes while the warning is at work (docs/troubleshooting.md).
@pytest.mark.feature("A0-20", "A4-02")
def test_a_node_that_its_group_ends_is_drained_before_its_hook_is_completed(played, left):
    def place(words, whose):
        lines = enumerate(played.told().splitlines())
        return next((at for at, line in lines if words in line and whose in line), None)

    # The handler writes so once the hook is completed, and the node may be gone by then.
    wait(lambda: place("Completed ASG Lifecycle Hook", left.instance_id) is not None)
    drained = place("Node successfully cordoned and drained", left.name)
    assert left.pods
    assert drained is not None
    assert drained < place("Completed ASG Lifecycle Hook", left.instance_id)


def test_a_drain_keeps_the_budgets_of_its_pods(queue_mode):
    _, outcome, _ = queue_mode

    (web,) = (one for one in outcome.budgets if one.name == "default/web")
    assert (web.desired, web.broken) == (HEALTHY, False)
    assert web.healthy >= HEALTHY


def test_an_event_about_an_instance_without_the_tag_is_left_alone(queue_mode):
    _, _, foreign = queue_mode

    assert not foreign.spec.unschedulable


def test_handlers_without_a_queue_each_drain_their_own_node(played, imds_mode):
    victim, outcome = imds_mode
    told = played.told()

    assert outcome.failures() == []
    assert {one.name for one in outcome.moves} == set(victim.pods) != set()
    assert outcome.drained[victim.name] < NOTICE_SECONDS / 2
    assert told.count("Node successfully cordoned and drained") == 1
    assert f'"instanceId":"{victim.instance_id}"' in told
