from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from components.addons.node_termination_handler import who_drains
from components.addons.node_termination_handler.config import (
    HOOK_SECONDS,
    ImdsHandlerConfig,
    NodeTerminationHandlerConfig,
    QueueHandlerConfig,
)
from components.addons.node_termination_handler.who_drains import handlers
from components.nodes.managed_config import ManagedNodeGroupConfig

CONFIG = TypeAdapter(NodeTerminationHandlerConfig)
QUEUE, IMDS = "Node Termination Handler (queue)", "Node Termination Handler (imds)"
ZONE = {"key": "zone", "operator": "In", "values": ["a", "b"]}


def config(**section):
    return CONFIG.validate_python(section)


def refused(**section):
    """The paths of the mistakes, with what is said of each."""
    with pytest.raises(ValidationError) as error:
        config(**section)
    tags = ("queue", "imds")
    return [
        (
            ".".join(filter(None, (*(str(at) for at in one["loc"] if at not in tags), told.path))),
            told,
        )
        for one in error.value.errors()
        for told in one.get("ctx", {}).get("mistakes", ())
    ]


def told(**section):
    return [(path, mistake.problem, mistake.value) for path, mistake in refused(**section)]


def managed(capacity="ON_DEMAND", **labels):
    return ManagedNodeGroupConfig.model_validate(
        {
            "capacityType": capacity,
            "instanceTypes": ["m6i.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 1, "max": 2},
            "labels": labels,
        }
    )


@pytest.mark.feature("A4-07")
def test_the_queue_is_what_is_meant_where_nothing_is_said():
    assert isinstance(config(), QueueHandlerConfig)
    assert isinstance(config(mode="queue"), QueueHandlerConfig)
    assert isinstance(config(mode="imds"), ImdsHandlerConfig)
    # As a section of a section that is made already.
    assert isinstance(CONFIG.validate_python(config(mode="imds")), ImdsHandlerConfig)
    assert isinstance(CONFIG.validate_python(config()), QueueHandlerConfig)


@pytest.mark.feature("A4-07")
def test_a_mode_that_is_neither_is_refused():
    with pytest.raises(ValidationError, match="mode is neither queue nor imds: choose one of the"):
        config(mode="both")


@pytest.mark.feature("A4-07")
@pytest.mark.parametrize(
    ("mode", "key"),
    [
        ("imds", "replicas"),
        ("imds", "workers"),
        ("imds", "heartbeatIntervalSeconds"),
        ("imds", "deleteSqsMsgIfNodeNotFound"),
        ("queue", "affinity"),
        ("queue", "rebalanceMonitoring"),
        ("queue", "manifest"),
    ],
)
def test_a_setting_of_the_other_mode_is_refused(mode, key):
    with pytest.raises(ValidationError, match=rf"{key}\n  Extra inputs are not permitted"):
        config(**{"mode": mode, key: 1})


@pytest.mark.feature("A4-01")
def test_the_queue_is_not_for_karpenter_s_nodes():
    problem = (
        "in mode queue there are none for it: Karpenter's own queue drains its nodes for the same "
        "events. Choose autoScalingGroups, or mode: imds"
    )
    assert told(nodes="karpenter") == [("nodes", problem, "karpenter")]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("lifecycle", "Ec2Spot"),
        ("karpenter.sh/capacity-type", "spot"),
        ("eks.amazonaws.com/capacityType", "SPOT"),
    ],
)
def test_the_queue_s_pods_do_not_run_on_the_nodes_that_they_must_outlive(key, value):
    problem = (
        "puts the handler on the nodes that it must outlive: choose on-demand nodes, or drop it"
    )
    assert told(nodeSelector={key: value, "a": "b"}) == [(f"nodeSelector.{key}", problem, value)]
    assert config(nodeSelector={key: "OnDemand"}).node_selector == {key: "OnDemand"}


def test_heartbeats_come_before_the_group_stops_waiting():
    late = "comes too late for the group, which waits 300 s: lower it"
    assert told(heartbeatIntervalSeconds=300) == [("heartbeatIntervalSeconds", late, 300)]
    assert config(heartbeatIntervalSeconds=299).heartbeat_until_seconds is None
    alone = "the handler does not start without an interval: add heartbeatIntervalSeconds"
    assert told(heartbeatUntilSeconds=600) == [("heartbeatUntilSeconds", alone, 600)]
    short = "lies below heartbeatIntervalSeconds 90: raise it"
    assert told(heartbeatIntervalSeconds=90, heartbeatUntilSeconds=60) == [
        ("heartbeatUntilSeconds", short, 60)
    ]


@pytest.mark.parametrize(
    "drain",
    [
        {"nodeTerminationGracePeriod": 271},
        {"podTerminationGracePeriod": 271},
        {"nodeTerminationGracePeriod": 200, "completeLifecycleActionDelaySeconds": 71},
    ],
)
def test_a_drain_that_the_group_would_cut_off_asks_it_for_more_time(drain):
    path = next(iter(drain))
    problem = (
        "and what follows may take 271 s, and the group ends the instance after 300 s: add "
        "heartbeatIntervalSeconds, for example 150, or lower it"
    )
    assert told(**drain) == [(path, problem, drain[path])]
    assert config(**drain, heartbeatIntervalSeconds=150).hook_seconds == HOOK_SECONDS
    assert config(**drain | {path: drain[path] - 1})

    until = "ends before the drain, which may take 271 s: raise it"
    heartbeats = {"heartbeatIntervalSeconds": 150, "heartbeatUntilSeconds": 270}
    assert told(**drain, **heartbeats) == [("heartbeatUntilSeconds", until, 270)]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("heartbeatIntervalSeconds", (29, 3601)),
        ("heartbeatUntilSeconds", (59, 172801)),
        ("nodeTerminationGracePeriod", (0, 3601)),
        ("podTerminationGracePeriod", (-2, 3601)),
        ("completeLifecycleActionDelaySeconds", (-2, 3601)),
        ("workers", (0, 101)),
        ("replicas", (0, 4)),
    ],
)
def test_numbers_have_bounds(key, values):
    for value in values:
        with pytest.raises(ValidationError, match=rf"{key}\n  Input should be "):
            config(**{key: value})


def test_a_group_waits_for_who_can_answer():
    assert config().hook_seconds == 300  # noqa: PLR2004 (facts of the plan)
    assert config(mode="imds").hook_seconds == 120  # noqa: PLR2004 (what spot gives)


@pytest.mark.feature("A4-01")
def test_karpenter_s_nodes_are_not_taken_by_the_way():
    label = "nodeSelector.karpenter.sh/capacity-type"
    unasked = "only Karpenter's nodes have it: add nodes: karpenter, or drop it"
    spot = {"karpenter.sh/capacity-type": "spot"}
    assert told(mode="imds", nodeSelector=spot) == [(label, unasked, "spot")]
    safe = "of Karpenter's nodes only those on spot have interruptions: drop it"
    on_demand = {"karpenter.sh/capacity-type": "on-demand"}
    assert told(mode="imds", nodes="karpenter", nodeSelector=on_demand) == [
        (label, safe, "on-demand")
    ]


@pytest.mark.feature("A4-10")
def test_a_manifest_takes_no_setting_of_the_chart():
    problem = "is a setting of the chart, which manifest takes the place of: drop one"
    assert told(
        mode="imds",
        manifest="https://example.com/all-resources.yaml",
        nodeSelector={"lifecycle": "Ec2Spot"},
        rebalanceDraining=False,
    ) == [("nodeSelector", problem, None), ("rebalanceDraining", problem, None)]


@pytest.mark.feature("A4-10")
def test_a_manifest_of_the_project_is_there():
    there = Path(__file__).relative_to(Path.cwd()).parents[2] / "data" / "manifest.yaml"

    assert told(mode="imds", manifest=str(there)) == [
        ("manifest", "is no file of the project: correct it", str(there))
    ]
    stack = "stacks/Pulumi.nodeless.yaml"
    assert config(mode="imds", manifest=stack).manifest == stack


@pytest.mark.feature("A4-10")
@pytest.mark.parametrize("manifest", ["http://example.com/a.yaml", "oci://example.com/a", "nth"])
def test_a_manifest_is_an_address_or_a_yaml_file(manifest):
    with pytest.raises(ValidationError, match=r"manifest\n  String should match pattern"):
        config(mode="imds", manifest=manifest)


@pytest.mark.feature("A4-16")
def test_a_term_of_affinity_is_one_that_the_api_takes():
    def expression(**parts):
        problems = refused(mode="imds", affinity=[{"matchExpressions": [{"key": "a", **parts}]}])
        return [(path, mistake.problem) for path, mistake in problems]

    at = "affinity.0.matchExpressions.0.values"
    lone = 'compares with one whole number: write it as text, for example ["4"]'
    assert expression(operator="In") == [
        (at, "operator In needs values: list at least one"),
    ]
    assert expression(operator="Exists", values=["b"]) == [
        (at, "operator Exists takes no values: drop them"),
    ]
    assert expression(operator="Gt", values=["four"]) == [(at, f"operator Gt {lone}")]
    assert expression(operator="Lt", values=["4", "5"]) == [(at, f"operator Lt {lone}")]
    for empty in ([], [{"matchExpressions": []}]):
        section = {"mode": "imds", "affinity": [*empty, {"matchExpressions": []}]}
        with pytest.raises(ValidationError, match="at least 1 item"):
            config(**section)


@pytest.mark.parametrize(
    ("operator", "values", "labels", "fits"),
    [
        ("In", ["a", "b"], {"x": "b"}, True),
        ("In", ["a", "b"], {"x": "c"}, False),
        ("In", ["a"], {}, False),
        ("NotIn", ["a"], {"x": "b"}, True),
        ("NotIn", ["a"], {"x": "a"}, False),
        ("NotIn", ["a"], {}, True),
        ("Exists", [], {"x": ""}, True),
        ("Exists", [], {}, False),
        ("DoesNotExist", [], {}, True),
        ("DoesNotExist", [], {"x": ""}, False),
        ("Gt", ["4"], {"x": "5"}, True),
        ("Gt", ["4"], {"x": "4"}, False),
        ("Gt", ["4"], {}, False),
        ("Lt", ["4"], {"x": "3"}, True),
        ("Lt", ["4"], {"x": "4"}, False),
        ("Lt", ["4"], {"x": "many"}, False),
    ],
)
def test_a_term_is_true_of_the_nodes_that_the_scheduler_means(operator, values, labels, fits):
    one = {"key": "x", "operator": operator, "values": values}
    (term,) = config(mode="imds", affinity=[{"matchExpressions": [one]}]).affinity

    assert term.fits(labels) is fits


@pytest.mark.feature("C-19")
def test_each_group_and_pool_has_one_handler():
    def told(handler):
        return handlers(
            handler,
            spot_groups={"ng-spot": {"lifecycle": "Ec2Spot"}, "batch": {}},
            managed_groups={"base": managed(), "cheap": managed("SPOT", lifecycle="Managed")},
            pools=["default"],
        )

    rest = {"cheap": "EKS", "pool default": "Karpenter"}
    assert told(None) == {"ng-spot": "nobody", "batch": "nobody", "base": "EKS", **rest}
    assert told(config()) == {"ng-spot": QUEUE, "batch": QUEUE, "base": "EKS", **rest}
    selected = config(mode="imds", nodeSelector={"lifecycle": "Ec2Spot"})
    assert told(selected) == {"ng-spot": IMDS, "batch": "nobody", "base": "EKS", **rest}
    # Of maintenance of nodes on demand EKS hears nothing.
    assert told(config(mode="imds")) == {"ng-spot": IMDS, "batch": IMDS, "base": IMDS, **rest}


@pytest.mark.feature("C-19", "A4-01")
def test_two_handlers_of_karpenter_s_nodes_are_both_named():
    told = handlers(
        config(mode="imds", nodes="karpenter"),
        spot_groups={"ng-spot": {}},
        managed_groups={"base": managed()},
        pools=["default"],
    )

    both = f"Karpenter, and {IMDS}"
    assert told == {"ng-spot": "nobody", "base": "EKS", "pool default": both}


@pytest.mark.feature("C-19")
def test_terms_of_affinity_count_as_the_selector_does():
    handler = config(mode="imds", affinity=[{"matchExpressions": [ZONE]}])

    assert who_drains.looks_after(handler, {"zone": "a"})
    assert not who_drains.looks_after(handler, {"zone": "c"})
    assert who_drains.runs_on(handler, {"zone": "b"})


def test_fargate_finds_its_pods_by_the_labels_of_the_chart():
    """Chart and release name, as the chart's helper templates print them, and what it is."""
    common = {
        "app.kubernetes.io/name": "aws-node-termination-handler",
        "app.kubernetes.io/instance": "aws-node-termination-handler",
        "k8s-app": "aws-node-termination-handler",
    }
    component = "app.kubernetes.io/component"
    assert common | {component: "deployment"} == QueueHandlerConfig.POD_LABELS
    assert common | {component: "daemonset"} == ImdsHandlerConfig.POD_LABELS
    assert ImdsHandlerConfig.ON_EVERY_NODE
    assert not QueueHandlerConfig.ON_EVERY_NODE
