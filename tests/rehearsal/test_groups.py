"""Auto Scaling groups: what the Cluster Autoscaler would see, and what `run` plays with them."""

import io
import types

import pytest
from rich.console import Console

from rehearsal import groups
from rehearsal.errors import RehearsalError
from rehearsal.group_members import Member, Members
from rehearsal.groups import Group, groups_now
from rehearsal.interruptions import spot_commands, spot_report
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.spot_commands import SpotCommands
from rehearsal.interruptions.spot_report import groups_table
from rehearsal.nodes_now import Node, nodes_now
from rehearsal.stack_file import StackFile

ENDPOINTS = {"apiServer": "", "aws": "", "region": "eu-west-1", "account": "111122223333"}
CA = "k8s.io/cluster-autoscaler"
TAGS = {
    "frugal-eks/node-group": "ng-spot",
    f"{CA}/enabled": "true",
    f"{CA}/dev": "owned",
    f"{CA}/node-template/label/lifecycle": "Ec2Spot",
    f"{CA}/node-template/taint/spotInstance": "true:PreferNoSchedule",
}


def ec2_instance(name, lifecycle=None, state="running", **tags):
    return {
        "InstanceId": name,
        "InstanceType": "m5.large",
        "Placement": {"AvailabilityZone": "eu-west-1a"},
        "State": {"Name": state},
        "Tags": [{"Key": key.replace("_", ":"), "Value": value} for key, value in tags.items()],
        **({"InstanceLifecycle": lifecycle} if lifecycle else {}),
    }


class PlayedAws:
    """EC2 and Auto Scaling of one group."""

    def __init__(self, *instances, tags=TAGS):
        self.instances, self.tags, self.desired, self.asked = list(instances), tags, 2, 0

    def describe_instances(self, Filters):
        self.asked += 1
        (chosen,) = Filters
        found = [one for one in self.instances if one["InstanceId"] in chosen["Values"]]
        return {"Reservations": [{"Instances": found}]}

    def describe_auto_scaling_groups(self):
        group = {
            "AutoScalingGroupName": "dev-ng-spot",
            "MinSize": 2,
            "DesiredCapacity": self.desired,
            "MaxSize": 3,
            "Instances": [{"InstanceId": one["InstanceId"]} for one in self.instances],
            "Tags": [{"Key": key, "Value": value} for key, value in self.tags.items()],
        }
        return {"AutoScalingGroups": [group]}

    def set_desired_capacity(self, AutoScalingGroupName, DesiredCapacity, HonorCooldown):
        assert (AutoScalingGroupName, HonorCooldown) == ("dev-ng-spot", False)
        self.desired = DesiredCapacity
        self.instances.append(ec2_instance(f"i-{DesiredCapacity}", "spot"))


@pytest.fixture
def aws(monkeypatch):
    played = PlayedAws(ec2_instance("i-1", "spot"), ec2_instance("i-2"))
    for module in ("groups", "group_members"):
        monkeypatch.setattr(f"rehearsal.{module}.aws_client", lambda *_: played)
    return played


def shown(table):
    console = Console(file=io.StringIO(), width=240)
    console.print(table)
    return console.file.getvalue()


@pytest.mark.feature("A3-16")
def test_a_group_says_its_size_its_instances_and_the_tags_of_the_autoscaler(aws):
    aws.instances.append(ec2_instance("i-9", "spot", state="terminated"))

    (group,) = groups_now(ENDPOINTS)
    text = shown(groups_table([group], "dev"))

    assert (group.key, group.undiscovered("dev")) == ("ng-spot", [])
    assert [one.id for one in group.instances] == ["i-1", "i-2"]
    for told in (
        "2/2/3",
        "m5.large eu-west-1a spot",
        "m5.large eu-west-1a on-demand",
        "seen by its tags",
        "label/lifecycle=Ec2Spot",
        "taint/spotInstance=true:PreferNoSchedule",
    ):
        assert told in text


def test_a_group_without_the_tags_says_which_are_missing():
    group = Group(name="g", minimum=0, desired=0, maximum=1, instances=(), tags={})

    assert group.key is None
    assert f"not seen: no tag {CA}/enabled, {CA}/dev" in shown(groups_table([group], "dev"))


def test_an_instance_is_asked_for_once(aws):
    aws.instances = [
        ec2_instance("i-1", "spot", aws_autoscaling_groupName="dev-ng-spot"),
        ec2_instance("i-2"),
    ]
    members = Members(ENDPOINTS)

    spot = Member(key="dev-ng-spot", spot=True)
    assert members.of(["i-1", "i-2", "i-3", "fargate-1"]) == {
        "i-1": spot,
        "i-2": Member(key=None, spot=False),
    }
    assert members.of(["i-1"]) == {"i-1": spot}
    assert aws.asked == 1


def test_a_self_managed_node_says_its_group_and_its_market_as_ec2_does(aws):
    aws.instances = [ec2_instance("i-1"), ec2_instance("i-2", "spot")]
    aws.instances[0]["Tags"] = [{"Key": "frugal-eks/node-group", "Value": "ng-spot"}]

    def node(name, instance):
        # Of an on-demand instance of a mixed group too: the label is the group's.
        labels = {"lifecycle": "Ec2Spot", "node.kubernetes.io/instance-type": "m5.large"}
        spec = {"providerID": f"aws:///eu-west-1a/{instance}"}
        return {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": {}}

    listed = {"/api/v1/nodes": [node("a", "i-1"), node("b", "i-2"), node("c", "i-gone")]}
    cluster = types.SimpleNamespace(items=lambda path: listed.get(path, []))
    prices = types.SimpleNamespace(hourly=lambda *_: 0.1)

    told = {
        one.name: (one.owner, one.capacity, one.self_managed)
        for one in nodes_now(cluster, prices, Members(ENDPOINTS))
    }
    assert told == {
        "a": ("self-managed ng-spot", "on-demand", True),
        "b": ("self-managed", "spot", True),
        "c": ("self-managed", "spot", True),
    }


def node(name, instance, capacity="spot"):
    return Node(
        name=name,
        owner="self-managed ng-spot",
        instance_type="m5.large",
        capacity=capacity,
        zone="eu-west-1a",
        instance_id=instance,
        ready=True,
        leaving=False,
        price=0.1,
    )


def pod(name, on, *, prefers=True, message=None):
    affinity = {spot_commands.PREFERRED: [{"weight": 100}]} if prefers else {}
    ready = {"type": "Ready", "status": "False" if message else "True"}
    return {
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"affinity": {"nodeAffinity": affinity}, **({"nodeName": on} if on else {})},
        "status": {"phase": "Pending" if message else "Running", "conditions": [ready]},
    }


@pytest.fixture
def commands(aws, monkeypatch):
    """Commands on a cluster of the instances' nodes."""
    lists = {"/api/v1/pods": [], "/api/v1/events": []}
    made = object.__new__(SpotCommands)
    made.state = types.SimpleNamespace(endpoints=ENDPOINTS)
    made.console = Console(file=io.StringIO(), width=240)
    made.cluster = types.SimpleNamespace(items=lambda path: lists[path], lists=lists)
    made.interruption = types.SimpleNamespace(
        nodes=lambda: [
            node(f"n-{one['InstanceId']}", one["InstanceId"], one.get("InstanceLifecycle", "od"))
            for one in aws.instances
        ],
        victim=lambda *_: node("n-i-1", "i-1"),
        spot_nodes=lambda: [node("n-i-1", "i-1")],
    )
    monkeypatch.setattr("rehearsal.progress.time.sleep", lambda _: None)
    monkeypatch.setattr(spot_commands, "PATIENCE_SECONDS", 0.1)
    return made


def test_a_resize_by_hand_is_a_node_more(aws, commands):
    before = commands.resize()

    assert (before.desired, aws.desired) == (2, 3)
    assert "dev-ng-spot at 3: its new node was ready after 0 s." in commands.console.file.getvalue()
    with pytest.raises(RehearsalError, match="no spot group below its maximum, so none can grow"):
        commands.resize()


def test_a_resize_that_brings_no_node_is_told(commands, monkeypatch):
    monkeypatch.setattr(groups, "set_desired", lambda *_: None)

    with pytest.raises(RehearsalError, match=r"dev-ng-spot at 3: not so after 0 s \(2 of 3 nodes"):
        commands.resize()


@pytest.fixture
def frontend(commands):
    """A Deployment that rolls out at once where it is restarted, to the nodes of `to`."""
    deployment = {
        "metadata": {"name": "frontend", "generation": 2},
        "spec": {"replicas": 1},
        "status": {"observedGeneration": 2, "replicas": 1, "updatedReplicas": 1},
    }
    deployment["status"]["availableReplicas"] = 1
    lists = commands.cluster.lists
    lists["/apis/apps/v1/deployments"] = [deployment]
    lists["/api/v1/pods"] = [
        pod("frontend-5c4-x1", "n-i-2"),
        pod("plain-5c4-x1", "n-i-1", prefers=False),
    ]
    played = types.SimpleNamespace(to="n-i-1", restarted=[], deployment=deployment)

    def patch(path, change):
        assert "kubectl.kubernetes.io/restartedAt" in str(change["spec"]["template"])
        played.restarted.append(path)
        lists["/api/v1/pods"][0] = pod("frontend-9d8-x2", played.to)

    commands.cluster.patch = patch
    return played


def test_samples_that_were_placed_before_spot_joined_are_restarted(commands, frontend):
    commands.samples()

    assert frontend.restarted == ["/apis/apps/v1/namespaces/shop/deployments/frontend"]
    text = commands.console.file.getvalue()
    assert "frontend was placed before spot nodes had joined: restarted." in text
    assert [line for line in text.splitlines() if "frontend" in line and "│ spot" in line]
    assert "plain" not in text
    commands.samples()
    assert len(frontend.restarted) == 1


def test_samples_that_all_miss_spot_are_told(commands, frontend):
    frontend.to = "n-i-2"

    with pytest.raises(RehearsalError, match="No pod that prefers spot runs on spot"):
        commands.samples()
    frontend.deployment["status"]["updatedReplicas"] = 0
    with pytest.raises(RehearsalError, match="frontend not rolled out"):
        commands.samples()


@pytest.mark.feature("A3-16")
def test_pending_pods_are_listed_with_the_schedulers_reason(commands):
    commands.cluster.lists["/api/v1/pods"] = [pod("big-1", None, message="x")]
    about = {"kind": "Pod", "namespace": "shop", "name": "big-1"}
    event = {"involvedObject": about, "message": "0/2 nodes are available: 2 Insufficient cpu."}
    commands.cluster.lists["/api/v1/events"] = [event]

    commands.groups("dev")

    text = commands.console.file.getvalue()
    assert "waits: shop/big-1 (Pending): 0/2 nodes are available: 2 Insufficient cpu." in text
    assert "1 pods wait. The Cluster Autoscaler does not run in a rehearsal" in text


def test_where_the_handler_cannot_run_nothing_is_interrupted_and_that_is_said(
    commands, monkeypatch, tmp_path
):
    monkeypatch.setattr(spot_commands.namespaces, "missing", lambda: "no `unshare` on PATH")

    commands.interrupt(None, Kind.SPOT)
    commands.storm()

    text = commands.console.file.getvalue()
    assert text.count("Not run: the real Node Termination Handler: ") == 2  # noqa: PLR2004
    assert "no `unshare` on PATH. No node was interrupted." in text
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text(
        "config: {'frugal-eks:addons': {nodeTerminationHandler: {}}, "
        "'frugal-eks:clusterAutoscaler': {}, 'frugal-eks:spotNodeGroups': {a: {}}}"
    )
    stack = StackFile.read(file, "try")
    assert stack.has_spot_groups
    autoscaler, handler = spot_commands.not_run(stack)
    assert autoscaler == spot_report.CLUSTER_AUTOSCALER
    assert handler.startswith("the real Node Termination Handler: it needs a Linux namespace")


def test_what_a_stack_does_not_have_is_not_told(tmp_path, monkeypatch):
    monkeypatch.setattr(spot_commands.namespaces, "missing", lambda: "none")
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text("config: {'frugal-eks:addons': {metricsServer: {}}}")
    stack = StackFile.read(file, "try")

    assert spot_commands.not_run(stack) == []
    assert not stack.has_spot_groups
