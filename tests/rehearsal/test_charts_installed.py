"""The stand-ins through a life: the engine, the Kubernetes provider's Helm, a control plane."""

import io
import json
import sys
import time

import pytest
import yaml
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.client import Client
from lightkube.models.core_v1 import NodeStatus
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node
from rich.console import Console

from components.addons import (
    aws_load_balancer_controller,
    cluster_autoscaler,
    efs_csi,
    external_dns,
)
from components.pod_role import RunsOn
from rehearsal import charts, control_plane, leftovers, toolchain
from rehearsal.charts.placeholders import Placeholder
from rehearsal.clients import Cluster
from rehearsal.engine import Engine, EngineSetup
from rehearsal.nodes_now import is_true
from rehearsal.plugins import lay_plugins
from rehearsal.processes import Processes
from rehearsal.stack_file import StackFile
from rehearsal.state import ROOT, State
from tests.rehearsal.test_charts_addons import ADDONS, MORE, addon

# The pods of this one come up with the real handler alone: test_termination_handler.py runs it.
INSTALLED = [name for name in ADDONS if name != "aws-node-termination-handler"]
ACCOUNTS = (
    aws_load_balancer_controller.SERVICE_ACCOUNT,
    external_dns.SERVICE_ACCOUNT,
    cluster_autoscaler.SERVICE_ACCOUNT,
    efs_csi.SERVICE_ACCOUNT,
)
PROGRAM = """
import json

import pulumi
import pulumi_kubernetes as k8s

from components.charts import Chart, ChartSource, Installation

config = pulumi.Config()
source = ChartSource(mirror=config.require("charts"))
provider = k8s.Provider("cluster", kubeconfig=config.require("kubeconfig"))
accounts = [
    k8s.core.v1.ServiceAccount(
        account,
        metadata={"name": account, "namespace": "kube-system"},
        opts=pulumi.ResourceOptions(provider=provider),
    )
    for account in json.loads(config.require("accounts"))
]
for name, values in json.loads(config.require("values")).items():
    chart = Chart(name=name, repository="https://charts.example.com", version="1.0.0")
    into = Installation(namespace="kube-system", values=values)
    opts = pulumi.ResourceOptions(provider=provider, depends_on=accounts)
    source.release(name, chart, into, opts)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A control plane with one large node."""
    made = State(tmp_path_factory.mktemp("charts") / "state")
    made.create()
    try:
        plane = control_plane.start(made, toolchain.ensure(toolchain.CLUSTER))
        made.remember({"apiServer": plane.url, "aws": "", "region": "", "account": ""})
        capacity = {"cpu": "16", "memory": "64Gi", "pods": "50"}
        labels = {"kubernetes.io/os": "linux"}
        with Client(config=KubeConfig.from_file(made.kubeconfig).get(), trust_env=False) as client:
            client.create(
                Node(
                    metadata=ObjectMeta(
                        name="node", annotations={"kwok.x-k8s.io/node": "fake"}, labels=labels
                    ),
                    status=NodeStatus(capacity=capacity, allocatable=capacity),
                )
            )
        yield made
    finally:
        Processes(made).stop()


@pytest.fixture
def engine(state, tmp_path, cli):
    """With a program that installs the stand-ins and a chart of the user's own."""
    charts.assemble(state.charts, [Placeholder("mine", "podinfo", "6.9.0")])
    (tmp_path / "__main__.py").write_text(PROGRAM)
    (tmp_path / "Pulumi.yaml").write_text(
        f"name: frugal-eks\nruntime: {{name: python, options: {{virtualenv: '{sys.prefix}'}}}}\n"
    )
    values = {name: addon(name, RunsOn.NODES, **MORE[name]).values for name in INSTALLED}
    settings = {
        "frugal-eks:charts": str(state.charts),
        "frugal-eks:accounts": json.dumps(ACCOUNTS),
        "frugal-eks:kubeconfig": state.kubeconfig.read_text(),
        "frugal-eks:values": json.dumps(values | {"podinfo": {"replicas": 3}}),
    }
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text(yaml.safe_dump({"config": settings}))
    made = Engine(
        state,
        EngineSetup(cli=cli, environment={"PYTHONPATH": str(ROOT)}, project=tmp_path),
        StackFile.read(file, "try"),
        Console(file=io.StringIO(), width=200),
    )
    made.prepare()
    tool = "pulumi-resource-kubernetes"
    lay_plugins(made.plugins, toolchain.ensure([tool])[tool], None)
    return made


@pytest.mark.engine
def test_they_are_installed_run_preview_as_unchanged_and_go(state, engine):
    cluster = Cluster(state)
    before = leftovers.cluster_things(cluster)

    up = engine.up()

    made = [*INSTALLED, "podinfo", *ACCOUNTS, "stack", "provider"]
    assert up.changes == {"create": len(made)}
    pods = [
        pod["metadata"]["name"]
        for pod in cluster.items("/api/v1/namespaces/kube-system/pods")
        if not is_true(pod, "Ready")
    ]
    assert pods == []
    kept = cluster.get("/api/v1/namespaces/kube-system/configmaps/podinfo")
    assert kept["data"]["values.yaml"] == "replicas: 3"
    assert engine.preview().is_empty

    engine.destroy()

    # Helm has taken the Deployments away; the collector of their pods comes after it.
    end = time.monotonic() + 30
    while (now := leftovers.cluster_things(cluster)) != before and time.monotonic() < end:
        time.sleep(0.5)
    assert now == before
