"""Runs a program against the recording engine."""

import asyncio
import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pulumi

from components.kubernetes.first_request import CONNECT
from rehearsal.recording.engine import Deployment

PROJECT = "frugal-eks"


@contextmanager
def event_loops() -> Generator[None]:
    """An event loop for each thread: Pulumi wants one, and leaves open what it opens itself."""
    with ExitStack() as opened:

        def open_one() -> asyncio.AbstractEventLoop:
            loop = asyncio.new_event_loop()
            opened.callback(_close, loop)
            # A refused resource leaves futures that nobody reads: the refusal itself is raised.
            loop.set_exception_handler(_ignored)
            asyncio.set_event_loop(loop)
            return loop

        with ThreadPoolExecutor(initializer=open_one) as workers:
            open_one().set_default_executor(workers)
            yield


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Closes a loop that is not running. What a refused program left waiting on it is cancelled."""
    waiting = asyncio.all_tasks(loop)
    for task in waiting:
        task.cancel()
    if waiting:
        loop.run_until_complete(asyncio.wait(waiting))
    loop.close()


def _ignored(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    del loop, context


@contextmanager
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _connected(deployment: Deployment) -> Generator[None]:
    """Requests to the Kubernetes API go to the record: there is no cluster to answer them."""
    before = CONNECT.set(deployment.connect)
    try:
        yield
    finally:
        CONNECT.reset(before)


def run(
    program: Callable[[], object],
    deployment: Deployment,
    settings: Mapping[str, Any],
    *,
    stack: str,
    secrets: Sequence[str] = (),
) -> Deployment:
    """Runs a program to its end, all its resources included, and gives the record back.

    `settings` is the `config` of a stack file, `secrets` names its encrypted keys. Raises what
    the program raises.
    """
    # As the CLI does it: what is no text becomes JSON, its keys in alphabetical order.
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for key, value in settings.items()
    }
    environment = {
        "PULUMI_CONFIG": json.dumps(texts),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(secrets)),
    }
    with _environment(environment), event_loops(), _connected(deployment):
        preview = deployment.preview
        pulumi.runtime.set_mocks(deployment, PROJECT, stack, preview, monitor=deployment)
        pulumi.runtime.test(program)()  # pyright: ignore[reportUnknownMemberType]
    return deployment
