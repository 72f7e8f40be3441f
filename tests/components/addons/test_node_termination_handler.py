import json

import pulumi
import pulumi_aws as aws
import pytest
from pydantic import TypeAdapter

from components.addons.node_termination_handler import component as addon
from components.addons.node_termination_handler.config import (
    NodeTerminationHandlerConfig,
    QueueHandlerConfig,
    managed_tag,
)
from components.addons.node_termination_handler.policy import iam_policy
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.names import TAG_KEY_LIMIT
from components.placement import RunsOn
from tests.cluster_refs import given

CONFIG = TypeAdapter(NodeTerminationHandlerConfig)
CHART = "aws-node-termination-handler"
LOCATION = Location(region="eu-west-1", account="111122223333")
OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
GROUPS = ["dev-ng-spot", "dev-batch-1"]
SAFE = {"eks.amazonaws.com/capacityType": "ON_DEMAND"}
FARGATE = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}
POOL = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
NEVER_THIS = {"key": "team", "operator": "NotIn", "values": ["a", "b"]}
ARM = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
OWN = {"key": "own", "operator": "Exists"}

RELEASE = "kubernetes:helm.sh/v3:Release"
MANIFEST = "kubernetes:yaml/v2:ConfigFile"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
INLINE = "aws:iam/rolePolicy:RolePolicy"
QUEUE = "aws:sqs/queue:Queue"
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"


def handler(config=None, **args):
    """A program with the handler, and a log group that stands for its pods' compute."""
    usual = {
        "config": CONFIG.validate_python(config or {}),
        "runs_on": RunsOn.NODES,
        "needs": [aws.cloudwatch.LogGroup("home")],
        "groups": GROUPS,
        "safe_node_selector": SAFE,
    }
    return addon.NodeTerminationHandler(
        "nth", given(addon.NodeTerminationHandlerArgs, **(usual | args))
    )


def by_queue():
    handler()


def by_queue_on_fargate():
    handler({"nodeSelector": {"lifecycle": "OnDemand"}}, runs_on=RunsOn.FARGATE)


def by_queue_in_every_way():
    config = {
        "mode": "queue",
        "nodeSelector": {"lifecycle": "OnDemand"},
        "replicas": 3,
        "cpu": "100m",
        "memory": "200Mi",
        "spotInterruptionDraining": False,
        "rebalanceDraining": True,
        "scheduledEventDraining": False,
        "stateChangeDraining": False,
        "heartbeatIntervalSeconds": 60,
        "heartbeatUntilSeconds": 600,
        "completeLifecycleActionDelaySeconds": 15,
        "workers": 20,
        "deleteSqsMsgIfNodeNotFound": True,
        "useProviderId": True,
        "taintNode": True,
        "nodeTerminationGracePeriod": 90,
        "podTerminationGracePeriod": 30,
        "emitKubernetesEvents": False,
    }
    handler(config, charts=ChartSource(mirror="oci://example.com/charts", images="example.com/i"))


def on_every_node():
    handler({"mode": "imds"})


def on_spot_nodes():
    config = {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}}
    handler(config, karpenter=True, runs_on=RunsOn.FARGATE)


def of_karpenter():
    handler({"mode": "imds", "nodes": "karpenter"}, karpenter=True)


def as_the_document_has_it():
    config = {
        "mode": "imds",
        "nodes": "karpenter",
        "nodeSelector": {"karpenter.sh/capacity-type": "spot", "karpenter.sh/initialized": "true"},
        "spotInterruptionDraining": True,
        "scheduledEventDraining": True,
        "rebalanceMonitoring": True,
        "rebalanceDraining": True,
        "affinity": [{"matchExpressions": [NEVER_THIS, ARM]}, {"matchExpressions": [OWN]}],
    }
    handler(config, karpenter=True, charts=ChartSource(images="example.com/i"))


def from_a_manifest():
    handler({"mode": "imds", "manifest": "https://example.com/v1.25.6/all-resources.yaml"})


QUEUES = [by_queue, by_queue_on_fargate, by_queue_in_every_way]
DAEMON_SETS = [on_every_node, on_spot_nodes, of_karpenter, as_the_document_has_it]


def values(built):
    return built.one(RELEASE).inputs["values"]


def terms(built):
    (kind, affinity), *others = values(built)["daemonsetAffinity"]["nodeAffinity"].items()
    assert (kind, others) == ("requiredDuringSchedulingIgnoredDuringExecution", [])
    return [term["matchExpressions"] for term in affinity["nodeSelectorTerms"]]


@pytest.fixture
def warned(deploy, monkeypatch):
    """What a program warns of."""

    def run(program, *, preview=False):
        told = []
        monkeypatch.setattr(pulumi.log, "warn", lambda text, _: told.append(text))
        deploy(program, preview=preview)
        return told

    return run


@pytest.mark.feature("A4-07")
def test_its_pods_read_a_queue_of_their_own(once):
    built = once(by_queue)

    told = values(built)
    assert built.one(QUEUE).inputs["name"] == "dev-nth"
    assert told["enableSqsTerminationDraining"] is True
    assert told["queueURL"] == "https://sqs/dev-nth"
    assert told["awsRegion"] == "eu-west-1"
    assert told["replicas"] == 1 + 1
    assert {target.inputs["arn"] for target in built.every(TARGET)} == {
        "arn:aws:sqs:eu-west-1:111122223333:dev-nth"
    }
    policy = json.loads(built.one("aws:sqs/queuePolicy:QueuePolicy").inputs["policy"])
    senders = policy["Statement"][0]["Condition"]["ArnEquals"]["aws:SourceArn"]
    assert len(senders) == len(built.every(RULE))


@pytest.mark.feature("A4-07")
@pytest.mark.parametrize("program", DAEMON_SETS)
def test_the_modes_exclude_each_other(once, program):
    told = values(once(program))

    assert told["enableSqsTerminationDraining"] is False
    assert not told.keys() & {"queueURL", "awsRegion", "replicas", "managedTag", "workers"}
    queue = {"useHostNetwork", "daemonsetAffinity", "enableRebalanceMonitoring"}
    assert not values(once(by_queue)).keys() & queue


@pytest.mark.feature("C-06")
def test_a_long_name_of_a_cluster_is_shortened_to_what_sqs_takes(deploy):
    built = deploy(lambda: handler(name="a" * 100))

    name = built.one(QUEUE).inputs["name"]
    assert len(name) == 80  # noqa: PLR2004 (SQS)
    assert name.startswith("a" * 60)


@pytest.mark.feature("A4-02", "A4-13", "A4-14")
def test_rules_decide_what_it_drains_for(once):
    def rules(program):
        return {
            rule.request.name.removeprefix("nth-interruption-")
            for rule in once(program).every(RULE)
        }

    ends = {"lifecycle-action", "instance-state-change"}
    assert rules(by_queue) == ends | {"spot-interruption", "scheduled-change"}
    assert rules(by_queue_in_every_way) == {"lifecycle-action", "rebalance"}
    lifecycle = once(by_queue).named(RULE, "nth-interruption-lifecycle-action").inputs
    assert json.loads(lifecycle["eventPattern"])["detail"] == {"AutoScalingGroupName": GROUPS}


@pytest.mark.feature("A4-02")
def test_it_acts_on_no_instance_without_its_cluster_s_tag(once):
    told = values(once(by_queue))

    assert (told["checkTagBeforeDraining"], told["managedTag"]) == (True, managed_tag("dev"))
    assert managed_tag("dev") == "aws-node-termination-handler/dev"
    # A cluster's name may have 100 characters, a tag's key 128.
    long = {managed_tag("c" * 99 + end) for end in "ab"}
    assert [len(key) for key in long] == [TAG_KEY_LIMIT, TAG_KEY_LIMIT]


def test_it_may_answer_the_hooks_of_its_groups_and_of_no_other():
    china = Location(region="cn-north-1", account="111122223333")
    read, see, answer = iam_policy(
        location=china, groups=GROUPS, queue_arn="arn of the queue", heartbeats=False
    )["Statement"]

    assert (read["Action"], read["Resource"]) == (
        ["sqs:DeleteMessage", "sqs:ReceiveMessage"],
        "arn of the queue",
    )
    assert (see["Action"], see["Resource"]) == ("ec2:DescribeInstances", "*")
    group = "arn:aws-cn:autoscaling:cn-north-1:111122223333:autoScalingGroup:*:autoScalingGroupName"
    assert answer == {
        "Sid": "AnswerHooks",
        "Effect": "Allow",
        "Action": ["autoscaling:CompleteLifecycleAction"],
        "Resource": [f"{group}/dev-ng-spot", f"{group}/dev-batch-1"],
    }


def test_it_may_ask_for_more_time_where_it_does(once):
    def rights(program):
        return json.loads(once(program).one(INLINE).inputs["policy"])["Statement"]

    asked = "autoscaling:RecordLifecycleActionHeartbeat"
    *_, answer, see = rights(by_queue_in_every_way)
    assert asked in answer["Action"]
    # AWS's service authorization reference gives it no resource type.
    assert (see["Action"], see["Resource"]) == ("autoscaling:DescribeLifecycleHooks", "*")
    assert asked not in rights(by_queue)[-1]["Action"]
    assert "DescribeLifecycleHooks" not in str(rights(by_queue))
    told = values(once(by_queue_in_every_way))
    assert (told["heartbeatInterval"], told["heartbeatUntil"]) == (60, 600)
    assert not values(once(by_queue)).keys() & {"heartbeatInterval", "heartbeatUntil"}


def test_its_role_has_these_rights_and_reaches_only_its_own_account(once):
    built = once(by_queue)

    queue = "arn:aws:sqs:eu-west-1:111122223333:dev-nth"
    assert json.loads(built.one(INLINE).inputs["policy"]) == iam_policy(
        location=LOCATION, groups=GROUPS, queue_arn=queue, heartbeats=False
    )
    bound = built.one(ASSOCIATION).inputs
    account = built.one(ACCOUNT).inputs["metadata"]
    assert bound["serviceAccount"] == account["name"] == f"{CHART}-queue"
    assert bound["namespace"] == account["namespace"] == "kube-system"
    assert values(built)["serviceAccount"] == {"create": False, "name": f"{CHART}-queue"}


def test_on_fargate_the_role_comes_by_its_account(once):
    built = once(by_queue_on_fargate)

    (trust,) = json.loads(built.one("aws:iam/role:Role").inputs["assumeRolePolicy"])["Statement"]
    assert trust["Condition"]["StringEquals"][f"{OIDC}:sub"] == (
        f"system:serviceaccount:kube-system:{CHART}-queue"
    )
    assert "nodeSelector" not in values(built)
    size = {"cpu": "250m", "memory": "256M"}
    assert values(built)["resources"] == {"requests": size, "limits": size}


@pytest.mark.feature("A0-18")
@pytest.mark.parametrize("program", [*DAEMON_SETS, from_a_manifest])
def test_a_pod_on_each_node_needs_no_right_in_aws(once, program):
    built = once(program)

    made = {each.request.type for each in built.declared if each.request.type.startswith("aws:")}
    assert made == {"aws:cloudwatch/logGroup:LogGroup"}
    # Its account is the chart's own.
    assert built.every(ACCOUNT) == []
    if program is not from_a_manifest:
        assert "serviceAccount" not in values(built)


def test_its_pods_stay_on_safe_nodes_and_apart(once):
    told = values(once(by_queue))

    assert told["nodeSelector"] == SAFE
    assert values(once(by_queue_in_every_way))["nodeSelector"] == {"lifecycle": "OnDemand"}
    assert told["podDisruptionBudget"] == {"maxUnavailable": 1}
    (spread,) = told["topologySpreadConstraints"]
    assert (spread["topologyKey"], spread["maxSkew"]) == ("kubernetes.io/hostname", 1)
    assert spread["labelSelector"] == {"matchLabels": QueueHandlerConfig.POD_LABELS}


def test_one_pod_has_no_budget_that_would_hold_its_node(deploy):
    told = values(deploy(lambda: handler({"replicas": 1}, safe_node_selector={})))

    assert not told.keys() & {"podDisruptionBudget", "topologySpreadConstraints", "nodeSelector"}


@pytest.mark.feature("A0-20", "A4-15")
def test_a_drain_takes_two_minutes_at_most_and_no_event_is_lost(once):
    told = values(once(by_queue))

    assert told["nodeTerminationGracePeriod"] == 120  # noqa: PLR2004 (EC2: two minutes)
    assert told["podTerminationGracePeriod"] == -1
    assert told["emitKubernetesEvents"] is True
    assert (told["taintNode"], told["useProviderId"]) == (False, False)
    assert told["deleteSqsMsgIfNodeNotFound"] is False
    assert (told["workers"], told["completeLifecycleActionDelaySeconds"]) == (10, -1)


@pytest.mark.feature("A0-20")
def test_each_of_its_settings_reaches_the_chart(once):
    told = values(once(by_queue_in_every_way))

    assert told["nodeTerminationGracePeriod"] == 90  # noqa: PLR2004 (as above)
    assert told["podTerminationGracePeriod"] == 30  # noqa: PLR2004 (as above)
    assert told["emitKubernetesEvents"] is False
    assert (told["taintNode"], told["useProviderId"]) == (True, True)
    assert told["deleteSqsMsgIfNodeNotFound"] is True
    assert (told["workers"], told["completeLifecycleActionDelaySeconds"]) == (20, 15)
    size = {"cpu": "100m", "memory": "200Mi"}
    assert told["resources"] == {"requests": size, "limits": {"memory": "200Mi"}}


@pytest.mark.feature("A0-16", "A0-17", "A4-06")
def test_its_daemon_set_runs_on_every_node_or_on_those_that_are_selected(once):
    assert "nodeSelector" not in values(once(on_every_node))
    # Whatever Fargate runs of kube-system: it is no pod of Fargate's, nor of its size.
    selected = values(once(on_spot_nodes))
    assert selected["nodeSelector"] == {"lifecycle": "Ec2Spot"}
    assert selected["resources"] == values(once(on_every_node))["resources"]
    # A taint keeps it from none of them.
    for program in DAEMON_SETS:
        assert values(once(program))["daemonsetTolerations"] == [{"operator": "Exists"}]


@pytest.mark.feature("A0-19")
def test_it_asks_the_metadata_service_from_the_node_s_own_network(once):
    told = values(once(on_spot_nodes))

    assert told["useHostNetwork"] is True
    assert told["enableSpotInterruptionDraining"] is True


@pytest.mark.feature("A4-11", "A4-12", "A4-15")
@pytest.mark.parametrize("program", DAEMON_SETS)
def test_its_daemon_set_is_the_document_s(once, program):
    told = values(once(program))

    assert told["targetNodeOs"] == "linux"
    assert told["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%"},
    }
    assert told["deleteSqsMsgIfNodeNotFound"] is False


@pytest.mark.feature("A4-05", "A4-13", "A4-14")
@pytest.mark.parametrize(
    ("program", "does"),
    [
        (on_every_node, {"drains", "maintains", "hooks", "cordons"}),
        (on_spot_nodes, {"drains", "maintains", "hooks", "cordons"}),
        (of_karpenter, {"cordons"}),
        (as_the_document_has_it, {"drains", "maintains", "cordons", "gives up"}),
    ],
)
def test_what_it_does_is_said_for_each_event(once, program, does):
    told = values(once(program))

    assert told["enableSpotInterruptionDraining"] is ("drains" in does)
    assert told["enableScheduledEventDraining"] is ("maintains" in does)
    assert told["enableASGLifecycleDraining"] is ("hooks" in does)
    assert told["enableRebalanceMonitoring"] is ("cordons" in does)
    assert told["enableRebalanceDraining"] is ("gives up" in does)


@pytest.mark.feature("A4-05", "A4-13", "A4-14")
def test_each_event_can_be_let_go(deploy):
    off = ("spotInterruptionDraining", "scheduledEventDraining", "rebalanceMonitoring")

    told = values(deploy(lambda: handler({"mode": "imds"} | dict.fromkeys(off, False))))

    assert told["enableSpotInterruptionDraining"] is False
    assert told["enableScheduledEventDraining"] is False
    assert told["enableRebalanceMonitoring"] is False


@pytest.mark.feature("A4-16", "C-19")
def test_it_keeps_off_fargate_and_off_the_nodes_of_others(once):
    assert terms(once(on_every_node)) == [[FARGATE]]
    assert terms(once(on_spot_nodes)) == [[FARGATE, POOL]]
    assert terms(once(of_karpenter)) == [[FARGATE]]


@pytest.mark.feature("A4-16")
def test_it_keeps_off_fargate_whatever_else_is_asked_of_its_nodes(once):
    # One term must be true, so that it stands in each.
    assert terms(once(as_the_document_has_it)) == [[NEVER_THIS, ARM, FARGATE], [OWN, FARGATE]]
    # The chart would take these in its place.
    for program in DAEMON_SETS:
        assert not values(once(program)).keys() & {"affinity", "linuxAffinity"}


@pytest.mark.feature("A4-17", "A4-01")
def test_of_karpenter_s_nodes_it_runs_on_spot_that_is_ready(once):
    ready = {"karpenter.sh/capacity-type": "spot", "karpenter.sh/initialized": "true"}

    for program in (of_karpenter, as_the_document_has_it):
        assert values(once(program))["nodeSelector"] == ready


@pytest.mark.feature("A4-10")
def test_it_can_come_from_a_release_s_manifest_without_helm(once):
    built = once(from_a_manifest)

    assert built.one(MANIFEST).inputs == {"file": "https://example.com/v1.25.6/all-resources.yaml"}
    assert built.every(RELEASE) == []
    assert built.waits_for(built.one(MANIFEST), built.one("aws:cloudwatch/logGroup:LogGroup"))


@pytest.mark.feature("A4-01")
@pytest.mark.parametrize("preview", [True, False])
def test_the_plan_warns_of_what_karpenter_advises_against(warned, preview):
    (warning,) = warned(of_karpenter, preview=preview)

    assert warning.startswith("nodeTerminationHandler: nodes is karpenter. Karpenter's docu")
    for program in (on_spot_nodes, by_queue):
        assert warned(program, preview=preview) == []


@pytest.mark.feature("A0-17")
def test_the_chart_has_no_selector_of_its_own(upstream_values):
    chart = upstream_values(CHART)

    selectors = ("nodeSelector", "linuxNodeSelector", "daemonsetNodeSelector")
    assert [chart[key] for key in selectors] == [{}, {}, {}]


def test_it_comes_after_its_queue_its_rights_and_its_compute_and_goes_before_them(once):
    built = once(by_queue)

    release = built.one(RELEASE)
    for needed in (QUEUE, ASSOCIATION, INLINE, ACCOUNT, "aws:cloudwatch/logGroup:LogGroup"):
        assert built.waits_for(release, built.one(needed))
    assert all(built.waits_for(release, target) for target in built.every(TARGET))


def test_nothing_of_it_comes_from_the_groups_so_that_it_can_outlive_them(once):
    kinds = {each.request.type for each in once(by_queue).declared}

    assert "aws:autoscaling/group:Group" not in kinds
