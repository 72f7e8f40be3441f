import pulumi_aws as aws
import pytest

from components.addons.metrics_server import component as addon
from components.addons.metrics_server.config import MetricsServerConfig
from components.kubernetes.charts import ChartSource
from components.placement import RunsOn
from tests.cluster_refs import given

RELEASE = "kubernetes:helm.sh/v3:Release"
KUBELET = 10250
"""The port on which a node answers the control plane, and on Fargate the pod is the node."""


def metrics_server(config=None, **args):
    """A program with metrics-server, and a queue that stands for its pods' compute."""
    usual = {
        "config": MetricsServerConfig(**(config or {})),
        "needs": [aws.sqs.Queue("home")],
    }
    return addon.MetricsServer("metrics", given(addon.MetricsServerArgs, **(usual | args)))


def on_fargate():
    metrics_server()


def on_nodes():
    config = {"replicas": 2, "node_selector": {"lifecycle": "OnDemand"}}
    metrics_server(config, runs_on=RunsOn.NODES)


def from_mirrors():
    charts = ChartSource(mirror="oci://example.com/charts", images="example.com/images")
    metrics_server(charts=charts)


def values(built):
    return built.one(RELEASE).inputs["values"]


@pytest.mark.feature("B-38")
def test_it_answers_on_a_port_that_is_free_on_fargate_too(once, upstream_values):
    assert upstream_values("metrics-server")["containerPort"] == KUBELET
    for program in (on_fargate, on_nodes):
        assert values(once(program))["containerPort"] not in (KUBELET, 443)


def test_on_nodes_it_is_as_large_as_its_chart_makes_it(once, upstream_values):
    size = upstream_values("metrics-server")["resources"]["requests"]

    limits = {"memory": size["memory"]}
    assert values(once(on_nodes))["resources"] == {"requests": size, "limits": limits}


def test_two_pods_leave_their_nodes_one_by_one(once):
    built = once(on_nodes)

    assert values(built)["replicas"] == 1 + 1
    assert values(built)["podDisruptionBudget"] == {"enabled": True, "maxUnavailable": 1}
    assert values(built)["nodeSelector"] == {"lifecycle": "OnDemand"}


def test_it_has_no_rights_in_aws_and_needs_no_way_there(once):
    built = once(on_fargate)

    assert [each for each in built.declared if each.request.type.startswith("aws:iam")] == []
    assert MetricsServerConfig.ENDPOINTS == ()
