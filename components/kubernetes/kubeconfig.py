"""The kubeconfig by which this program reaches a cluster, and the identity of its token."""

import json
from dataclasses import dataclass

API_VERSION = "client.authentication.k8s.io/v1beta1"


@dataclass(frozen=True, kw_only=True)
class TokenIdentity:
    """Identity whose token the AWS CLI fetches. Without both fields it is that of the environment's
    credentials.

    The AWS provider's settings do not reach the AWS CLI: without these options the token belongs to
    somebody else (docs/troubleshooting.md).
    """

    profile: str | None = None
    """A profile in the AWS CLI's own files."""
    role_arn: str | None = None
    """ARN of a role to assume with the profile's, or the environment's, credentials."""

    @property
    def options(self) -> list[str]:
        """Options for both `aws eks get-token` and `aws eks update-kubeconfig`."""
        # An option, not AWS_PROFILE: credentials in the environment would come before that.
        return [
            *(["--role-arn", self.role_arn] if self.role_arn else []),
            *(["--profile", self.profile] if self.profile else []),
        ]


AMBIENT = TokenIdentity()
"""The identity of the environment's credentials."""


def kubeconfig(
    *, name: str, region: str, endpoint: str, ca_data: str, identity: TokenIdentity = AMBIENT
) -> str:
    """Kubernetes client configuration in JSON, in which the AWS CLI fetches a token for each use.

    Without options it equals pulumi-eks's, letter by letter (generateKubeconfig in its
    nodejs/eks/cluster/cluster.ts), so that a provider that was made with that one does not change.
    """
    command = {
        "apiVersion": API_VERSION,
        "command": "aws",
        "args": [
            *("--region", region),
            *("eks", "get-token", "--cluster-name", name, "--output", "json"),
            *identity.options,
        ],
        "env": [{"name": "KUBERNETES_EXEC_INFO", "value": json.dumps({"apiVersion": API_VERSION})}],
    }
    server = {"server": endpoint, "certificate-authority-data": ca_data}
    document = {
        "apiVersion": "v1",
        "clusters": [{"cluster": server, "name": "kubernetes"}],
        "contexts": [{"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}],
        "current-context": "aws",
        "kind": "Config",
        "users": [{"name": "aws", "user": {"exec": command}}],
    }
    return json.dumps(document, separators=(",", ":"))


def update_command(*, name: str, region: str, identity: TokenIdentity = AMBIENT) -> str:
    """Command that gives kubectl the same access to the cluster as this program."""
    words = ["aws eks update-kubeconfig --region", region, "--name", name, *identity.options]
    return " ".join(words)
