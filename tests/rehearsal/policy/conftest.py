"""An engine for programs of the test's own, held to the policy pack."""

import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console

from rehearsal.engine import Engine, EngineSetup
from rehearsal.processes import Processes
from rehearsal.stack_file import StackFile
from rehearsal.state import ROOT, State
from tests.rehearsal.policy import echoing

PACK = ROOT / "frugal_eks" / "plans" / "policy"
PROGRAM = """
import json
import pathlib
import pulumi

given = json.loads(pathlib.Path(__file__).with_name("resources.json").read_text())
version = pulumi.ResourceOptions(version="1.0.0")
if given["policy"] is not None:
    pulumi.ComponentResource("frugal-eks:index:Platform", "platform", {"policy": given["policy"]})
first = None
for name, token, inputs in given["resources"]:
    if inputs.get("policy") == "WIDE":
        # Known only after the first one is made.
        wide = {"Effect": "Allow", "Action": "*", "Resource": "*", "Sid": first.id}
        inputs = {"policy": pulumi.Output.json_dumps({"Statement": [wide]})}
    made = pulumi.CustomResource(token, name, inputs, version)
    first = first or made
"""


class Program(NamedTuple):
    """What a program declares: name, type and inputs of each resource."""

    resources: list[tuple[str, str, Mapping[str, Any]]]
    policy: Mapping[str, Any] | None = None
    """Section `policy` of a stack file; None: the program is not frugal-eks."""


@pytest.fixture(scope="session")
def pack() -> str:
    """The flag that holds a program to the rules."""
    assert (PACK / ".venv" / "ready").exists(), "run `make policy` first"
    return f"--policy-pack={PACK}"


@pytest.fixture
def engine(tmp_path: Path, cli: Path) -> Iterator[Callable[[Program], Engine]]:
    """Makes an engine for a program."""
    state = State(tmp_path / "state")
    state.create()
    project = tmp_path / "project"
    project.mkdir()
    (project / "__main__.py").write_text(PROGRAM)
    (project / "Pulumi.yaml").write_text(
        f"name: ours\nruntime: {{name: python, options: {{virtualenv: '{sys.prefix}'}}}}\n"
    )
    stack_file = tmp_path / "Pulumi.try.yaml"
    stack_file.write_text("config:\n  aws:region: eu-west-1\n")

    def make(program: Program) -> Engine:
        (project / "resources.json").write_text(json.dumps(program._asdict()))
        made = Engine(
            state,
            EngineSetup(cli=cli, environment={}, project=project),
            StackFile.read(stack_file, "try"),
            Console(file=io.StringIO(), width=200),
        )
        made.prepare()
        for package in ("aws", "kubernetes"):
            plugin = made.plugins / f"resource-{package}-v1.0.0" / f"pulumi-resource-{package}"
            plugin.parent.mkdir(exist_ok=True)
            command = f'exec "{sys.executable}" "{echoing.__file__}" "$@"'
            plugin.write_text(f"#!/bin/sh\n{command}\n")
            plugin.chmod(0o755)
        return made

    yield make
    Processes(state).stop()
