"""`aws:profile` and `aws:assumeRoles`: who deploys is the same to AWS and to the Kubernetes API."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import stack_config
from components.kubernetes.kubeconfig import TokenIdentity
from eks_platform import Platform, PlatformArgs
from stack_config import StackConfig
from stack_config.load import ConfigError, load

ADMIN = "arn:aws:iam::111122223333:role/platform-admin"
OTHER = "arn:aws:iam::111122223333:role/other"


def identity(stack_file: Callable[[str], dict[str, Any]], **settings: Any) -> Any:
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
    config = stack_config.parsed(shipped | {f"aws:{key}": value for key, value in settings.items()})
    if isinstance(config, StackConfig):
        return config.token_identity
    return [f"{mistake.path}: {mistake.problem}" for mistake in config]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, TokenIdentity()),
        ({"profile": "ops"}, TokenIdentity(profile="ops")),
        (
            {"assumeRoles": [{"roleArn": ADMIN, "sessionName": "ci", "duration": "1h"}]},
            TokenIdentity(role_arn=ADMIN),
        ),
        (
            {"profile": "ops", "assumeRoles": [{"roleArn": ADMIN}]},
            TokenIdentity(profile="ops", role_arn=ADMIN),
        ),
    ],
)
def test_the_token_is_that_of_the_profile_and_of_the_role(stack_file, settings, expected):
    assert identity(stack_file, **settings) == expected


IN_A_PROFILE = (
    "write it into a profile of ~/.aws/config (role_arn, source_profile, external_id) and name "
    "that in aws:profile instead"
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("externalId", "secret-word"),
        ("policy", "{}"),
        ("policyArns", [ADMIN]),
        ("sourceIdentity", "ann"),
        ("tags", {"team": "a"}),
        ("transitiveTagKeys", ["team"]),
    ],
)
def test_what_the_aws_cli_cannot_pass_on_is_refused(stack_file, key, value):
    assert identity(stack_file, assumeRoles=[{"roleArn": ADMIN, key: value}]) == [
        f"aws:assumeRoles[0].{key}: reaches AWS, but `aws eks get-token` has no option for it, so "
        f"that the Kubernetes API would get no token: {IN_A_PROFILE}"
    ]


def test_a_chain_of_roles_is_refused(stack_file):
    assert identity(stack_file, assumeRoles=[{"roleArn": OTHER}, {"roleArn": ADMIN}]) == [
        "aws:assumeRoles: are assumed one after the other for AWS, but `aws eks get-token` takes "
        f"one for the Kubernetes API: {IN_A_PROFILE}"
    ]


KEYS = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"


@pytest.mark.parametrize(
    ("key", "value", "variables"),
    [
        ("accessKey", "AKIAIOSFODNN7EXAMPLE", KEYS),
        ("secretKey", "hush-hush", KEYS),
        ("token", "hush-hush", KEYS),
        (
            "assumeRoleWithWebIdentity",
            {"roleArn": ADMIN, "webIdentityToken": "hush-hush"},
            "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE",
        ),
    ],
)
def test_credentials_that_the_aws_cli_does_not_get_are_refused_and_not_shown(
    deploy, stack_file, key, value, variables
):
    settings = stack_file("nodeless") | {f"aws:{key}": value}

    with pytest.raises(ConfigError) as refused:
        deploy(load, settings=settings)

    assert str(refused.value).splitlines()[1:] == [
        f"  aws:{key}: reaches AWS, but not `aws eks get-token`, so that the Kubernetes API would "
        f"get somebody else's token: drop it and set {variables} in the environment, or name a "
        "profile of ~/.aws/config in aws:profile"
    ]


def test_the_settings_of_the_stack_reach_the_provider_of_the_cluster(deploy, account, stack_file):
    settings = stack_file("nodeless") | {
        "aws:profile": "ops",
        "aws:assumeRoles": [{"roleArn": ADMIN}],
    }

    def program():
        Platform("platform", PlatformArgs(config=load()))

    built = deploy(program, account, settings=settings)

    (provider,) = built.every("pulumi:providers:kubernetes")
    (user,) = json.loads(provider.inputs["kubeconfig"])["users"]
    options = ["--role-arn", ADMIN, "--profile", "ops"]
    assert user["user"]["exec"]["args"][-4:] == options
    kubectl = built.outputs["platform"]["updateKubeconfig"]
    assert kubectl.endswith(" ".join(options))


def test_an_existing_cluster_gets_the_same_token(deploy, account):
    settings = {
        "aws:region": "eu-west-1",
        "aws:profile": "ops",
        "frugal-eks:cluster": {"existing": "theirs"},
        "frugal-eks:addons": {"metricsServer": {}},
    }

    def program():
        Platform("platform", PlatformArgs(config=load()))

    built = deploy(program, account, settings=settings)

    (user,) = json.loads(built.one("pulumi:providers:kubernetes").inputs["kubeconfig"])["users"]
    assert user["user"]["exec"]["args"][-2:] == ["--profile", "ops"]
