"""The stand-in charts of the add-ons, given what the components give them."""

import json
from decimal import Decimal
from itertools import product
from typing import NamedTuple

import jsonschema
import pytest
from lightkube.utils.quantity import parse_quantity
from pydantic import TypeAdapter

from components.addons import cluster_autoscaler, node_termination_handler
from components.addons.addon import FARGATE_SIZE, NAMESPACE
from components.addons.aws_load_balancer_controller import component as aws_load_balancer_controller
from components.addons.efs_csi import component as efs_csi
from components.addons.external_dns import component as external_dns
from components.addons.kube_ops_view import component as kube_ops_view
from components.addons.metrics_server import component as metrics_server
from components.cluster.fargate_limits import pod_problems
from components.kubernetes.charts import ChartSource
from components.placement import Placement, RunsOn
from tests.cluster_refs import cluster_ref

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Addon(NamedTuple):
    """What is installed, and how the pods of its chief workload are known."""

    values: dict
    deployment: str
    labels: dict


def addon(chart, runs_on=RunsOn.FARGATE, images=None, **config):
    """The chart's values as the component makes them, with plain values as inputs."""
    common = {
        "cluster": cluster_ref(charts=ChartSource(images=images)),
        "placement": Placement(runs_on=runs_on),
    }
    match chart:
        case "aws-load-balancer-controller":
            part = aws_load_balancer_controller
            made = part.AwsLoadBalancerControllerConfig.model_validate(config)
            args = part.AwsLoadBalancerControllerArgs(config=made, vpc_id="vpc-1", **common)
            told = part.helm_values(args)
        case "external-dns":
            part = external_dns
            made = part.ExternalDnsConfig.model_validate({"zones": ["example.com"]} | config)
            args = part.ExternalDnsArgs(config=made, **common)
            told = part.helm_values(args, zone_ids=["Z1", "Z2"])
        case "cluster-autoscaler":
            part = cluster_autoscaler
            made = part.ClusterAutoscalerConfig.model_validate(config)
            args = part.ClusterAutoscalerArgs(config=made, **common)
            told = part.helm_values(args)
        case "metrics-server":
            part = metrics_server
            made = part.MetricsServerConfig.model_validate(config)
            args = part.MetricsServerArgs(config=made, **common)
            told = part.helm_values(args)
        case "aws-node-termination-handler":
            part = node_termination_handler
            made = TypeAdapter(part.NodeTerminationHandlerConfig).validate_python(config)
            args = part.NodeTerminationHandlerArgs(config=made, groups=["dev-spot"], **common)
            if made.mode == "imds":
                told = part.imds_values(args, made)
            else:
                told = part.queue_values(args, made, queue_url="https://sqs/dev-nth")
        case "kube-ops-view":
            part = kube_ops_view
            made = part.KubeOpsViewConfig.model_validate(config)
            args = part.KubeOpsViewArgs(config=made, **common)
            told = part.helm_values(args)
        case _:
            part = efs_csi
            made = part.EfsCsiConfig.model_validate(config)
            args = part.EfsCsiArgs(
                config=made, vpc_id="vpc-1", subnet_ids=["s"], security_group_ids=["g"], **common
            )
            told = part.helm_values(args)
    name = "efs-csi-controller" if chart == "aws-efs-csi-driver" else chart
    return Addon(told, name, made.POD_LABELS)


ADDONS = (
    "aws-load-balancer-controller",
    "external-dns",
    "cluster-autoscaler",
    "metrics-server",
    "kube-ops-view",
    "aws-efs-csi-driver",
    "aws-node-termination-handler",
)
MORE = {
    "aws-load-balancer-controller": {"replicas": 2, "defaultTags": {"team": "a", "env": "b"}},
    "external-dns": {"policy": "sync", "excludeDomains": ["office.example.com"]},
    "cluster-autoscaler": {
        "replicas": 2,
        "expander": "priority",
        "priorities": {10: [".*"], 50: [".*spot.*"]},
        "extraArgs": {"scale-down-utilization-threshold": 0.4},
    },
    "metrics-server": {"replicas": 2},
    "kube-ops-view": {"timeZone": "Asia/Seoul"},
    "aws-efs-csi-driver": {"replicas": 2},
    "aws-node-termination-handler": {"heartbeatIntervalSeconds": 60, "replicas": 1},
}


@pytest.fixture(scope="module")
def installed(render):
    """The objects that an add-on's chart makes with the component's values."""

    def run(chart, runs_on=RunsOn.FARGATE, **config):
        return render(chart, addon(chart, runs_on, **config).values, NAMESPACE)

    return run


def pod(objects, name, kind="Deployment"):
    return objects[kind, name]["spec"]["template"]


@pytest.mark.parametrize(
    ("chart", "runs_on", "images"),
    list(product(ADDONS, RunsOn, (None, "mirror.example.com/x"))),
)
def test_what_the_component_gives_has_only_keys_that_upstream_has(
    assembled, chart, runs_on, images
):
    schema = json.loads((assembled / chart / "values.schema.json").read_text())
    more = MORE[chart] | ({"nodeSelector": {"a": "b"}} if runs_on is RunsOn.NODES else {})

    jsonschema.validate(addon(chart, runs_on, images).values, schema)
    jsonschema.validate(addon(chart, runs_on, images, **more).values, schema)


def test_what_upstreams_own_schema_refuses_is_refused(assembled):
    schema = json.loads((assembled / "external-dns" / "values.schema.json").read_text())

    with pytest.raises(jsonschema.ValidationError, match="'create' is not one of"):
        jsonschema.validate({"policy": "create"}, schema)
    with pytest.raises(jsonschema.ValidationError, match="'polcy' was unexpected"):
        jsonschema.validate({"polcy": "sync"}, schema)


@pytest.mark.engine
@pytest.mark.parametrize(("chart", "runs_on"), list(product(ADDONS, RunsOn)))
def test_pods_are_those_that_the_component_says(installed, chart, runs_on):
    known = addon(chart, runs_on)

    objects = installed(chart, runs_on)

    deployment = objects["Deployment", known.deployment]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selector = deployment["spec"]["selector"]["matchLabels"]
    assert known.labels.items() <= labels.items()
    assert selector.items() <= labels.items()
    assert deployment["metadata"]["namespace"] == NAMESPACE
    for (kind, _), one in objects.items():
        if kind == "Service":
            assert one["spec"]["selector"].items() <= labels.items()
        if kind == "PodDisruptionBudget":
            assert one["spec"]["selector"]["matchLabels"] == selector


@pytest.mark.engine
@pytest.mark.parametrize("chart", ADDONS)
def test_fargate_can_run_them_in_its_smallest_size(installed, chart):
    known = addon(chart)

    spec = pod(installed(chart), known.deployment)["spec"]

    assert list(pod_problems(spec)) == []
    sizes = [container["resources"] for container in spec["containers"]]
    assert [size["requests"] for size in sizes] == [size["limits"] for size in sizes]
    for resource, most in FARGATE_SIZE.items():
        asked = [parse_quantity(size["requests"][resource]) for size in sizes]
        assert Decimal(0) < sum(asked) <= parse_quantity(most)
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get(REQUIRED)
    assert required is None
    assert spec.get("nodeSelector", {}).keys() <= {"kubernetes.io/os"}


@pytest.mark.engine
@pytest.mark.parametrize(
    "chart",
    [
        "aws-load-balancer-controller",
        "external-dns",
        "cluster-autoscaler",
        "aws-efs-csi-driver",
        "aws-node-termination-handler",
    ],
)
def test_an_account_with_rights_is_the_programs_and_the_pods_run_as_it(installed, chart):
    known = addon(chart)
    places = (known.values, known.values.get("controller", {}), known.values.get("rbac", {}))
    (account,) = (one["serviceAccount"] for one in places if "serviceAccount" in one)

    objects = installed(chart)

    assert ("ServiceAccount", account["name"]) not in objects
    assert pod(objects, known.deployment)["spec"]["serviceAccountName"] == account["name"]
    bound = {
        subject["name"]
        for (kind, name), one in objects.items()
        if kind.endswith("Binding") and "csi-node" not in name
        for subject in one["subjects"]
    }
    assert bound == {account["name"]}


@pytest.mark.engine
@pytest.mark.parametrize("chart", ["metrics-server", "kube-ops-view"])
def test_an_account_without_rights_is_the_charts(installed, chart):
    objects = installed(chart)

    assert ("ServiceAccount", chart) in objects
    assert pod(objects, chart)["spec"]["serviceAccountName"] == chart


@pytest.mark.engine
@pytest.mark.parametrize("chart", ADDONS)
def test_the_base_nodes_are_chosen_where_there_are_some(installed, chart):
    known = addon(chart)

    objects = installed(chart, RunsOn.NODES, nodeSelector={"lifecycle": "OnDemand"})

    selector = pod(objects, known.deployment)["spec"]["nodeSelector"]
    assert selector["lifecycle"] == "OnDemand"


@pytest.mark.engine
@pytest.mark.parametrize(
    "chart",
    [
        "aws-load-balancer-controller",
        "metrics-server",
        "aws-efs-csi-driver",
        "aws-node-termination-handler",
    ],
)
def test_a_disruption_budget_is_there_from_two_replicas_on(installed, chart):
    known = addon(chart)

    one, two = installed(chart, replicas=1), installed(chart, replicas=2)

    budget = ("PodDisruptionBudget", known.deployment)
    assert budget not in one
    assert budget in two
    assert two["Deployment", known.deployment]["spec"]["replicas"] == 2  # noqa: PLR2004
