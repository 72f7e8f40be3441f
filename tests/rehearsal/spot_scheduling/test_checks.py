"""The guide's commands, as they stand there, on a cluster with the guide's nodes."""

import time

import pytest

from components.workloads.sample_workloads.config import EcsdemoConfig
from components.workloads.sample_workloads.ecsdemo import deployment as sample
from tests.rehearsal.spot_scheduling.world import (
    ON_DEMAND,
    SPOT,
    deployment,
    on_demand,
    spot,
)

pytestmark = pytest.mark.engine

SERVICES = ("frontend", "crystal", "nodejs")


def table(text):
    """The rows of what kubectl prints, as lists of words, the first of them the titles."""
    return [line.split() for line in text.splitlines() if line.strip()]


@pytest.fixture
def five_nodes(world):
    """The guide's: three that are there for a while, then two spot nodes."""
    world.nodes(*on_demand(*ON_DEMAND))
    # An age is whole seconds.
    time.sleep(1.1)
    world.nodes(*spot(*SPOT))
    return world


@pytest.mark.feature("A0-12")
def test_the_nodes_by_age_show_the_new_ones_last_with_status_and_version(five_nodes):
    titles, *rows = table(five_nodes.documented("nodes-by-age"))

    assert titles == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert {row[0] for row in rows[:3]} == set(ON_DEMAND)
    assert {row[0] for row in rows[3:]} == set(SPOT)
    assert {row[1] for row in rows} == {"Ready"}
    version = five_nodes.cluster.get(f"/api/v1/nodes/{SPOT[0]}")["status"]["nodeInfo"]
    assert {row[4] for row in rows} == {version["kubeletVersion"]}


@pytest.mark.feature("A0-13")
def test_each_selector_finds_its_nodes_and_no_other(five_nodes):
    rows = table(five_nodes.documented("nodes-by-lifecycle"))

    titles = ["NAME", "STATUS", "ROLES", "AGE", "VERSION", "LIFECYCLE"]
    assert [row for row in rows if row[0] == "NAME"] == [titles, titles]
    found = [(row[0], row[-1]) for row in rows if row != titles]
    assert sorted(found[:2]) == sorted((name, "Ec2Spot") for name in SPOT)
    assert sorted(found[2:]) == sorted((name, "OnDemand") for name in ON_DEMAND)


@pytest.mark.feature("A0-14")
def test_the_taint_is_shown_on_the_spot_nodes_only(five_nodes):
    _, *rows = table(five_nodes.documented("taints"))

    wanted = [[name, "OnDemand", "<none>"] for name in ON_DEMAND]
    wanted += [[name, "Ec2Spot", "PreferNoSchedule"] for name in SPOT]
    assert sorted(rows) == sorted(wanted)


@pytest.mark.feature("A0-30")
def test_the_pods_of_each_spot_node_are_shown_before_and_after_the_preference(five_nodes):
    def by_node():
        blocks = five_nodes.documented("pods-on-spot").strip().split("\n\n")
        found = {}
        for block in blocks:
            title, *lines = block.splitlines()
            assert title.startswith("Pods on ")
            found[title.removeprefix("Pods on ").rstrip(":")] = [line.split()[:2] for line in lines]
        return found

    def redeploy(**settings):
        five_nodes.make(*(sample(one, EcsdemoConfig(**settings), "brentley") for one in SERVICES))
        for one in SERVICES:
            five_nodes.kubectl("rollout", "status", f"deployment/ecsdemo-{one}", "--timeout=30s")

    # One of another namespace, which the guide's command shows too.
    five_nodes.make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    agent = deployment("agent", 1, {"nodeName": SPOT[0]})
    agent["metadata"]["namespace"] = "other"
    five_nodes.make(agent)
    five_nodes.places("agent", 1, "other")
    redeploy(spot_preference=False)
    before = by_node()
    redeploy()
    after = by_node()

    (running,) = five_nodes.pods("agent", "other")
    own = ["other", running["metadata"]["name"]]
    assert before == {SPOT[0]: [own], SPOT[1]: []}
    assert set(after) == set(SPOT)
    shown = [pod for pods in after.values() for pod in pods]
    names = [name for namespace, name in shown if namespace == "default"]
    assert sorted(name.rsplit("-", 2)[0] for name in names) == sorted(
        f"ecsdemo-{one}" for one in SERVICES
    )
    assert own in after[SPOT[0]]
