"""Karpenter and CoreDNS on a managed node group instead of Fargate, from nothing to nothing."""

from typing import Any

import pytest

from components.kubernetes.admission import CREDENTIALS, variables
from rehearsal import report
from rehearsal.nodes_now import is_true
from tests.rehearsal.nodeless.stage import COREDNS, KARPENTER, Config, Stage, wait, watching

pytestmark = pytest.mark.engine
ASSOCIATED = ("aws-load-balancer-controller", "efs-csi-controller-sa", "external-dns")
"""Service accounts of kube-system with a pod identity association. aws-node has one too: its pods
come with the nodes, on AWS minutes after it, here at once."""

BASE = {
    "instanceTypes": ["m6i.large", "m5.large"],
    "releaseVersion": "1.35.8-20260917",
    "size": {"min": 2, "max": 3},
    "labels": {"lifecycle": "OnDemand"},
}
TYPE = "node.kubernetes.io/instance-type"


JOINING = ("externalDns", "kubeOpsView")
"""Add-ons that come when the nodes are there already."""


def on_nodes(config: Config) -> None:
    del config["frugal-eks:fargate"]
    config["frugal-eks:managedNodeGroups"] = {"base": BASE}


def other_types(config: Config) -> None:
    config["frugal-eks:managedNodeGroups"]["base"]["instanceTypes"] = ["m6a.large"]


def newer_minor(config: Config) -> None:
    config["frugal-eks:cluster"]["version"] = "1.36"
    config["frugal-eks:managedNodeGroups"]["base"]["releaseVersion"] = "1.36.2-20260818"


def base_nodes(stage: Stage) -> dict[str, dict[str, Any]]:
    """The group's nodes that are ready, by name."""
    return {
        node["metadata"]["name"]: node
        for node in stage.cluster.items("/api/v1/nodes")
        if node["metadata"]["labels"].get("lifecycle") == "OnDemand" and is_true(node, "Ready")
    }


def hosts(stage: Stage) -> set[str]:
    """The nodes of Karpenter's and CoreDNS' pods, once all of these are ready."""
    pods = [*stage.pods(KARPENTER), *stage.pods(COREDNS)]
    ready = len(pods) == 4 and all(is_true(pod, "Ready") for pod in pods)  # noqa: PLR2004
    return {pod["spec"]["nodeName"] for pod in pods} if ready else set()


def base_group(stage: Stage) -> dict[str, Any]:
    """The only node group, as EKS describes it."""
    eks = stage.aws("eks")
    (name,) = eks.list_nodegroups(clusterName="nodeless")["nodegroups"]
    return eks.describe_nodegroup(clusterName="nodeless", nodegroupName=name)["nodegroup"]


@pytest.mark.feature("B-13", "B-35", "B-42")
@pytest.mark.behaviour("pod-identity-association-late")
def test_karpenter_lives_on_a_managed_group_that_changes_and_leaves_nothing(tmp_path):
    stage = Stage(tmp_path)
    addons = stage.document["config"]["frugal-eks:addons"]
    joining = {key: addons.pop(key) for key in JOINING}
    stage.keep(on_nodes)
    stage.rehearsal.start()
    try:
        # Helm waits for the controller's pods, and they for the real controller's health.
        stage.engine.up()
        # These pods have a node at once: only the association's age is to be waited for.
        stage.keep(lambda config: config["frugal-eks:addons"].update(joining))
        stage.engine.up()
        pods = stage.cluster.items("/api/v1/namespaces/kube-system/pods")
        again = stage.engine.preview()
        pools_ready = report.pools_table(stage.cluster)[1]
        before = base_nodes(stage)

        stage.keep(other_types)
        with watching(lambda: len(base_nodes(stage))) as replacing:
            stage.engine.up()
            replaced = base_nodes(stage)
            moved = wait(lambda: hosts(stage))
        after_types = stage.engine.preview()

        stage.keep(newer_minor)
        with watching(lambda: len(base_nodes(stage))) as rolling:
            upgrade = stage.engine.up()
            rolled = base_nodes(stage)
            moved_again = wait(lambda: hosts(stage))
        after_minor = stage.engine.preview()
        group = base_group(stage)

        stage.engine.destroy()
        left = stage.left()
    finally:
        stage.rehearsal.stop()

    associated = [pod for pod in pods if pod["spec"]["serviceAccountName"] in ASSOCIATED]
    assert {pod["spec"]["serviceAccountName"] for pod in associated} == {*ASSOCIATED}
    assert all(CREDENTIALS in variables(pod) for pod in associated)
    assert pools_ready
    assert [again.is_empty, after_types.is_empty, after_minor.is_empty] == [True] * 3
    assert {node["metadata"]["labels"][TYPE] for node in replaced.values()} == {"m6a.large"}
    assert not replaced.keys() & before.keys()
    assert moved <= replaced.keys()
    assert min(replacing) >= len(before)
    assert (group["version"], group["releaseVersion"]) == ("1.36", "1.36.2-20260818")
    steps = {step.type: step for step in upgrade.steps if step.op == "update"}
    control_plane, nodes = steps["aws:eks/cluster:Cluster"], steps["aws:eks/nodeGroup:NodeGroup"]
    assert control_plane.finished is not None
    assert control_plane.finished <= nodes.started
    assert not rolled.keys() & replaced.keys()
    assert moved_again <= rolled.keys()
    assert min(rolling) >= len(replaced)
    assert left == []
