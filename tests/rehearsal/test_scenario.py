"""The scaling waits for what the stack file asks of Karpenter, and says what did not happen."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from rehearsal import scenario
from rehearsal.errors import RehearsalError
from rehearsal.nodes_now import Node
from rehearsal.scenario import Scenario, Workload, duration

INFLATE = Workload("default", "inflate")
BEFORE = 0.2


class PlayedCluster:
    """Pods run a moment after the Deployment is scaled; what else there is, the test says."""

    def __init__(self):
        self.replicas, self.ready = 0, 0
        self.nodes, self.claims, self.events, self.pods = [], [], [], []
        self.pools = [{"spec": {"disruption": {"consolidateAfter": "0s"}}}]

    def get(self, path):
        if not path.endswith("/inflate"):
            raise LookupError(path)
        ready, self.ready = self.ready, self.replicas
        return {
            "metadata": {"generation": 1},
            "spec": {"replicas": self.replicas},
            "status": {"observedGeneration": 1, "readyReplicas": ready, "replicas": ready},
        }

    def items(self, path):
        return getattr(
            self,
            {"nodeclaims": "claims", "nodepools": "pools"}.get(
                path.rpartition("/")[2], path.rpartition("/")[2]
            ),
        )

    def patch(self, path, change):
        assert path == "/apis/apps/v1/namespaces/default/deployments/inflate/scale"
        self.replicas = change["spec"]["replicas"]


def node(name="n1", price=BEFORE, pods=("default/inflate-1",), **more):
    fields = {
        "owner": "pool default",
        "instance_type": "c6a.xlarge",
        "capacity": "spot",
        "zone": "eu-west-1a",
        "instance_id": f"i-{name}",
        "ready": True,
        "leaving": False,
    }
    return Node(name=name, price=price, pods=pods, **(fields | more))


@pytest.fixture
def cluster(monkeypatch):
    """A cluster in which nobody waits long."""
    played = PlayedCluster()
    monkeypatch.setattr(scenario, "nodes_now", lambda *_: played.nodes)
    monkeypatch.setattr(scenario, "PriceList", lambda _: None)
    monkeypatch.setattr("rehearsal.progress.time.sleep", lambda _: None)
    monkeypatch.setattr(scenario, "NODE_SECONDS", 0.3)
    return played


@pytest.fixture
def play(cluster):
    endpoints = {"apiServer": "", "aws": "", "region": "eu-west-1", "account": "111122223333"}
    return Scenario(cluster, endpoints, Console(file=io.StringIO(), width=300))


def test_each_number_of_pods_is_a_scene(cluster, play):
    cluster.nodes = [node()]

    scenes = play.scale(INFLATE, [3, 10])

    assert [scene.title for scene in scenes] == ["inflate at 3", "inflate at 10"]
    assert scenes[1].cost == BEFORE
    assert cluster.replicas == 10  # noqa: PLR2004


def test_an_empty_node_that_stays_fails_the_scaling(cluster, play):
    cluster.replicas, cluster.nodes = 3, [node(pods=())]
    cluster.events = [
        {
            "involvedObject": {"kind": "Node", "name": "n1"},
            "reason": "DisruptionBlocked",
            "message": "a budget allows none",
            "lastTimestamp": "2026-11-21T00:00:00Z",
            "metadata": {},
        }
    ]

    with pytest.raises(RehearsalError, match="n1 without a pod, not yet removed") as failure:
        play.scale(INFLATE, [0])

    assert "Node n1: DisruptionBlocked: a budget allows none" in str(failure.value)


def test_a_node_that_karpenter_keeps_must_have_a_reason(cluster, play):
    cluster.replicas, cluster.nodes = 10, [node()]

    with pytest.raises(RehearsalError, match=r"1 nodes at 0\.2000 USD an hour, before 0\.2000"):
        play.scale(INFLATE, [3])

    cluster.replicas = 10
    later = datetime.now(UTC) + timedelta(seconds=1)
    cluster.events = [
        {
            "involvedObject": {"kind": "Node", "name": "n1"},
            "reason": "Unconsolidatable",
            "lastTimestamp": later.isoformat(),
            "metadata": {},
        }
    ]
    assert play.scale(INFLATE, [3])[0].nodes == [node()]


def test_a_claim_that_is_not_yet_a_node_is_waited_for(cluster, play):
    cluster.replicas = 3
    cluster.claims = [
        {
            "metadata": {"name": "default-x"},
            "status": {"conditions": [{"type": "Launched", "status": "True"}]},
        }
    ]

    with pytest.raises(RehearsalError, match="Karpenter is replacing or removing nodes"):
        play.scale(INFLATE, [0])


def test_a_deployment_that_is_not_there_is_named(play):
    with pytest.raises(RehearsalError, match="There is no Deployment default/other to scale"):
        play.scale(Workload("default", "other"), [1])


def test_only_spot_nodes_of_karpenter_can_be_interrupted(cluster, play):
    with pytest.raises(RehearsalError, match="Karpenter has no spot node now"):
        play.interrupt()

    cluster.nodes = [node(), node("n2", capacity="on-demand")]
    with pytest.raises(RehearsalError, match=r"No spot node of Karpenter's is called n2: .* n1"):
        play.interrupt("n2")


@pytest.mark.parametrize(
    ("text", "seconds"), [("0s", 0), ("1m", 60), ("1h30m", 5400), ("1m30s", 90), ("0.5s", 0.5)]
)
def test_durations_are_kubernetes_ones(text, seconds):
    assert duration(text) == seconds
