import json

import pytest

from components.addons.ebs_csi.component import configuration
from components.addons.ebs_csi.config import EbsCsiConfig
from components.cluster.fargate_limits import pod_problems
from components.placement import RunsOn
from rehearsal.aws.eks_service.addon_manifests import manifest
from tests.rehearsal.aws.endpoint.conftest import refused

NAME = "aws-ebs-csi-driver"
ROLE = "eks.amazonaws.com/role-arn"


@pytest.fixture
def create(aws):
    """Creates the add-on; answers the objects that it made, by kind and name."""
    aws.create_cluster(version="1.35")

    def run(values=None, **arguments):
        text = {"configurationValues": json.dumps(values)} if values else {}
        aws.eks.create_addon(clusterName="demo", addonName=NAME, **text, **arguments)
        return {(kind, name): one for (kind, _, name), one in aws.kubernetes.objects.items()}

    return run


def test_it_is_active_once_its_controllers_run(aws, create):
    create()

    def status():
        return aws.eks.describe_addon(clusterName="demo", addonName=NAME)["addon"]["status"]

    assert status() == "CREATING"
    controller = aws.kubernetes.named("Deployment")["ebs-csi-controller"]
    controller["status"] = {"availableReplicas": controller["spec"]["replicas"]}
    assert status() == "ACTIVE"


def test_the_role_is_the_controllers_alone(aws, create):
    role = aws.role("pods.eks.amazonaws.com")

    objects = create(serviceAccountRoleArn=role)

    accounts = {
        name: one["metadata"].get("annotations")
        for (kind, name), one in objects.items()
        if kind == "ServiceAccount"
    }
    assert accounts == {"ebs-csi-controller-sa": {ROLE: role}, "ebs-csi-node-sa": None}


def test_values_reach_the_workload_that_they_are_for(create):
    values = {
        "controller": {"replicaCount": 3, "nodeSelector": {"lifecycle": "OnDemand"}},
        "node": {"tolerations": [], "podLabels": {"team": "a"}},
    }

    objects = create(values)

    controller = objects["Deployment", "ebs-csi-controller"]["spec"]
    node = objects["DaemonSet", "ebs-csi-node"]["spec"]
    assert controller["replicas"] == values["controller"]["replicaCount"]
    assert controller["template"]["spec"]["nodeSelector"] == {"lifecycle": "OnDemand"}
    assert controller["template"]["spec"]["tolerations"]
    assert "nodeSelector" not in node["template"]["spec"]
    assert node["template"]["spec"]["tolerations"] == []
    assert node["template"]["metadata"]["labels"]["team"] == "a"
    assert "team" not in controller["template"]["metadata"]["labels"]


@pytest.mark.parametrize(("enabled", "there"), [(False, False), (True, True)])
def test_the_disruption_budget_can_be_left_out(create, enabled, there):
    objects = create({"controller": {"podDisruptionBudget": {"enabled": enabled}}})

    assert (("PodDisruptionBudget", "ebs-csi-controller") in objects) is there


@pytest.mark.parametrize("key", ["region", "replicas", "k8sTagClusterId"])
def test_values_that_eks_does_not_know_are_refused(create, key):
    message = refused(lambda: create({"controller": {key: "a"}}))

    assert (
        f"$.controller: Additional properties are not allowed ('{key}' was unexpected)" in message
    )


def test_fargate_can_run_the_controller_and_gets_no_node_pod():
    pods = {
        one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in manifest(NAME).workloads
    }

    assert list(pod_problems(pods["ebs-csi-controller"])) == []
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    assert required not in pods["ebs-csi-controller"]["affinity"]["nodeAffinity"]
    (term,) = pods["ebs-csi-node"]["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"]
    (rule,) = term["matchExpressions"]
    assert (rule["operator"], "fargate" in rule["values"]) == ("NotIn", True)


@pytest.mark.parametrize("runs_on", RunsOn)
def test_what_the_component_configures_is_taken(create, runs_on):
    config = EbsCsiConfig.model_validate(
        {"replicas": 2, "nodeSelector": {"a": "b"}, "volumeTags": {"team": "platform"}}
    )

    objects = create(configuration(config, runs_on))

    controller = objects["Deployment", "ebs-csi-controller"]
    labels = controller["spec"]["template"]["metadata"]["labels"]
    assert controller["spec"]["replicas"] == config.replicas
    assert EbsCsiConfig.POD_LABELS.items() <= labels.items()
