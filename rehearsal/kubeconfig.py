"""Kubeconfigs of the local API server, and the command that answers them with a token."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from rehearsal.state import State


def kubeconfig(url: str, certificate: Path, user: Mapping[str, object]) -> str:
    """A kubeconfig with one context, which is the current one."""
    name = "rehearsal"
    cluster = {"server": url, "certificate-authority": str(certificate)}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": dict(user)}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    return yaml.safe_dump(document, sort_keys=False)


def eks_user(state: State, cluster: str = "rehearsal") -> dict[str, object]:
    """The user of a kubeconfig as `aws eks update-kubeconfig` writes it: no token inside."""
    command = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": str(state.aws_command),
        "args": ["eks", "get-token", "--cluster-name", cluster, "--output", "json"],
        "interactiveMode": "Never",
    }
    return {"exec": command}


def aws_script(token: Path) -> str:
    """Answers `aws eks get-token …` with the local token, everything else with an error."""
    return f"""#!/bin/sh
# Stands in for the AWS CLI where a kubeconfig asks it for a token, and only there.
case " $* " in
*" eks get-token "*) ;; # options such as --region may stand before it
*)
    echo "the rehearsal's aws answers only 'aws eks get-token --cluster-name NAME'" >&2
    exit 252
    ;;
esac
token=$(cat '{str(token).replace("'", "'" + chr(92) + "''")}') || exit 255
cat <<END
{{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1",
 "spec": {{}}, "status": {{"token": "$token"}}}}
END
"""
