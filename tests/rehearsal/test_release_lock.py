"""A Helm release whose update is killed: Helm's refusal, the advice, and that the advice heals."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from components.kubernetes.release_lock import LOCKED, TAKEN
from rehearsal import charts
from rehearsal.clients import Cluster
from rehearsal.engine import Engine, EngineError
from tests.rehearsal.own_programs import engine_of, one_node

SECRETS = "/api/v1/namespaces/kube-system/secrets"
PROGRAM = """
import json

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.chart_release import chart_release
from components.kubernetes.charts import Chart, ChartSource, Installation

config = pulumi.Config()
provider = k8s.Provider("cluster", kubeconfig=config.require("kubeconfig"))
chart_release(
    "metrics",
    Chart(name="metrics-server", repository="https://charts.example.com", version="1.0.0"),
    Installation(namespace="kube-system", values=json.loads(config.require("values"))),
    ChartSource(mirror=config.require("charts")),
    pulumi.ResourceOptions(provider=provider),
)
"""
FIRST: dict[str, Any] = {"podAnnotations": {"try": "one"}}
SECOND: dict[str, Any] = {"podAnnotations": {"try": "two"}}
THIRD: dict[str, Any] = {"podAnnotations": {"try": "three"}}
NODE = "/api/v1/nodes/node"


@pytest.fixture
def state(tmp_path):
    with one_node(tmp_path / "state", cordoned=True) as made:
        charts.assemble(made.charts)
        yield made


@pytest.fixture
def engine(state, tmp_path, cli):
    """The engine, prepared to install the chart with these values."""
    made = engine_of(PROGRAM, state, cli, tmp_path)

    def prepared(values: Mapping[str, Any]) -> Engine:
        made.prepare(
            {
                "frugal-eks:charts": str(state.charts),
                "frugal-eks:kubeconfig": state.kubeconfig.read_text(),
                "frugal-eks:values": json.dumps(values),
            }
        )
        return made

    return prepared


def killed(engine: Engine, cluster: Cluster, status: str) -> None:
    """Start an update, kill it and all it has started while Helm's record has this status."""
    selector = quote(f"owner=helm,name=metrics-server,status={status}")
    with engine.started("up", ["--yes", "--skip-preview"], subprocess.DEVNULL) as running:
        end = time.monotonic() + 120
        while not cluster.items(f"{SECRETS}?labelSelector={selector}"):
            assert running.poll() is None, running.communicate()[0]
            assert time.monotonic() < end, f"Helm has never been at {status}"
            time.sleep(0.2)
        os.killpg(running.pid, signal.SIGKILL)
    engine.recover()


def heal(cluster: Cluster, failure: EngineError) -> None:
    """Do what the error says: the API's own form of the kubectl command in it."""
    command = re.search(r"`kubectl delete secret -n (\S+) -l '([^']+)'`", str(failure))
    assert command, str(failure)
    namespace, selector = command.groups()
    cluster.delete(f"/api/v1/namespaces/{namespace}/secrets?labelSelector={quote(selector)}")


@pytest.mark.engine
@pytest.mark.behaviour("helm-first-install-failed-blocks-name", "helm-pending-release-locks")
def test_an_update_that_was_killed_says_what_heals_the_release_and_that_heals_it(state, engine):
    cluster = Cluster(state)

    killed(engine(FIRST), cluster, "pending-install")
    cluster.patch(NODE, {"spec": {"unschedulable": False}})
    with pytest.raises(EngineError, match=re.escape(TAKEN)) as refused:
        engine(FIRST).up()
    heal(cluster, refused.value)
    assert engine(FIRST).up().succeeded
    assert engine(FIRST).preview().is_empty

    cluster.patch(NODE, {"spec": {"unschedulable": True}})
    killed(engine(SECOND), cluster, "pending-upgrade")
    cluster.patch(NODE, {"spec": {"unschedulable": False}})
    # The refresh of `recover` took the values of the broken upgrade from Helm's record.
    with pytest.raises(EngineError, match=re.escape(LOCKED)) as refused:
        engine(THIRD).up()
    heal(cluster, refused.value)
    assert engine(THIRD).up().succeeded
    assert engine(THIRD).preview().is_empty

    assert engine(THIRD).destroy().succeeded
    assert cluster.items(f"{SECRETS}?labelSelector={quote('owner=helm')}") == []
