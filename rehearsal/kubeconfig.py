"""Kubeconfigs of the local API server, and the command that stands in for the AWS CLI."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from rehearsal.state import ROOT


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


def aws_script() -> str:
    """The command `aws` of a rehearsal, for kubeconfigs and pulumi-eks (rehearsal/aws_cli.py)."""
    path, python = shlex.quote(str(ROOT)), shlex.quote(sys.executable)
    return f"""#!/bin/sh
# The oldest of v2 that pulumi-eks takes (nodejs/eks/dependencies.ts).
[ "$*" = --version ] && exec echo "aws-cli/2.7.0 Python/3 exe/rehearsal"
PYTHONPATH={path} exec {python} -m rehearsal.aws_cli "$@"
"""
