"""Starts and stops a rehearsal: the control plane, the played AWS, nodes and controllers."""

import http.client
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from rehearsal import control_plane, toolchain
from rehearsal.aws.control_paths import AUTHENTICATE
from rehearsal.control_plane import ControlPlane
from rehearsal.errors import RehearsalError
from rehearsal.ports import free_ports
from rehearsal.processes import Processes
from rehearsal.state import ROOT, Endpoints, State
from rehearsal.toolchain.progress import Progress

AWS, NODES, CONTROLLERS = "aws", "nodes", "controllers"
AWS_READY_SECONDS = 60.0
NODES_READY_SECONDS = 30.0
NODES_READY = "nodes-ready"
"""File that the nodes' process creates once it watches."""
CONTROLLERS_READY_SECONDS = 30.0
CONTROLLERS_READY = "controllers-ready"
"""File that the process of AWS's controllers creates once it watches."""


def start(
    state: State, *, region: str, account: str, progress: Progress | None = None
) -> Endpoints:
    """Start everything that is not running, from an empty cluster and an empty account.

    A rehearsal that runs already is left as it is. Raises RehearsalError if it plays another
    region or account, if part of it has died, or if something does not come up; then, and after
    Ctrl-C, what this call started is stopped.
    """
    state.create()
    with state.locked():
        if state.started:
            return _same(state, region, account)
        tools = toolchain.ensure(toolchain.CLUSTER, progress)
        # A start that was killed may have left processes; the played account died with them.
        Processes(state).stop()
        state.wipe()
        state.create()
        try:
            return _start(state, region, account, tools)
        except BaseException:
            Processes(state).stop()
            raise


def _start(state: State, region: str, account: str, tools: dict[str, Path]) -> Endpoints:
    processes = Processes(state)
    (port,) = free_ports(1)
    aws = f"http://127.0.0.1:{port}"

    def play_aws(plane: ControlPlane) -> None:
        options = {
            "--port": port,
            "--region": region,
            "--account": account,
            "--kubeconfig": plane.kubeconfig,
            "--api-server": plane.url,
            "--ca-file": state.certificate,
        }
        argv = [f"{part}" for pair in options.items() for part in pair]
        processes.start(AWS, python("rehearsal.aws.endpoint", *argv), PYTHON)
        processes.wait(AWS, lambda: _answers(f"{aws}/_rehearsal/ready"), AWS_READY_SECONDS)

    authenticator = f"{aws}{AUTHENTICATE}"
    plane = control_plane.start(state, tools, beside=play_aws, authenticator=authenticator)
    endpoints: Endpoints = {
        "apiServer": plane.url,
        "aws": aws,
        "region": region,
        "account": account,
    }
    state.remember(endpoints)
    folder = str(state.path)
    processes.start(NODES, python("rehearsal.nodes", "--state", folder), PYTHON)
    processes.start(CONTROLLERS, python("rehearsal.controllers", "--state", folder), PYTHON)
    processes.wait(NODES, (state.path / NODES_READY).exists, NODES_READY_SECONDS)
    ready = state.path / CONTROLLERS_READY
    processes.wait(CONTROLLERS, ready.exists, CONTROLLERS_READY_SECONDS)
    return endpoints


def stop(state: State) -> list[str]:
    """End everything that was started here, after a crash too; returns the names of what ended.

    Logs stay. What the played account and the cluster held is gone with their processes.
    """
    if not state.path.exists():
        return []
    with state.locked():
        state.forget()
        return Processes(state).stop()


def wipe(state: State) -> None:
    """Empties the state folder. Raises RehearsalError while something of it runs."""
    if running := [record.name for record in Processes(state).all() if record.alive]:
        raise RehearsalError(
            f"{', '.join(running)} still run in {state.path}: `./frugal-eks rehearse stop` first"
        )
    state.wipe()


def require_running(state: State) -> Endpoints:
    """Endpoints of the running rehearsal. Raises RehearsalError if none runs, or part of it has
    died.
    """
    endpoints = state.endpoints
    Processes(state).require_alive()
    control_plane.require_reachable(state)
    return endpoints


def python(module: str, *arguments: str) -> list[str]:
    """Command line of one of the project's own processes."""
    return [sys.executable, "-m", module, *arguments]


PYTHON = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
"""Environment that finds the checkout's modules from any folder, and writes logs unbuffered."""


def _same(state: State, region: str, account: str) -> Endpoints:
    endpoints = require_running(state)
    if (endpoints["region"], endpoints["account"]) != (region, account):
        raise RehearsalError(
            f"the rehearsal in {state.path} plays {endpoints['region']} of account "
            f"{endpoints['account']}, not {region} of {account}: "
            "`./frugal-eks rehearse stop` first, or name another folder with --state"
        )
    return endpoints


def _answers(url: str) -> bool:
    # No proxy of the user's may come between.
    opener: Callable[..., http.client.HTTPResponse] = urllib.request.build_opener(
        urllib.request.ProxyHandler({})
    ).open
    try:
        with opener(url, timeout=5) as response:
            return response.status == http.client.OK
    except urllib.error.HTTPError:
        return False
