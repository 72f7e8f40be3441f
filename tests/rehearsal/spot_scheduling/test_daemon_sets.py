"""On which nodes the handler's DaemonSet runs, as the stand-in chart makes it from our values."""

from collections import Counter

import pytest

from components.addons.addon_config import NAMESPACE
from components.placement import RunsOn
from tests.components.addons.programs import addon_of
from tests.rehearsal.nodeless.stage import wait
from tests.rehearsal.spot_scheduling.world import ON_DEMAND, SPOT, node, on_demand, spot

pytestmark = pytest.mark.engine

CHART = "aws-node-termination-handler"
LINUX = {"kubernetes.io/os": "linux"}
# The real program of the handler runs in rehearsals: these pods have none that says so.
HEALTHY = {"podAnnotations": {"rehearsal.frugal-eks/healthy": "true"}}
FARGATE = node(
    "fargate-ip-10-0-0-7",
    labels={"eks.amazonaws.com/compute-type": "fargate"},
    taint={"key": "eks.amazonaws.com/compute-type", "value": "fargate", "effect": "NoSchedule"},
)


@pytest.fixture
def handler(world, render):
    """Installs the handler and returns its DaemonSet, as it was sent to the API server."""

    def install(values=None, **config):
        made = values or addon_of(CHART, "imds").values(RunsOn.NODES, **config)
        objects = render(CHART, made | HEALTHY, NAMESPACE)
        world.make(*objects.values())
        (found,) = (one for (kind, _), one in objects.items() if kind == "DaemonSet")
        return found

    return install


def on_every_node(name):
    """A DaemonSet as EKS makes `aws-node` and `kube-proxy`, as far as the scheduler sees it."""
    labels = {"k8s-app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [{"name": name, "image": "none"}],
                },
            },
        },
    }


def settled(world, name=CHART):
    """The DaemonSet's status, once the controller has seen it and all its pods are ready."""

    def look():
        path = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/{name}"
        found = world.cluster.get(path)
        status, nodes = found["status"], world.cluster.items("/api/v1/nodes")
        seen = status.get("observedGeneration") == found["metadata"]["generation"]
        ready = status.get("numberReady") == status["desiredNumberScheduled"]
        return seen and ready and nodes and status

    return wait(look, 30)


def places(world):
    """How many of the handler's pods each node has."""
    settled(world)
    path = f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=k8s-app%3D{CHART}"
    return Counter(pod["spec"].get("nodeName") for pod in world.cluster.items(path))


@pytest.mark.feature("A0-16", "A4-06")
def test_it_runs_once_on_each_spot_node_where_it_is_told_so(world, handler):
    world.nodes(*on_demand(*ON_DEMAND), *spot(SPOT[0]))

    made = handler(nodeSelector={"lifecycle": "Ec2Spot"})
    at_first = places(world)
    world.nodes(*spot(SPOT[1]))
    wait(lambda: len(places(world)) > 1, 30)

    assert made["spec"]["template"]["spec"]["nodeSelector"] == LINUX | {"lifecycle": "Ec2Spot"}
    assert at_first == {SPOT[0]: 1}
    assert places(world) == dict.fromkeys(SPOT, 1)


@pytest.mark.feature("A0-17")
def test_it_runs_on_every_node_where_nothing_is_said(world, handler):
    world.nodes(*on_demand(*ON_DEMAND), *spot(*SPOT))

    made = handler()

    assert made["spec"]["template"]["spec"]["nodeSelector"] == LINUX
    assert places(world) == dict.fromkeys([*ON_DEMAND, *SPOT], 1)


@pytest.mark.feature("A0-21")
def test_the_check_shows_two_of_five(world, handler):
    world.nodes(*on_demand(*ON_DEMAND), *spot(*SPOT))
    handler(nodeSelector={"lifecycle": "Ec2Spot"})
    world.make(*(on_every_node(name) for name in ("aws-node", "kube-proxy")))
    for name in (CHART, "aws-node", "kube-proxy"):
        settled(world, name)

    told = world.documented("daemon-sets").splitlines()

    titles, *rows = [line.split() for line in told if line.strip()]
    assert titles[:6] == ["NAME", "DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE"]
    assert [row[:7] for row in rows] == [
        ["aws-node", *"55555", "<none>"],
        [CHART, *"22222", "kubernetes.io/os=linux,lifecycle=Ec2Spot"],
        ["kube-proxy", *"55555", "<none>"],
    ]


@pytest.mark.feature("A4-16")
@pytest.mark.parametrize(
    "affinity",
    [
        [],
        # Both are true of the Fargate node as well.
        [
            {"matchExpressions": [{"key": key, "operator": "Exists"}]}
            for key in ("kubernetes.io/os", "kubernetes.io/hostname")
        ],
    ],
    ids=["nothing", "terms"],
)
def test_it_keeps_off_fargate_whatever_the_user_adds(world, handler, affinity):
    world.nodes(*on_demand(ON_DEMAND[0]), *spot(SPOT[0]), FARGATE)

    handler(affinity=affinity)

    assert places(world) == {ON_DEMAND[0]: 1, SPOT[0]: 1}


@pytest.mark.feature("A4-16")
def test_with_the_charts_own_key_for_affinity_it_would_run_on_fargate_too(world, handler):
    world.nodes(*spot(SPOT[0]), FARGATE)
    term = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    values = addon_of(CHART, "imds").values(RunsOn.NODES)

    handler(values | {"affinity": {"nodeAffinity": required}})

    assert places(world) == {SPOT[0]: 1, FARGATE["metadata"]["name"]: 1}


@pytest.mark.feature("A4-17")
def test_of_karpenters_nodes_it_runs_on_those_on_spot_that_are_initialized(world, handler):
    def of_karpenter(name, capacity, **more):
        labels = {"karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": capacity}
        return node(name, labels=labels | more)

    initialized = {"karpenter.sh/initialized": "true"}
    world.nodes(
        *on_demand(ON_DEMAND[0]),
        of_karpenter("spot-ready", "spot", **initialized),
        of_karpenter("spot-new", "spot"),
        of_karpenter("on-demand", "on-demand", **initialized),
    )

    made = handler(nodes="karpenter")
    at_first = places(world)
    world.kubectl("label", "node", "spot-new", "karpenter.sh/initialized=true")
    wait(lambda: len(places(world)) > 1, 30)

    assert made["spec"]["template"]["spec"]["nodeSelector"] == LINUX | initialized | {
        "karpenter.sh/capacity-type": "spot"
    }
    assert at_first == {"spot-ready": 1}
    assert places(world) == {"spot-ready": 1, "spot-new": 1}
