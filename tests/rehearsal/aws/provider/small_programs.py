"""Small programs on the real engine: both stand-ins as the plugins that it starts."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rehearsal import toolchain
from rehearsal.plugins import lay_plugins
from rehearsal.state import ROOT

Pulumi = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def on_engine(played_aws: str, cli: Path, tmp_path: Path) -> Callable[[str], Pulumi]:
    """Takes a program; what it returns runs `pulumi` on it, all below a temporary folder."""
    tools = toolchain.ensure(["pulumi-resource-kubernetes"])
    lay_plugins(tmp_path / "home" / "plugins", tools["pulumi-resource-kubernetes"], None)
    (tmp_path / "aws").write_text("#!/bin/sh\necho aws-cli/1.24.0 Python/3.9\n")
    (tmp_path / "aws").chmod(0o755)
    program, backend = tmp_path / "program", tmp_path / "backend"
    for folder in (program, backend):
        folder.mkdir()
    runtime = f"{{name: python, options: {{virtualenv: {json.dumps(sys.prefix)}}}}}"
    (program / "Pulumi.yaml").write_text(f"name: engine\nruntime: {runtime}\n")
    environment = os.environ | {
        "AWS_ENDPOINT_URL": played_aws,
        "PATH": os.pathsep.join([str(cli), str(tmp_path), os.environ["PATH"]]),
        "PULUMI_BACKEND_URL": backend.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PYTHONPATH": str(ROOT),
    }

    def pulumi(*arguments: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=program,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done

    def start(text: str) -> Pulumi:
        (program / "__main__.py").write_text(text)
        new_stack(pulumi, "dev")
        return pulumi

    return start


def new_stack(run: Pulumi, name: str) -> None:
    """A stack without resources; what follows is done to it."""
    run("stack", "init", name)
    run("config", "set", "aws:region", "eu-west-1")
