"""The real engine with a program and a provider of the test's own, which takes its time."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent import futures
from pathlib import Path

import grpc
import psutil
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as messages
from pulumi.runtime.proto.provider_pb2_grpc import (
    ResourceProviderServicer,
    add_ResourceProviderServicer_to_server,
)
from rich.console import Console

from rehearsal.engine import Engine, EngineError, EngineSetup
from rehearsal.engine_process import ENGINE
from rehearsal.errors import RehearsalError
from rehearsal.plugins import choose_eks, lay_plugins
from rehearsal.processes import Processes
from rehearsal.stack_file import StackFile
from rehearsal.state import ROOT, State

PROGRAM = """
import pulumi

class Thing(pulumi.CustomResource):
    def __init__(self, name, seconds, opts=None):
        opts = pulumi.ResourceOptions.merge(pulumi.ResourceOptions(version="1.0.0"), opts)
        super().__init__("slow:index:Thing", name, {"seconds": seconds}, opts)

config = pulumi.Config()
if config.get("mistake"):
    raise pulumi.RunError("Pulumi.try.yaml is not valid:\\n  mistake: " + config.get("mistake"))
first = Thing("first", config.require_float("seconds"))
Thing("second", 0, pulumi.ResourceOptions(depends_on=[first]))
pulumi.export("seconds", config.require_float("seconds"))
"""
UNLUCKY = 0.13
"""Things of so many seconds are refused by the provider."""


class SlowProvider(ResourceProviderServicer):
    """Things whose creation takes as many seconds as they say."""

    def Handshake(self, _request, _context):
        return messages.ProviderHandshakeResponse()

    def GetPluginInfo(self, _request, _context):
        return plugin_pb2.PluginInfo(version="1.0.0")

    def CheckConfig(self, request, _context):
        return messages.CheckResponse(inputs=request.news)

    def DiffConfig(self, _request, _context):
        return messages.DiffResponse(changes=messages.DiffResponse.DIFF_NONE)

    def Configure(self, _request, _context):
        return messages.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(self, request, _context):
        return messages.CheckResponse(inputs=request.news)

    def Diff(self, request, _context):
        same = request.olds["seconds"] == request.news["seconds"]
        kinds = messages.DiffResponse
        return kinds(
            changes=kinds.DIFF_NONE if same else kinds.DIFF_SOME,
            diffs=[] if same else ["seconds"],
            replaces=["seconds"] if request.news["seconds"] < 0 else [],
        )

    def Create(self, request, context):
        if not request.preview:
            if request.properties["seconds"] == UNLUCKY:
                context.abort(grpc.StatusCode.UNKNOWN, "ResourceInUseException: unlucky")
            time.sleep(max(request.properties["seconds"], 0))
        return messages.CreateResponse(id="thing", properties=request.properties)

    def Read(self, request, _context):
        return messages.ReadResponse(
            id=request.id, properties=request.properties, inputs=request.inputs
        )

    def Update(self, request, _context):
        return messages.UpdateResponse(properties=request.news)

    def Delete(self, _request, _context):
        return empty_pb2.Empty()

    def Cancel(self, _request, _context):
        return empty_pb2.Empty()


def serve() -> None:
    """Runs as the plugin: the port on the first line, then answers until it is ended."""
    # The engine ends its plugins so, and waits for those that do not listen.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    server = grpc.server(futures.ThreadPoolExecutor(4))
    add_ResourceProviderServicer_to_server(SlowProvider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    server.wait_for_termination()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with a program of two Things."""
    project = tmp_path / "project with a space"
    project.mkdir()
    (project / "__main__.py").write_text(PROGRAM)
    virtualenv = Path(sys.prefix)
    (project / "Pulumi.yaml").write_text(
        "name: frugal-eks\n"
        f"runtime: {{name: python, options: {{virtualenv: '{virtualenv}'}}}}\n"
        "stackConfigDir: stacks\n"
    )
    (project / "stacks").mkdir()
    return project


@pytest.fixture
def engine(tmp_path: Path, project: Path, cli: Path):
    """Makes an engine for the settings given, on one backend."""
    state = State(tmp_path / "state")
    state.create()

    def make(**settings: object) -> Engine:
        path = project / "stacks" / "Pulumi.try.yaml"
        lines = [f"  frugal-eks:{key}: {value}" for key, value in settings.items()]
        path.write_text("\n".join(["config:", "  aws:region: eu-west-1", *lines, ""]))
        made = Engine(
            state,
            EngineSetup(cli=cli, environment={}, project=project),
            StackFile.read(path, "try"),
            Console(file=io.StringIO(), width=200),
        )
        made.prepare()
        plugin = made.plugins / "resource-slow-v1.0.0" / "pulumi-resource-slow"
        plugin.parent.mkdir(exist_ok=True)
        plugin.write_text(
            f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "{__file__}" "$@"\n'
        )
        plugin.chmod(0o755)
        return made

    yield make
    Processes(state).stop()


def belongs(process: psutil.Process, engine: Engine) -> bool:
    """Whether an engine of this state folder started it, or one of its children."""
    try:
        return process.environ().get(ENGINE) == str(engine.state.path)
    except psutil.Error:
        return False


def wait_until_working(engine: Engine) -> None:
    """Until the program's first resource is being made (the engine records the stack before it)."""
    deadline = time.monotonic() + 60
    while "creating slow:index/Thing first" not in engine.pending():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def printed(engine: Engine) -> str:
    return engine.console.file.getvalue()


@pytest.mark.engine
def test_up_preview_change_destroy(engine):
    slow = engine(seconds=0.4)
    tracked = slow.stack_file.path.read_text()

    up = slow.up()

    assert up.changes == {"create": 3}
    assert [step.name for step in up.steps if step.type == "slow:index:Thing"] == [
        "first",
        "second",
    ]
    assert re.search(r"1/3 created slow:index/Thing first \(0\.[4-9] s\)", printed(slow))
    assert slow.outputs() == {"seconds": 0.4}
    assert slow.preview().is_empty
    assert slow.stack_file.path.read_text() == tracked, "the tracked file is not written to"

    change = engine(seconds=0.5).preview()
    assert change.changes == {"same": 2, "update": 1}
    assert [(s.op, s.changed) for s in change.steps if s.op != "same"] == [("update", ("seconds",))]
    assert engine(seconds=-1).preview().changes == {"same": 2, "replace": 1}

    assert slow.destroy().changes == {"delete": 3}
    assert slow.resources() == []


@pytest.mark.engine
def test_a_mistake_in_the_stack_file_is_told_once_without_a_traceback(engine):
    with pytest.raises(EngineError) as failure:
        engine(seconds=1, mistake="rubbish").up()

    told = str(failure.value)
    assert told.startswith("pulumi up failed.\n")
    assert told.count("mistake: rubbish") == 1
    assert "Pulumi.try.yaml is not valid:" in told
    assert "Traceback" not in told
    assert "File " not in told


@pytest.mark.engine
def test_a_preview_as_json_that_fails_says_why(engine):
    with pytest.raises(RehearsalError) as failure:
        engine(seconds=1, mistake="rubbish").preview_json()

    told = str(failure.value)
    assert told.startswith("pulumi preview failed.\n")
    assert told.count("mistake: rubbish") == 1
    assert "unhandled error" not in told


@pytest.mark.engine
def test_a_failed_step_names_its_resource(engine):
    slow = engine(seconds=UNLUCKY)

    with pytest.raises(EngineError, match=r"slow:index:Thing first:\n.*unlucky"):
        slow.up()

    assert "failed to create slow:index/Thing first" in printed(slow)
    assert [resource["urn"].rpartition("::")[2] for resource in slow.resources()] == [
        "frugal-eks-try",
        "default_1_0_0",
    ]


@pytest.mark.engine
def test_after_ctrl_c_the_stack_can_be_used(engine):
    slow = engine(seconds=3)

    def press_ctrl_c() -> None:
        wait_until_working(slow)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_ctrl_c).start()

    with pytest.raises(EngineError, match="pulumi up was interrupted") as stopped:
        slow.up()

    assert stopped.value.outcome.interrupted
    assert "press it again to end them at once" in printed(slow)
    assert slow.recover() == []
    again = slow.up()
    assert again.changes["create"] + again.changes.get("same", 0) == 3  # noqa: PLR2004
    slow.destroy()


@pytest.mark.engine
def test_after_a_killed_engine_a_second_run_recovers(engine):
    slow = engine(seconds=20)
    with slow.started("up", ["--yes", "--skip-preview"], subprocess.DEVNULL) as running:
        wait_until_working(slow)
        with pytest.raises(RehearsalError, match="Another operation works on stack try"):
            slow.recover()
        os.killpg(running.pid, signal.SIGKILL)

    done = slow.recover()

    assert not [process for process in psutil.process_iter() if belongs(process, slow)]
    assert done[0].startswith("released the lock of process")
    assert done[1].endswith(": creating slow:index/Thing first")
    assert slow.recover() == []
    assert engine(seconds=0).up().changes["create"] == 2  # noqa: PLR2004


def test_nothing_of_the_users_clouds_reaches_the_engine(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "real")
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "real")
    monkeypatch.setenv("KUBECONFIG", "/real")
    from rehearsal.engine_process import environment  # noqa: PLC0415

    seen = environment(State(Path("/nowhere")), {"AWS_REGION": "eu-west-1"})

    assert {key for key in seen if key.startswith("AWS")} == {
        "AWS_CONFIG_FILE",
        "AWS_REGION",
        "AWS_SHARED_CREDENTIALS_FILE",
    }
    assert "PULUMI_ACCESS_TOKEN" not in seen
    assert seen["KUBECONFIG"] == "/nowhere/no-such-file"


def test_plugins_are_laid_for_the_versions_that_the_sdks_ask_for(tmp_path):
    kubernetes = tmp_path / "pulumi-resource-kubernetes"
    kubernetes.touch()

    lay_plugins(tmp_path / "plugins", kubernetes, None)
    lay_plugins(tmp_path / "plugins", kubernetes, None)

    laid = sorted(str(p.relative_to(tmp_path / "plugins")) for p in tmp_path.glob("plugins/*/*"))
    # 7.25.0 and 4.19.0 are the genuine pulumi-eks's own.
    assert laid == [
        "resource-aws-v7.25.0/pulumi-resource-aws",
        "resource-aws-v7.51.1/pulumi-resource-aws",
        "resource-eks-v4.4.0/pulumi-resource-eks",
        "resource-kubernetes-v4.19.0/pulumi-resource-kubernetes",
        "resource-kubernetes-v4.34.2/pulumi-resource-kubernetes",
    ]
    for script in laid[:2]:
        text = (tmp_path / "plugins" / script).read_text()
        assert f'{sys.executable} -m rehearsal.aws.provider "$@"' in text


def test_the_users_own_eks_plugin_is_used_where_it_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    kubernetes = tmp_path / "pulumi-resource-kubernetes"
    kubernetes.touch()
    assert choose_eks("auto") is None
    with pytest.raises(RehearsalError, match=r"pulumi plugin install resource eks 4\.4\.0"):
        choose_eks("real")
    real = tmp_path / "home" / "plugins" / "resource-eks-v4.4.0"
    real.mkdir(parents=True)
    (real / "pulumi-resource-eks").touch()

    assert choose_eks("stand-in") is None
    lay_plugins(tmp_path / "plugins", kubernetes, None)
    lay_plugins(tmp_path / "plugins", kubernetes, choose_eks("auto"))

    laid = tmp_path / "plugins" / real.name / "pulumi-resource-eks"
    assert laid.resolve() == real / "pulumi-resource-eks"
    lay_plugins(tmp_path / "plugins", kubernetes, None)
    assert "rehearsal.eks.provider" in laid.read_text()
    assert not (real / "pulumi-resource-eks").read_text(), "the user's own is left as it was"


def test_events_that_are_no_json_are_passed_over():
    from rehearsal.engine_events import Record  # noqa: PLC0415

    record = Record(previews_only=True)

    assert record.read("not json") is None
    assert record.read(json.dumps([1])) is None
    assert record.read(json.dumps({"newEvent": {}})) is None


if __name__ == "__main__":
    serve()
