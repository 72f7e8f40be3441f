"""The scaling waits for what the stack file asks of Karpenter, and says what did not happen."""

import io
import itertools
import time
import types

import pytest
from rich.console import Console

from rehearsal import scenario
from rehearsal.errors import RehearsalError
from rehearsal.karpenter_commands import workload
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
        self.scaled = lambda: None

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
        self.scaled()


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
    monkeypatch.setattr(scenario, "PEACE_SECONDS", 0.2)
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


def test_nodes_that_karpenter_leaves_in_peace_for_long_enough_are_kept(cluster, play):
    cluster.replicas, cluster.nodes = 10, [node()]
    cluster.pools = [{"spec": {"disruption": {"consolidateAfter": "0.3s"}}}]
    began = time.monotonic()

    assert play.scale(INFLATE, [3])[0].nodes == [node()]

    # Both waits, one after the other.
    assert time.monotonic() - began > 0.5  # noqa: PLR2004


def test_nodes_whose_pods_still_move_are_not_in_peace(cluster, play, monkeypatch):
    cluster.replicas = 10
    moves = itertools.count()
    monkeypatch.setattr(scenario, "nodes_now", lambda *_: [node(pods=(f"default/{next(moves)}",))])

    with pytest.raises(RehearsalError, match=r"1 nodes at 0\.2000 USD an hour, before 0\.2000"):
        play.scale(INFLATE, [3])


def test_a_saving_is_an_end(cluster, play):
    cluster.replicas, cluster.nodes = 10, [node()]
    after = [node(price=BEFORE / 2)]
    cluster.scaled = lambda: setattr(cluster, "nodes", after)

    assert play.scale(INFLATE, [3])[0].nodes == after


def test_pods_that_made_room_are_waited_for(cluster, play):
    cluster.pods = [{"status": {"phase": phase}} for phase in ("Succeeded", "Failed")]
    assert play.scale(INFLATE, [3])

    cluster.pods += [{"status": {"phase": "Pending"}}]
    with pytest.raises(RehearsalError, match="1 pods wait, no node comes or goes"):
        play.scale(INFLATE, [10])


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


def test_a_sample_is_scaled_unless_another_deployment_is_named(tmp_path):
    platform = "urn:pulumi:try::frugal-eks::frugal-eks:index:Platform"

    def deployment(parent, namespace, name):
        urn = f"{platform}$frugal-eks:index:{parent}$kubernetes:apps/v1:Deployment::{name}"
        metadata = {"namespace": namespace, "name": name}
        token = "kubernetes:apps/v1:Deployment"
        return {"urn": urn, "type": token, "outputs": {"metadata": metadata}}

    engine = types.SimpleNamespace(
        resources=lambda: [
            {"urn": f"{platform}::platform", "type": "frugal-eks:index:Platform"},
            deployment("Overprovisioning", "pause", "pause-pods"),
            deployment("SampleWorkloads", "default", "inflate"),
        ]
    )
    file = tmp_path / "Pulumi.try.yaml"

    assert workload(engine, file) == INFLATE
    assert workload(engine, file, "pause-pods") == Workload("pause", "pause-pods")
    with pytest.raises(RehearsalError, match=r"no Deployment other \(there are: default/inflate, "):
        workload(engine, file, "other")


@pytest.mark.parametrize(
    ("text", "seconds"), [("0s", 0), ("1m", 60), ("1h30m", 5400), ("1m30s", 90), ("0.5s", 0.5)]
)
def test_durations_are_kubernetes_ones(text, seconds):
    assert duration(text) == seconds
