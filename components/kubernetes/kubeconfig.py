"""The kubeconfig by which this program talks to a cluster, and whose token is in it."""

import json
from dataclasses import dataclass

API_VERSION = "client.authentication.k8s.io/v1beta1"


@dataclass(frozen=True, kw_only=True)
class TokenIdentity:
    """Whose token the AWS CLI fetches. Both absent: that of the environment's own credentials.

    The AWS provider's settings reach AWS alone; without these options the token is somebody else's
    (docs/troubleshooting.md).
    """

    profile: str | None = None
    """A profile of the AWS CLI's own files."""
    role_arn: str | None = None
    """A role that is assumed with the profile's, or the environment's, credentials."""

    @property
    def options(self) -> list[str]:
        """For `aws eks get-token` and for `aws eks update-kubeconfig` alike."""
        # An option, not AWS_PROFILE: credentials in the environment would come before that.
        return [
            *(["--role-arn", self.role_arn] if self.role_arn else []),
            *(["--profile", self.profile] if self.profile else []),
        ]


AMBIENT = TokenIdentity()
"""Whoever the environment's credentials are."""


def kubeconfig(
    *, name: str, region: str, endpoint: str, ca_data: str, identity: TokenIdentity = AMBIENT
) -> str:
    """Kubernetes client configuration in JSON, in which the AWS CLI fetches a token for each use.

    Without options it is, letter by letter, the one of pulumi-eks (generateKubeconfig in its
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
    """The command that lets kubectl talk to the cluster as this program does."""
    words = ["aws eks update-kubeconfig --region", region, "--name", name, *identity.options]
    return " ".join(words)
