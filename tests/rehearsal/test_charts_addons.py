"""The stand-in charts of the add-ons, given what the components give them."""

import json
from decimal import Decimal
from itertools import product

import jsonschema
import pytest
from lightkube.utils.quantity import parse_quantity
from pydantic import ValidationError

from components.addons.addon_config import FARGATE_SIZE, NAMESPACE
from components.cluster.fargate_limits import pod_problems
from components.placement import RunsOn
from tests.components.addons.programs import CHARTS

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


DEPLOYMENTS = {"aws-efs-csi-driver": "efs-csi-controller"}
"""Names of the chief workload where it is not the chart's."""
each_chart = pytest.mark.parametrize("addon", CHARTS, ids=lambda each: each.section.__name__)
each_deployment = pytest.mark.parametrize(
    "addon",
    [each for each in CHARTS if not each.section.ON_EVERY_NODE],
    ids=lambda each: each.section.__name__,
)


@pytest.fixture
def installed(render):
    """The objects that an add-on's chart makes with the component's values."""

    def run(addon, runs_on=RunsOn.FARGATE, **keys):
        return render(addon.section.CHART_NAME, addon.values(runs_on, **keys), NAMESPACE)

    return run


def deployment(addon):
    chart = addon.section.CHART_NAME
    return DEPLOYMENTS.get(chart, chart)


def pod(objects, name, kind="Deployment"):
    return objects[kind, name]["spec"]["template"]


def service_account(values):
    """What the values say of the chief workload's account; empty where the chart makes it."""
    places = (values, values.get("controller", {}), values.get("rbac", {}))
    return next((each["serviceAccount"] for each in places if "serviceAccount" in each), {})


@each_chart
@pytest.mark.parametrize(
    ("runs_on", "images"), list(product(RunsOn, (None, "mirror.example.com/x")))
)
def test_what_the_component_gives_has_only_keys_that_upstream_has(
    assembled, addon, runs_on, images
):
    chart = addon.section.CHART_NAME
    schema = json.loads((assembled / chart / "values.schema.json").read_text())
    more = addon.more | ({"nodeSelector": {"a": "b"}} if runs_on is RunsOn.NODES else {})

    jsonschema.validate(addon.values(runs_on, images), schema)
    jsonschema.validate(addon.values(runs_on, images, **more), schema)


def test_what_upstreams_own_schema_refuses_is_refused(assembled):
    schema = json.loads((assembled / "external-dns" / "values.schema.json").read_text())

    with pytest.raises(jsonschema.ValidationError, match="'create' is not one of"):
        jsonschema.validate({"policy": "create"}, schema)
    with pytest.raises(jsonschema.ValidationError, match="'polcy' was unexpected"):
        jsonschema.validate({"polcy": "sync"}, schema)


@pytest.mark.engine
@each_deployment
@pytest.mark.parametrize("runs_on", RunsOn)
def test_pods_are_those_that_the_component_says(installed, addon, runs_on):
    objects = installed(addon, runs_on)

    workload = objects["Deployment", deployment(addon)]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    selector = workload["spec"]["selector"]["matchLabels"]
    assert addon.section.POD_LABELS.items() <= labels.items()
    assert selector.items() <= labels.items()
    assert workload["metadata"]["namespace"] == NAMESPACE
    for (kind, _), each in objects.items():
        if kind == "Service":
            assert each["spec"]["selector"].items() <= labels.items()
        if kind == "PodDisruptionBudget":
            assert each["spec"]["selector"]["matchLabels"] == selector


@pytest.mark.engine
@each_deployment
def test_fargate_can_run_them_in_its_smallest_size(installed, addon):
    spec = pod(installed(addon), deployment(addon))["spec"]

    assert list(pod_problems(spec)) == []
    sizes = [container["resources"] for container in spec["containers"]]
    assert [size["requests"] for size in sizes] == [size["limits"] for size in sizes]
    for resource, most in FARGATE_SIZE.items():
        requests = [parse_quantity(size["requests"][resource]) for size in sizes]
        assert Decimal(0) < sum(requests) <= parse_quantity(most)
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get(REQUIRED)
    assert required is None
    assert spec.get("nodeSelector", {}).keys() <= {"kubernetes.io/os"}


@pytest.mark.engine
@each_deployment
def test_the_pods_run_as_the_programs_account_or_the_charts(installed, addon):
    account = service_account(addon.values())
    name = account.get("name", deployment(addon))

    objects = installed(addon)

    assert (("ServiceAccount", name) in objects) is account.get("create", True)
    assert pod(objects, deployment(addon))["spec"]["serviceAccountName"] == name
    bound = {
        subject["name"]
        for (kind, binding), each in objects.items()
        if kind.endswith("Binding") and "csi-node" not in binding
        for subject in each["subjects"]
    }
    assert bound == {name}


@pytest.mark.engine
@each_deployment
def test_the_base_nodes_are_chosen_where_there_are_some(installed, addon):
    objects = installed(addon, RunsOn.NODES, nodeSelector={"lifecycle": "OnDemand"})

    selector = pod(objects, deployment(addon))["spec"]["nodeSelector"]
    assert selector["lifecycle"] == "OnDemand"


@pytest.mark.engine
@each_deployment
def test_a_drain_takes_one_of_two_replicas_at_a_time_and_is_not_held_up_by_one(installed, addon):
    try:
        two = installed(addon, replicas=2)
    except ValidationError:
        return  # Two of these pods would do the same work twice: the section refuses them.
    one = installed(addon, replicas=1)

    budget = ("PodDisruptionBudget", deployment(addon))
    assert one.get(budget, {"spec": {"maxUnavailable": 1}})["spec"]["maxUnavailable"] == 1
    assert two[budget]["spec"]["maxUnavailable"] == 1
    assert two["Deployment", deployment(addon)]["spec"]["replicas"] == 2  # noqa: PLR2004
