"""The kubeconfig that eks.Cluster hands out: the AWS CLI fetches a token for each use."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

KUBECONFIG_COMMAND = "FRUGAL_EKS_KUBECONFIG_EXEC"
"""Environment variable with the path of a command that replaces the `aws` CLI."""
OLDEST = {1: (1, 24), 2: (2, 7)}
"""Oldest accepted version, by major version of the AWS CLI."""


def require_aws_cli() -> None:
    """Checks the AWS CLI as the real component does, at preview too (nodejs/eks/dependencies.ts):
    the kubeconfig runs `aws`, and versions below OLDEST write another API version into it.
    """
    command = os.environ.get(KUBECONFIG_COMMAND, "aws")
    if shutil.which(command) is None:
        raise pulumi.RunError(
            f"the kubeconfig of eks.Cluster runs {command}, which is not there: "
            "put the AWS CLI on PATH"
        )
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    match = re.match(r"aws-cli/(\d+)\.(\d+)\.(\d+)", said.stdout)
    if said.returncode or not match:
        raise pulumi.RunError(f"`{command} --version` does not say its version: {said.stdout!r}")
    major, minor, _ = map(int, match.groups())
    if (major, minor) < OLDEST.get(major, OLDEST[2]):
        raise pulumi.RunError(
            f"{command} is version {match[0]}, but eks.Cluster needs aws-cli 1.24.0, or 2.7.0"
        )


def kubeconfig_of(
    cluster: aws.eks.Cluster, credentials: pulumi.Input[Any], *, with_profile: bool
) -> pulumi.Output[dict[str, Any]]:
    """The kubeconfig, known once the control plane is active."""
    facts = pulumi.Output.all(
        name=cluster.name,
        endpoint=cluster.endpoint,
        authority=cluster.certificate_authority,
        arn=cluster.arn,
        credentials=credentials,
    )
    return facts.apply(
        lambda known: kubeconfig(
            name=known["name"],
            endpoint=known["endpoint"],
            ca_data=known["authority"]["data"],
            region=known["arn"].split(":")[3],
            arguments=token_arguments(known["credentials"], with_profile=with_profile),
        )
    )


def token_arguments(credentials: Mapping[str, Any], *, with_profile: bool = True) -> list[str]:
    """Arguments of `aws eks get-token` that select the credentials."""
    role = credentials.get("roleArn") or credentials.get("role_arn")
    profile = credentials.get("profileName") or credentials.get("profile_name")
    arguments = ["--role", role] if role else []
    return [*arguments, "--profile", profile] if with_profile and profile else arguments


def kubeconfig(
    *, name: str, endpoint: str, ca_data: str, region: str, arguments: list[str]
) -> dict[str, Any]:
    """Kubernetes client configuration in which the AWS CLI fetches a token for each use."""
    get_token = ["eks", "get-token", "--cluster-name", name, "--output", "json"]
    version = "client.authentication.k8s.io/v1beta1"
    command = {
        "apiVersion": version,
        "command": os.environ.get(KUBECONFIG_COMMAND, "aws"),
        "args": ["--region", region, *get_token, *arguments],
        "env": [{"name": "KUBERNETES_EXEC_INFO", "value": json.dumps({"apiVersion": version})}],
    }
    server = {"server": endpoint, "certificate-authority-data": ca_data}
    return {
        "apiVersion": "v1",
        "clusters": [{"cluster": server, "name": "kubernetes"}],
        "contexts": [{"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}],
        "current-context": "aws",
        "kind": "Config",
        "users": [{"name": "aws", "user": {"exec": command}}],
    }
