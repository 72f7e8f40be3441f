"""The shipped stack comes up as it was previewed, in the order that it needs, and stays so."""

import pytest

from tests.rehearsal.nodeless.stage import changed, follow, of_type, one

pytestmark = pytest.mark.engine


@pytest.mark.feature("B-07")
def test_a_mistaken_stack_file_is_told_once_and_makes_nothing(mistaken):
    assert mistaken.exit_code == 1
    assert "Traceback" not in mistaken.told
    for mistake in ("cluster.version", "network.nat:", "nodePools.default.nodeClass"):
        assert mistaken.told.count(mistake) == 1, mistaken.told
    assert mistaken.left == []


@pytest.mark.feature("B-42")
def test_the_first_preview_shows_all_that_up_makes(made):
    planned = {step.urn for step in made.first_preview.steps if step.op == "create"}
    done = {step.urn for step in made.up.steps if step.op == "create"}

    assert made.first_preview.succeeded
    assert {urn for urn in done - planned if "pulumi:providers:" not in urn} == set()
    assert planned - done == set()


@pytest.mark.feature("C-21", "B-34")
def test_a_preview_after_up_is_empty(made):
    assert made.second_preview.is_empty, changed(made.second_preview)


@pytest.mark.feature("B-45")
def test_no_token_is_in_the_state_or_in_a_log_of_the_engine(made, stage):
    assert made.token not in made.state_text
    folder = stage.rehearsal.state.path
    files = [*folder.glob("backend/**/*"), *folder.glob("logs/engine-*")]
    read = [file for file in files if file.is_file()]
    assert read
    assert [file for file in read if made.token in file.read_text(errors="replace")] == []


@pytest.mark.feature("A2-01")
def test_the_stack_has_no_group_of_nodes(made):
    types = {resource["type"] for resource in made.resources}

    assert not [t for t in types if "nodeGroup" in t or "autoscaling" in t]
    assert any("FargateProfile" in t for t in types)


@pytest.mark.feature("A2-42", "A2-48")
def test_every_pod_finds_its_place(made):
    system = [pod for pod in made.pods if pod.namespace == "kube-system"]
    of_nodes = [pod for pod in system if pod.owner == "DaemonSet"]
    others = {pod.name: (pod.runs_on, pod.size) for pod in system if pod not in of_nodes}
    elsewhere = [(p.namespace, p.runs_on, p.size) for p in made.pods if p not in system]

    assert made.off_fargate == []
    # CoreDNS is two, and each of the five add-ons one: the smallest size that Fargate has.
    assert sorted(name.rsplit("-", 2)[0] for name in others) == [
        "aws-load-balancer-controller",
        "coredns",
        "coredns",
        "efs-csi-controller",
        "external-dns",
        "kube-ops-view",
        "metrics-server",
    ]
    assert set(others.values()) == {("fargate", "0.25vCPU 0.5GB")}
    assert {pod.runs_on for pod in of_nodes} == {"karpenter"}
    assert sorted(elsewhere) == [
        ("karpenter", "fargate", "1vCPU 2GB"),
        ("karpenter", "fargate", "1vCPU 2GB"),
        ("pause", "karpenter", ""),
        ("pause", "karpenter", ""),
    ]


@pytest.mark.feature("A2-55")
def test_pools_and_node_classes_are_ready(made):
    assert made.pools_ready


@pytest.mark.feature("C-18")
def test_the_stack_is_made_in_the_order_that_it_needs(made):
    control_plane = one(made.up, "eks/cluster:Cluster")
    profiles = of_type(made.up, "FargateProfile")
    controller = next(r for r in of_type(made.up, "Release", "karpenter") if "crd" not in r.name)

    inflate = one(made.up, "apps/v1:Deployment", "inflate")
    assert follow(control_plane, profiles[0], controller, one(made.up, "NodePool"), inflate)
    assert follow(one(made.up, "LogGroup"), control_plane)
    # Beside the control plane, not in front of it.
    assert one(made.up, "NatGateway").started < control_plane.finished


@pytest.mark.feature("B-23")
def test_fargate_profiles_are_made_and_deleted_one_at_a_time(made, end):
    for outcome in (made.up, end.destroy):
        profiles = of_type(outcome, "FargateProfile")
        assert len(profiles) == 2, profiles  # noqa: PLR2004
        assert follow(*profiles)
    assert "karpenter" in of_type(made.up, "FargateProfile")[0].name


def test_roles_carry_the_names_that_others_refer_to(made):
    assert "KarpenterNodeRole-nodeless" in made.roles


@pytest.mark.feature("C-25")
def test_a_stack_of_the_same_name_comes_up_where_one_has_been(end, second):
    assert end.left == []
    assert second.up.succeeded
    # All is new but the role for spot requests, which is the account's, and the log group that EKS
    # has made again.
    made = {(step.op, step.name) for step in second.up.steps if step.custom and step.op != "create"}
    assert made == {("import", "spot"), ("import", "cluster-logs"), ("update", "cluster-logs")}
