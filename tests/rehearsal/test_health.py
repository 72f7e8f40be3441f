"""A platform that does not work is told, with what is wrong."""

import io

import pytest
from rich.console import Console

from rehearsal import health
from rehearsal.errors import RehearsalError


class FakeCluster:
    """Lists by the last word of their path."""

    def __init__(self, **lists):
        self.lists = lists

    def items(self, path):
        return self.lists.get(path.rpartition("/")[2], [])


@pytest.fixture(autouse=True)
def console(monkeypatch):
    """Nobody waits here."""
    monkeypatch.setattr("rehearsal.progress.time.sleep", lambda _: None)
    monkeypatch.setattr(health, "PODS_SECONDS", 0.05)
    monkeypatch.setattr(health, "POOLS_SECONDS", 0.05)
    return Console(file=io.StringIO(), width=160)


def pod(name, phase, ready):
    return {
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def test_a_pod_without_a_place_is_named_with_what_was_said_about_it(console):
    event = {
        "involvedObject": {"kind": "Pod", "namespace": "kube-system", "name": "stuck"},
        "message": "0/4 nodes are available",
    }
    cluster = FakeCluster(
        pods=[pod("well", "Running", True), pod("done", "Succeeded", False)],
        events=[event],
    )
    health.pods(cluster, console)

    cluster.lists["pods"] += [pod("stuck", "Pending", False), pod("mute", "Pending", False)]
    with pytest.raises(RehearsalError, match="have no place to run") as failure:
        health.pods(cluster, console)

    assert str(failure.value).splitlines()[1:] == [
        "  kube-system/stuck (Pending): 0/4 nodes are available",
        "  kube-system/mute (Pending): nothing was said about it",
    ]


@pytest.mark.feature("A2-48")
def test_a_system_pod_off_fargate_fails_only_where_a_profile_takes_the_namespace(console):
    cluster = FakeCluster(pods=[pod("coredns-1", "Running", True)])

    health.system_pods(cluster, console, on_fargate=False)
    with pytest.raises(RehearsalError, match="not on Fargate: coredns-1"):
        health.system_pods(cluster, console, on_fargate=True)


@pytest.mark.feature("A2-55")
def test_a_pool_that_does_not_get_ready_fails(console):
    cluster = FakeCluster(nodepools=[{"metadata": {"name": "default"}}])

    with pytest.raises(RehearsalError, match="the table says why not"):
        health.pools(cluster, console)

    assert "Karpenter has not looked at it yet" in console.file.getvalue()
