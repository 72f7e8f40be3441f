"""What the Node Termination Handler's stand-in makes of the values, in both modes."""

import pytest

from components.addons.addon_config import NAMESPACE
from components.placement import RunsOn
from tests.components.addons.programs import addon_of
from tests.rehearsal.test_charts_addons import pod

pytestmark = pytest.mark.engine
CHART = "aws-node-termination-handler"
FARGATE = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}
OWN = {"NODE_NAME": "spec.nodeName", "POD_NAME": "metadata.name", "NAMESPACE": "metadata.namespace"}


@pytest.fixture(scope="module")
def installed(render):
    """The objects that the chart makes with the component's values, on nodes."""

    def run(more=None, **config):
        values = addon_of(CHART, config.get("mode", "queue")).values(RunsOn.NODES, **config)
        return render(CHART, values | (more or {}), NAMESPACE)

    return run


def variables(objects, kind="Deployment"):
    """Plain ones by name; those from fields of the pod are always the same."""
    (container,) = pod(objects, CHART, kind)["spec"]["containers"]
    fields = {one["name"]: one["valueFrom"]["fieldRef"] for one in container["env"][:3]}
    assert {name: field["fieldPath"] for name, field in fields.items()} == OWN
    plain = {one["name"]: one["value"] for one in container["env"][3:]}
    assert len(plain) + len(fields) == len(container["env"])
    return plain


def kinds(objects):
    return sorted(kind for kind, _ in objects)


@pytest.mark.feature("A0-18", "A4-06")
def test_in_mode_imds_it_is_four_objects(installed):
    objects = installed(mode="imds")

    assert kinds(objects) == ["ClusterRole", "ClusterRoleBinding", "DaemonSet", "ServiceAccount"]
    assert {name for _, name in objects} == {CHART}


@pytest.mark.feature("A4-07")
def test_in_mode_queue_it_is_a_deployment_under_the_program_s_account(installed):
    objects = installed()

    assert kinds(objects) == [
        "ClusterRole",
        "ClusterRoleBinding",
        "Deployment",
        "PodDisruptionBudget",
    ]
    assert objects["PodDisruptionBudget", CHART]["spec"]["maxUnavailable"] == 1


@pytest.mark.feature("A0-16", "A0-17", "A4-16")
def test_its_daemon_set_selects_linux_and_the_nodes_that_are_asked_for(installed):
    spec = pod(installed(mode="imds"), CHART, "DaemonSet")["spec"]
    assert spec["nodeSelector"] == {"kubernetes.io/os": "linux"}

    selected = {"lifecycle": "Ec2Spot"}
    spec = pod(installed(mode="imds", nodeSelector=selected), CHART, "DaemonSet")["spec"]
    assert spec["nodeSelector"] == {"kubernetes.io/os": "linux"} | selected
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required == {"nodeSelectorTerms": [{"matchExpressions": [FARGATE]}]}
    assert spec["tolerations"] == [{"operator": "Exists"}]


@pytest.mark.feature("A0-19")
def test_its_daemon_set_is_on_the_node_s_network(installed):
    spec = pod(installed(mode="imds"), CHART, "DaemonSet")["spec"]

    assert (spec["hostNetwork"], spec["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    assert spec["volumes"] == [{"name": "uptime", "hostPath": {"path": "/proc/uptime"}}]


@pytest.mark.feature("A4-12")
def test_its_daemon_set_is_renewed_a_quarter_at_a_time(installed):
    assert installed(mode="imds")["DaemonSet", CHART]["spec"]["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%"},
    }


@pytest.mark.feature("A4-07", "A4-15")
def test_the_variables_of_mode_queue(installed):
    told = variables(installed(heartbeatIntervalSeconds=60, heartbeatUntilSeconds=600))

    assert told == {
        "AWS_REGION": "eu-west-1",
        "CHECK_ASG_TAG_BEFORE_DRAINING": "true",
        "CHECK_TAG_BEFORE_DRAINING": "true",
        "COMPLETE_LIFECYCLE_ACTION_DELAY_SECONDS": "-1",
        "CORDON_ONLY": "false",
        "DELETE_LOCAL_DATA": "true",
        "DELETE_SQS_MSG_IF_NODE_NOT_FOUND": "false",
        "DRY_RUN": "false",
        "EMIT_KUBERNETES_EVENTS": "true",
        "ENABLE_OUT_OF_SERVICE_TAINT": "false",
        "ENABLE_PROBES_SERVER": "true",
        "ENABLE_PROMETHEUS_SERVER": "false",
        "ENABLE_SQS_TERMINATION_DRAINING": "true",
        "EXCLUDE_FROM_LOAD_BALANCERS": "false",
        "HEARTBEAT_INTERVAL": "60",
        "HEARTBEAT_UNTIL": "600",
        "IGNORE_DAEMON_SETS": "true",
        "JSON_LOGGING": "false",
        "LOG_FORMAT_VERSION": "1",
        "LOG_LEVEL": "info",
        "MANAGED_ASG_TAG": "aws-node-termination-handler/managed",
        "MANAGED_TAG": "aws-node-termination-handler/dev",
        "NODE_TERMINATION_GRACE_PERIOD": "120",
        "POD_TERMINATION_GRACE_PERIOD": "-1",
        "PROBES_SERVER_ENDPOINT": "/healthz",
        "PROBES_SERVER_PORT": "8080",
        "PROMETHEUS_SERVER_PORT": "9092",
        "QUEUE_URL": "https://sqs/dev-nth",
        "SQS_MSG_VISIBILITY_TIMEOUT_SEC": "20",
        "TAINT_NODE": "false",
        "USE_PROVIDER_ID": "false",
        "WORKERS": "10",
    }


@pytest.mark.feature("A4-05", "A4-13", "A4-14")
def test_the_variables_of_mode_imds(installed):
    told = variables(installed(mode="imds", rebalanceDraining=True), "DaemonSet")

    assert {name: value for name, value in told.items() if name.startswith("ENABLE_")} == {
        "ENABLE_ASG_LIFECYCLE_DRAINING": "true",
        "ENABLE_OUT_OF_SERVICE_TAINT": "false",
        "ENABLE_PROBES_SERVER": "false",
        "ENABLE_PROMETHEUS_SERVER": "false",
        "ENABLE_REBALANCE_DRAINING": "true",
        "ENABLE_REBALANCE_MONITORING": "true",
        "ENABLE_SCHEDULED_EVENT_DRAINING": "true",
        "ENABLE_SPOT_INTERRUPTION_DRAINING": "true",
        "ENABLE_SQS_TERMINATION_DRAINING": "false",
    }
    assert (told["METADATA_TRIES"], told["UPTIME_FROM_FILE"]) == ("3", "/proc/uptime")
    # Of the other mode, and the start fails where they are set in this one.
    assert not told.keys() & {"QUEUE_URL", "HEARTBEAT_INTERVAL", "WORKERS", "AWS_REGION"}


def test_what_is_optional_is_there_where_it_is_asked_for(installed):
    more = {"webhookURL": "https://example.com/hook", "instanceMetadataURL": "http://127.0.0.1:1"}
    asked = {
        "WEBHOOK_URL": "https://example.com/hook",
        "INSTANCE_METADATA_URL": "http://127.0.0.1:1",
    }

    told = variables(installed(more, mode="imds"), "DaemonSet")
    assert asked.items() <= told.items()
    assert not asked.keys() & variables(installed(mode="imds"), "DaemonSet").keys()


def test_it_may_evict_and_tells_events_only_if_it_shall(installed):
    def rights(**config):
        return {
            (resource, verb)
            for rule in installed(**config)["ClusterRole", CHART]["rules"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
        }

    drain = {
        *(("nodes", verb) for verb in ("get", "list", "patch", "update")),
        *(("pods", verb) for verb in ("get", "list")),
        ("pods/eviction", "create"),
        ("daemonsets", "get"),
    }
    assert rights(emitKubernetesEvents=False) == drain
    assert rights() - drain == {("events", "create"), ("events", "patch")}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"serviceMonitor": {"create": True}}, "serviceMonitor.create: the rehearsal's stand-in"),
        ({"webhookURLSecretName": "hook"}, "webhookURLSecretName: the rehearsal's stand-in for"),
        ({"targetNodeOs": "linux windows"}, "targetNodeOs: the rehearsal's stand-in for chart"),
    ],
)
def test_what_it_does_not_play_is_refused(installed, more, problem):
    with pytest.raises(ValueError, match=problem):
        installed(more)
