"""A program of a test's own on the real engine, and a control plane with one node for it."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.client import Client
from lightkube.models.core_v1 import NodeSpec, NodeStatus
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node
from rich.console import Console

from rehearsal import control_plane, toolchain
from rehearsal.engine import Engine, EngineSetup
from rehearsal.plugins import lay_plugins
from rehearsal.processes import Processes
from rehearsal.stack_file import StackFile
from rehearsal.state import ROOT, State

PROVIDER = "pulumi-resource-kubernetes"


@contextmanager
def one_node(folder: Path, *, cordoned: bool = False) -> Iterator[State]:
    """A control plane with one large node, and no AWS; all of it ends with the context."""
    state = State(folder)
    state.create()
    try:
        plane = control_plane.start(state, toolchain.ensure(toolchain.CLUSTER))
        state.remember({"apiServer": plane.url, "aws": "", "region": "", "account": ""})
        capacity = {"cpu": "16", "memory": "64Gi", "pods": "50"}
        meta = ObjectMeta(
            name="node",
            annotations={"kwok.x-k8s.io/node": "fake"},
            labels={"kubernetes.io/os": "linux"},
        )
        node = Node(
            metadata=meta,
            spec=NodeSpec(unschedulable=cordoned),
            status=NodeStatus(capacity=capacity, allocatable=capacity),
        )
        found = KubeConfig.from_file(state.kubeconfig).get()
        with Client(config=found, trust_env=False) as client:
            client.create(node)
        yield state
    finally:
        Processes(state).stop()


def engine_of(program: str, state: State, cli: Path, folder: Path) -> Engine:
    """An engine for the text of a program, laid into the folder, with the Kubernetes provider.

    `Engine.prepare` takes the program's settings.
    """
    (folder / "__main__.py").write_text(program)
    (folder / "Pulumi.yaml").write_text(
        f"name: frugal-eks\nruntime: {{name: python, options: {{virtualenv: '{sys.prefix}'}}}}\n"
    )
    file = folder / "Pulumi.try.yaml"
    file.write_text(yaml.safe_dump({"config": {}}))
    engine = Engine(
        state,
        EngineSetup(cli=cli, environment={"PYTHONPATH": str(ROOT)}, project=folder),
        StackFile.read(file, folder.name),
        Console(file=io.StringIO(), width=200),
    )
    lay_plugins(engine.plugins, toolchain.ensure([PROVIDER])[PROVIDER], None)
    return engine
