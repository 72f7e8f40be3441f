"""The stand-in for eks.Cluster: what it refuses, and the kubeconfig that it hands out."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from rehearsal.eks import cluster, kubeconfig
from rehearsal.kubeconfig import aws_script
from rehearsal.state import write_private

MINIMAL: dict[str, Any] = {
    **cluster.REQUIRED,
    "name": "nodeless",
    "serviceRole": "a role",
    "vpcId": "vpc-1",
    "privateSubnetIds": ["subnet-1", "subnet-2"],
}


def refused(inputs: dict[str, Any]) -> dict[str, str]:
    """Property and reason of everything that is refused."""
    with pytest.raises(pulumi.InputPropertiesError) as error:
        cluster.refuse_unproved(inputs)
    return {one["property_path"]: one["reason"] for one in error.value.errors or []}


def test_the_minimal_call_is_taken():
    cluster.refuse_unproved(MINIMAL)
    cluster.refuse_unproved(
        MINIMAL | {"createOidcProvider": False, "endpointPublicAccess": False, "tags": {"a": "b"}}
    )


def test_what_the_sdk_adds_to_an_add_on_that_is_off_is_no_mistake():
    added = {"enabled": False, "resolveConflictsOnCreate": "OVERWRITE"}

    cluster.refuse_unproved(MINIMAL | {"corednsAddonOptions": added})


@pytest.mark.parametrize("name", cluster.REQUIRED)
def test_each_argument_of_the_minimal_call_has_to_be_given(name: str):
    inputs = {key: value for key, value in MINIMAL.items() if key != name}

    assert refused(inputs).keys() == {name}
    assert refused(inputs)[name].endswith("(got null)")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("fargate", True, "the rehearsal's stand-in does not play this argument: leave it out"),
        ("nodeGroupOptions", {}, "the rehearsal's stand-in does not play this argument"),
        ("createOidcProvider", True, "must be absent or false (got true)"),
        ("endpointPublicAccess", True, "must be absent or false (got true)"),
        ("authenticationMode", "CONFIG_MAP", 'must be "API" (got "CONFIG_MAP")'),
        ("useDefaultVpcCni", False, "must be true (got false)"),
        ("corednsAddonOptions", {"enabled": True}, 'must be {"enabled": false}'),
        ("serviceRole", None, "must be given: an aws.iam.Role"),
        ("vpcId", None, "must be given: the default VPC is not played"),
        ("subnetIds", ["subnet-3"], "excludes publicSubnetIds and privateSubnetIds"),
    ],
)
def test_an_argument_outside_the_minimal_call_is_refused(name: str, value: Any, reason: str):
    problems = refused(MINIMAL | {name: value})

    assert problems.keys() == {name}
    assert problems[name].startswith(reason)


def test_all_mistakes_are_named_at_once():
    assert refused({"fargate": True}).keys() == {
        *cluster.REQUIRED,
        "fargate",
        "serviceRole",
        "vpcId",
    }


def test_public_addresses_need_a_public_endpoint():
    closed = {"endpointPublicAccess": False, "publicAccessCidrs": ["203.0.113.0/24"]}

    assert refused(MINIMAL | closed).keys() == {"publicAccessCidrs"}


@pytest.mark.feature("B-45")
def test_the_kubeconfig_fetches_a_token_for_each_use_and_stores_none():
    config = kubeconfig.kubeconfig(
        name="nodeless",
        endpoint="https://127.0.0.1:6443",
        ca_data="Q0E=",
        region="eu-west-1",
        arguments=["--role", "arn:aws:iam::111122223333:role/admin"],
    )

    user = config["users"][0]["user"]
    assert user.keys() == {"exec"}
    assert user["exec"]["apiVersion"] == "client.authentication.k8s.io/v1beta1"
    assert user["exec"]["command"] == "aws"
    assert " ".join(user["exec"]["args"]) == (
        "--region eu-west-1 eks get-token --cluster-name nodeless --output json "
        "--role arn:aws:iam::111122223333:role/admin"
    )
    assert config["clusters"][0]["cluster"] == {
        "server": "https://127.0.0.1:6443",
        "certificate-authority-data": "Q0E=",
    }


def test_another_command_can_answer_for_the_aws_cli(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(kubeconfig.KUBECONFIG_COMMAND, "/somewhere/aws")

    config = kubeconfig.kubeconfig(name="a", endpoint="b", ca_data="c", region="d", arguments=[])

    assert config["users"][0]["user"]["exec"]["command"] == "/somewhere/aws"


@pytest.mark.parametrize(
    ("credentials", "with_profile", "arguments"),
    [
        ({}, True, []),
        ({"roleArn": "arn"}, False, ["--role", "arn"]),
        ({"profileName": "me"}, False, []),
        ({"roleArn": "arn", "profileName": "me"}, True, ["--role", "arn", "--profile", "me"]),
    ],
)
def test_whose_credentials_the_token_is_made_with(
    credentials: dict[str, str], with_profile: bool, arguments: list[str]
):
    assert kubeconfig.token_arguments(credentials, with_profile=with_profile) == arguments


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("aws-cli/1.24.0 Python/3.9", None),
        ("aws-cli/2.7.0 Python/3.9", None),
        ("aws-cli/3.0.0 Python/3.9", None),
        ("aws-cli/1.23.9 Python/3.9", "is version aws-cli/1.23.9, but eks.Cluster needs"),
        ("aws-cli/2.6.4 Python/3.9", "is version aws-cli/2.6.4, but eks.Cluster needs"),
        ("", "does not say its version"),
    ],
)
def test_an_aws_cli_that_the_component_refuses_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, problem: str | None
):
    command = tmp_path / "aws"
    command.write_text(f"#!/bin/sh\necho {said}\n")
    command.chmod(0o755)
    monkeypatch.setenv(kubeconfig.KUBECONFIG_COMMAND, str(command))

    if problem is None:
        kubeconfig.require_aws_cli()
    else:
        with pytest.raises(pulumi.RunError, match=problem):
            kubeconfig.require_aws_cli()


def test_the_rehearsal_s_own_command_is_one_that_the_component_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    command = tmp_path / "aws"
    write_private(command, aws_script(), mode=0o700)
    monkeypatch.setenv(kubeconfig.KUBECONFIG_COMMAND, str(command))

    kubeconfig.require_aws_cli()


def test_without_the_aws_cli_a_preview_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(kubeconfig.KUBECONFIG_COMMAND, "/nowhere/aws")

    with pytest.raises(pulumi.RunError, match="runs /nowhere/aws, which is not there"):
        kubeconfig.require_aws_cli()
