"""The EKS node monitoring agent: what is its own beside the contract of all add-ons."""

import json

import pytest

from components import versions
from components.placement import RunsOn
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.addon_manifests import parse_values
from tests.components.addons.programs import ADDONS

(AGENT,) = [each for each in ADDONS if each.folder == "node_monitoring_agent"]
NAME = "eks-node-monitoring-agent"


def addon(deploy, **keys):
    return deploy(AGENT.program(RunsOn.FARGATE, keys=keys)).one("aws:eks/addon:Addon").inputs


def test_it_is_the_pinned_build_with_a_bound_of_its_memory(deploy):
    made = addon(deploy)

    assert made["addonName"] == NAME
    assert made["addonVersion"] == versions.EKS_ADDONS["1.35"][NAME]
    assert json.loads(made["configurationValues"]) == {
        "nodeAgent": {"resources": {"limits": {"memory": "200Mi"}}}
    }


def test_it_chooses_nodes_wherever_other_pods_of_the_namespace_run(deploy):
    """A profile of kube-system takes no DaemonSet's pods."""
    made = addon(deploy, nodeSelector={"team": "data"}, memory="1Gi")

    values = parse_values(NAME, made["configurationValues"])
    assert values["nodeAgent"]["nodeSelector"] == {"team": "data"}
    assert values["nodeAgent"]["resources"] == {"limits": {"memory": "1Gi"}}


def test_eks_refuses_what_the_add_ons_schema_does_not_know():
    with pytest.raises(AwsError, match="tolerationz"):
        parse_values(NAME, '{"nodeAgent": {"tolerationz": []}}')
