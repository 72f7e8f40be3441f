"""Wall times of the program in the rehearsal; the floor is measured in the same run."""

import dataclasses
import io
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import yaml
from rich.console import Console

from rehearsal import toolchain
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Engine
from rehearsal.errors import RehearsalError
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.spot_commands import SpotCommands
from rehearsal.nodes import namespaces
from rehearsal.stack_file import PROJECT, StackFile
from rehearsal.state import State

POOLS = (1, 10, 100)
"""Numbers of NodePools whose previews are compared."""

T = TypeVar("T")
Say = Callable[[str], None]


class Life(NamedTuple):
    """One whole life of a stack in the rehearsal, in seconds, and its state when it was up."""

    start: float
    up: float
    """Seconds of the engine alone; likewise the two below."""
    second_preview: float
    destroy: float
    total: float
    """Seconds from nothing running until the stack is destroyed and nothing is left, with the waits
    for pods and pools and the look at what is left; without the second preview."""
    export: dict[str, Any]
    drained: float | None = None
    """Seconds from the warning about a spot node until its last pod was gone; None if the stack has
    no spot groups, or this machine cannot run their handler."""


class Previews(NamedTuple):
    """Median seconds of previews of stacks of which nothing exists yet."""

    empty: float
    stack: float
    by_pools: dict[int, float]
    resources: int


def build_tools() -> None:
    """Builds missing tools, so that no figure includes it."""
    toolchain.ensure(toolchain.REHEARSAL)


def life(stack: str, say: Say) -> Life:
    """Start, up, preview, destroy, stop, in a folder of its own.

    Raises RehearsalError if a step fails, if the second preview is not empty, or if anything is
    left behind.
    """
    with _rehearsal(stack) as rehearsal:
        say("start")
        start, _ = _timed(rehearsal.start)
        say("up")
        up, outcome = _timed(rehearsal.up)
        say("second preview")
        preview = rehearsal.preview(expect_no_changes=True)
        export = rehearsal.engine().export()
        say("interruption")
        drained = _drained(rehearsal)
        say("destroy")
        destroy, destroyed = _timed(rehearsal.destroy)
        total = start + up + destroy
        return Life(
            start, outcome.seconds, preview.seconds, destroyed.seconds, total, export, drained
        )


def _drained(rehearsal: Rehearsal) -> float | None:
    if not rehearsal.stack_file.has_termination_handler or namespaces.missing():
        return None
    commands = SpotCommands(rehearsal.state, rehearsal.console)
    # Else the pods that prefer spot are where they were before spot nodes had joined.
    commands.samples()
    plays = commands.interruption
    outcome = plays.play(plays.victim(None, Kind.SPOT))
    outcome.require_held()
    return max(outcome.drained.values())


def previews(stack: str, rounds: int, say: Say, pools: Sequence[int] = POOLS) -> Previews:
    """Previews of an empty program and of the stack, by turns, so that both meet the same machine.

    Raises RehearsalError if a preview fails.
    """
    with _rehearsal(stack) as rehearsal:
        say("start")
        rehearsal.start()
        engine = rehearsal.engine()
        empty = _empty_program(engine, rehearsal.state.path / "empty")
        seconds: dict[str | int, list[float]] = {"empty": [], "stack": []}
        resources = 0
        for number in range(rounds):
            say(f"previews, round {number + 1} of {rounds}")
            _prepare(rehearsal, engine, None)
            seconds["empty"].append(_preview(empty)[0])
            time_, resources = _preview(engine)
            seconds["stack"].append(time_)
            for count in pools:
                _prepare(rehearsal, engine, count)
                seconds.setdefault(count, []).append(_preview(engine)[0])
    return Previews(
        median(seconds["empty"]),
        median(seconds["stack"]),
        {count: median(seconds[count]) for count in pools},
        resources,
    )


def with_pools(config: dict[str, Any], pools: int) -> dict[str, Any]:
    """The stack's karpenter section with so many node pools, all like its first.

    Raises RehearsalError if the stack has no node pool.
    """
    section: dict[str, Any] = config.get(f"{PROJECT}:karpenter") or {}
    if not section.get("nodePools"):
        raise RehearsalError(
            "The stack has no karpenter.nodePools to multiply: measure one that has."
        )
    first = next(iter(section["nodePools"].values()))
    return section | {"nodePools": {f"pool-{number}": first for number in range(pools)}}


@contextmanager
def _rehearsal(stack: str) -> Generator[Rehearsal]:
    """A rehearsal in a temporary folder, stopped whatever happens. Prints nothing."""
    with TemporaryDirectory(prefix="frugal-eks-bench-") as folder:
        quiet = Console(file=io.StringIO())
        rehearsal = Rehearsal(Options(state=Path(folder) / "state", stack=stack), quiet)
        try:
            yield rehearsal
        finally:
            rehearsal.stop()


def _prepare(rehearsal: Rehearsal, engine: Engine, pools: int | None) -> None:
    settings: dict[str, Any] = {f"{PROJECT}:chartMirror": str(rehearsal.state.charts)}
    if pools is not None:
        settings[f"{PROJECT}:karpenter"] = with_pools(rehearsal.stack_file.config, pools)
    engine.prepare(settings)


def _empty_program(engine: Engine, folder: Path) -> Engine:
    """The same engine with a program that declares nothing."""
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "__main__.py").touch()
    runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
    (project / "Pulumi.yaml").write_text(yaml.safe_dump({"name": "empty", "runtime": runtime}))
    state = State(folder / "state")
    state.create()
    made = Engine(
        state,
        dataclasses.replace(engine.setup, project=project),
        StackFile(project / "Pulumi.empty.yaml", "empty", {"config": {}}),
        engine.console,
    )
    made.prepare()
    return made


def _preview(engine: Engine) -> tuple[float, int]:
    """Seconds of a preview, and its number of resources to create."""
    outcome = engine.preview()
    if not outcome.succeeded:
        raise RehearsalError(f"A preview failed.\n{outcome.diagnostics()}")
    return outcome.seconds, outcome.changes.get("create", 0)


def _timed(do: Callable[[], T]) -> tuple[float, T]:
    began = time.monotonic()
    done = do()
    return time.monotonic() - began, done
