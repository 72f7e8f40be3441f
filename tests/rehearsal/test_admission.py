"""EKS's webhooks and what the program does about them: a stack that runs on Fargate alone, one of
whose profiles is replaced, from nothing to nothing."""

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import yaml
from rich.console import Console

from rehearsal import account, leftovers
from rehearsal.account_things import Thing
from rehearsal.clients import Cluster, aws_client
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Outcome
from rehearsal.nodes_now import is_true
from rehearsal.state import ROOT
from tests.rehearsal.nodeless.stage import follow, of_type, one, watching

pytestmark = pytest.mark.engine

LABEL = "eks.amazonaws.com/fargate-profile"
SELECTED = {"namespace": "karpenter", "labels": {"app.kubernetes.io/name": "karpenter"}}


class Played(NamedTuple):
    """What was seen of the stack's life."""

    up: Outcome
    pods: list[dict[str, Any]]
    moved: Outcome
    ready: list[int]
    """How many pods of Karpenter were ready, again and again while the profile was replaced."""
    moved_pods: list[dict[str, Any]]
    profiles: list[str]
    """Those that EKS has after it."""
    again: Outcome
    left: list[Thing]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("admission")
    file = folder / "Pulumi.admitted.yaml"
    config = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())["config"]
    config["frugal-eks:addons"] = {"metricsServer": {}}
    for section in ("overprovisioning", "sampleWorkloads"):
        config.pop(f"frugal-eks:{section}")
    file.write_text(yaml.safe_dump({"config": config}))
    options = Options(state=folder / "state", stack="admitted", stack_file=file)
    rehearsal = Rehearsal(options, Console(file=io.StringIO(), width=200))
    rehearsal.start()
    try:
        yield play(rehearsal, config)
    finally:
        rehearsal.stop()


def play(rehearsal: Rehearsal, config: dict[str, Any]) -> Played:
    cluster = Cluster(rehearsal.state)

    def pods() -> list[dict[str, Any]]:
        return [
            pod
            for pod in cluster.items("/api/v1/pods")
            if "deletionTimestamp" not in pod["metadata"]
        ]

    def controllers() -> list[dict[str, Any]]:
        return [pod for pod in pods() if pod["metadata"]["namespace"] == "karpenter"]

    up, at_first = rehearsal.engine().up(), pods()
    config["frugal-eks:fargate"]["profiles"]["karpenter"] = [SELECTED]
    rehearsal.stack_path.write_text(yaml.safe_dump({"config": config}))
    with watching(lambda: sum(is_true(pod, "Ready") for pod in controllers())) as ready:
        moved = rehearsal.engine().up()
    moved_pods, again = controllers(), rehearsal.engine().preview()
    profiles = aws_profiles(rehearsal)
    rehearsal.engine().destroy()
    known = account.preexisting(rehearsal.stack_file, rehearsal.state.endpoints)
    left = leftovers.settle(rehearsal.state, known, patience=30, tell=lambda _: None)
    return Played(up, at_first, moved, ready, moved_pods, profiles, again, left)


def aws_profiles(rehearsal: Rehearsal) -> list[str]:
    eks = aws_client("eks", rehearsal.state.endpoints)
    return eks.list_fargate_profiles(clusterName="nodeless")["fargateProfileNames"]


@pytest.mark.behaviour("fargate-webhook-race-default-scheduler")
def test_every_pod_of_a_new_cluster_is_sent_to_fargate_though_its_webhook_learns_late(played):
    schedulers = {
        pod["metadata"]["name"]: (pod["spec"]["schedulerName"], is_true(pod, "Ready"))
        for pod in played.pods
    }

    assert set(schedulers.values()) == {("fargate-scheduler", True)}, schedulers
    owners = {name.split("-")[0] for name in schedulers}
    assert owners == {"karpenter", "coredns", "metrics"}


@pytest.mark.behaviour("fargate-replace-profile-pods-pending", "fargate-profile-one-at-a-time")
def test_a_profile_is_replaced_by_a_new_one_before_the_old_one_goes(played):
    steps = {step.op: step for step in of_type(played.moved, "FargateProfile")}

    made, gone = steps["create-replacement"], steps["delete-replaced"]
    assert follow(made, one(played.moved, "Release", "karpenter"), gone)
    assert played.again.is_empty


@pytest.mark.behaviour("fargate-overlapping-selectors")
def test_karpenter_moves_to_the_new_profile_and_is_never_away(played):
    (profile,) = [name for name in played.profiles if "karpenter" in name]

    assert [pod["metadata"]["labels"][LABEL] for pod in played.moved_pods] == [profile] * 2
    assert [is_true(pod, "Ready") for pod in played.moved_pods] == [True, True]
    assert min(played.ready) > 0


def test_nothing_is_left_after_the_destroy(played):
    assert played.left == []
