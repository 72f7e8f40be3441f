import pulumi_aws as aws
import pytest

from components import versions
from components.addons.metrics_server import component as addon
from components.kubernetes.charts import ChartSource
from components.placement import RunsOn
from tests.cluster_refs import given

RELEASE = "kubernetes:helm.sh/v3:Release"
KUBELET = 10250
"""The port on which a node answers the control plane, and on Fargate the pod is the node."""


def metrics_server(config=None, **args):
    """A program with metrics-server, and a queue that stands for its pods' compute."""
    usual = {
        "config": addon.MetricsServerConfig(**(config or {})),
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


@pytest.mark.feature("B-38")
def test_it_is_the_pinned_chart_under_its_own_name_in_kube_system(once):
    release = once(on_fargate).one(RELEASE).inputs

    assert (release["name"], release["namespace"]) == ("metrics-server", "kube-system")
    assert release["version"] == versions.METRICS_SERVER_CHART == "3.13.1"
    assert release["chart"] == "metrics-server"
    assert release["repositoryOpts"] == {"repo": "https://kubernetes-sigs.github.io/metrics-server"}


@pytest.mark.feature("B-38")
def test_one_pod_of_fargate_s_smallest_size_is_all_it_takes(once):
    size = {"cpu": "250m", "memory": "256M"}

    assert values(once(on_fargate)) == {
        "containerPort": 10251,
        "replicas": 1,
        "resources": {"requests": size, "limits": size},
    }


def test_on_nodes_it_is_as_large_as_its_chart_makes_it(once, upstream_values):
    size = upstream_values("metrics-server")["resources"]["requests"]

    limits = {"memory": size["memory"]}
    assert values(once(on_nodes))["resources"] == {"requests": size, "limits": limits}


def test_two_pods_leave_their_nodes_one_by_one(once):
    built = once(on_nodes)

    assert values(built)["replicas"] == 1 + 1
    assert values(built)["podDisruptionBudget"] == {"enabled": True, "maxUnavailable": 1}
    assert values(built)["nodeSelector"] == {"lifecycle": "OnDemand"}


def test_no_selector_keeps_its_pod_from_fargate(deploy):
    built = deploy(lambda: metrics_server({"node_selector": {"lifecycle": "OnDemand"}}))

    assert "nodeSelector" not in values(built)


def test_size_is_a_setting(deploy):
    built = deploy(lambda: metrics_server({"cpu": "0.5", "memory": "1Gi"}))

    size = {"cpu": "0.5", "memory": "1Gi"}
    assert values(built)["resources"] == {"requests": size, "limits": size}


def test_chart_and_image_can_come_from_mirrors(once):
    release = once(from_mirrors).one(RELEASE).inputs

    image = "example.com/images/metrics-server/metrics-server"
    assert release["chart"] == "oci://example.com/charts/metrics-server"
    assert release["values"]["image"] == {"repository": image}


@pytest.mark.parametrize("program", [on_fargate, on_nodes, from_mirrors])
def test_every_value_is_one_that_the_chart_knows(once, unknown, program):
    # The chart hands `resources` on as they are; its own have requests only.
    assert unknown(values(once(program)), "metrics-server") == ["resources.limits"]


def test_it_has_no_rights_in_aws_and_needs_no_way_there(once):
    built = once(on_fargate)

    assert [each for each in built.declared if each.request.type.startswith("aws:iam")] == []
    assert addon.MetricsServerConfig.ENDPOINTS == ()


def test_it_comes_after_its_compute_and_goes_before_it(once):
    built = once(on_fargate)

    assert built.waits_for(built.one(RELEASE), built.one("aws:sqs/queue:Queue"))


def test_fargate_finds_its_pods_by_the_labels_of_the_chart():
    """Chart name and release name, as the chart's helper templates print them."""
    assert addon.MetricsServerConfig.POD_LABELS == {
        "app.kubernetes.io/name": "metrics-server",
        "app.kubernetes.io/instance": "metrics-server",
    }


@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_a_preview_shows_what_an_update_makes(once, program):
    preview, update = once(program, preview=True), once(program)

    assert preview.tree() == update.tree()
    assert values(preview) == values(update)
