"""A first `up`, whose endpoint and administrators work some seconds after EKS says so."""

import io
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

import pytest
import yaml
from rich.console import Console

from rehearsal.clients import ANYONE
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Engine, EngineSetup, Outcome

pytestmark = pytest.mark.engine

ADMIN = "arn:aws:iam::111122223333:role/ops/platform-admin"
CONFIG = {
    "aws:region": "eu-west-1",
    # The environment's credentials are somebody's who may do nothing in the cluster.
    "aws:assumeRoles": [{"roleArn": ADMIN, "sessionName": "deploy"}],
    "frugal-eks:cluster": {
        "name": "late",
        "version": "1.35",
        "endpoint": {"private": True},
        "admins": [ADMIN],
        "deletionProtection": False,
    },
    "frugal-eks:network": {"cidr": "10.70.0.0/16", "availabilityZones": 2},
    "frugal-eks:fargate": {
        "profiles": {"kube-system": [{"namespace": "kube-system"}]},
        "logs": {"retentionDays": 7},
    },
}
ROOT_KEYS = {
    "AWS_ACCESS_KEY_ID": ANYONE["aws_access_key_id"],
    "AWS_SECRET_ACCESS_KEY": ANYONE["aws_secret_access_key"],
    "AWS_SESSION_TOKEN": "",
}


class Played(NamedTuple):
    """What a stack does from nothing to nothing."""

    up: Outcome
    resources: list[dict[str, Any]]
    outputs: dict[str, Any]
    again: Outcome
    nobody: Outcome
    destroy: Outcome


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("late")
    file = folder / "Pulumi.late.yaml"
    file.write_text(yaml.safe_dump({"config": CONFIG}))
    options = Options(state=folder / "state", stack="late", stack_file=file)
    rehearsal = Rehearsal(options, Console(file=io.StringIO(), width=200))
    rehearsal.start()
    try:
        prepared = rehearsal.engine()
        environment = {**prepared.setup.environment, **ROOT_KEYS}
        setup = EngineSetup(cli=prepared.setup.cli, environment=environment)
        engine = Engine(prepared.state, setup, prepared.stack_file, prepared.console)
        up = engine.up()
        yield Played(
            up=up,
            resources=engine.resources(),
            outputs=engine.outputs(),
            again=engine.up(),
            nobody=engine.preview("--config", "aws:profile=nobody"),
            destroy=engine.destroy(),
        )
    finally:
        rehearsal.stop()


def waited(outcome: Outcome) -> list[str]:
    texts = [message.text for message in outcome.messages]
    return [text for text in texts if "the Kubernetes API is not usable yet" in text]


@pytest.mark.behaviour("cluster-active-before-endpoint-usable", "access-policy-takes-effect-late")
def test_a_first_up_waits_for_the_api_and_says_so(played: Played):
    assert played.up.succeeded
    assert len(waited(played.up)) == 1
    kinds = [resource["type"] for resource in played.resources]
    assert "kubernetes:core/v1:ConfigMap" in kinds


def test_a_later_up_is_answered_at_once(played: Played):
    assert played.again.is_empty
    assert waited(played.again) == []


def test_kubectl_is_told_to_log_in_as_the_role_that_deployed(played: Played):
    assert played.outputs["updateKubeconfig"].endswith(f"--name late --role-arn {ADMIN}")


def test_a_profile_reaches_aws_too(played: Played):
    assert "nobody" in played.nobody.diagnostics()


def test_what_the_component_makes_is_of_the_program_s_own_plugins(played: Played):
    made = {
        resource["type"]: resource
        for resource in played.resources
        if resource.get("parent", "").endswith("$eks:index:Cluster::cluster")
    }
    aws, kubernetes = (version(f"pulumi_{name}") for name in ("aws", "kubernetes"))

    assert made.keys() == {"aws:eks/cluster:Cluster", "pulumi:providers:kubernetes"}
    of = made["aws:eks/cluster:Cluster"]["provider"]
    assert f"::default_{aws.replace('.', '_')}::" in of
    assert made["pulumi:providers:kubernetes"]["inputs"]["version"] == kubernetes


def test_what_was_made_goes_again(played: Played):
    assert played.destroy.succeeded
