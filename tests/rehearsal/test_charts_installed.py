"""The stand-ins through a life: the engine, the Kubernetes provider's Helm, a control plane."""

import json
import time

import pytest

from components.addons.aws_load_balancer_controller import component as aws_load_balancer_controller
from components.addons.cluster_autoscaler import component as cluster_autoscaler
from components.addons.efs_csi import component as efs_csi
from components.addons.external_dns import component as external_dns
from components.placement import RunsOn
from rehearsal import charts, leftovers
from rehearsal.charts.placeholders import Placeholder
from rehearsal.clients import Cluster
from rehearsal.nodes_now import is_true
from tests.components.addons.programs import CHARTS
from tests.rehearsal.own_programs import engine_of, one_node

# The pods of this one come up with the real handler alone: test_termination_handler.py runs it.
INSTALLED = {each.section.CHART_NAME: each for each in CHARTS if not each.section.WITH_NODE_GROUPS}
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

from components.kubernetes.chart_release import chart_release
from components.kubernetes.charts import Chart, ChartSource, Installation

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
    chart_release(name, chart, into, source, opts)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    with one_node(tmp_path_factory.mktemp("charts") / "state") as made:
        yield made


@pytest.fixture
def engine(state, tmp_path, cli):
    """With a program that installs the stand-ins and a chart of the user's own."""
    charts.assemble(state.charts, [Placeholder("mine", "podinfo", "6.9.0")])
    values = {name: addon.values(RunsOn.NODES, **addon.more) for name, addon in INSTALLED.items()}
    settings = {
        "frugal-eks:charts": str(state.charts),
        "frugal-eks:accounts": json.dumps(ACCOUNTS),
        "frugal-eks:kubeconfig": state.kubeconfig.read_text(),
        "frugal-eks:values": json.dumps(values | {"podinfo": {"replicas": 3}}),
    }
    made = engine_of(PROGRAM, state, cli, tmp_path)
    made.prepare(settings)
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
