"""Commands with Karpenter: `scale`, `replay`, and their part of `run`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from rehearsal import report
from rehearsal.clients import Cluster
from rehearsal.consolidation import picture
from rehearsal.consolidation.replay import Replay
from rehearsal.consolidation.report import print_replay
from rehearsal.consolidation.session import SESSION, narrowed, pools_of_both
from rehearsal.consolidation.trace import Trace
from rehearsal.engine import Engine, Outcome
from rehearsal.errors import RehearsalError
from rehearsal.scenario import REPLICAS, Scenario, Workload
from rehearsal.stack_file import PROJECT, StackFile
from rehearsal.state import State

SAMPLES = ":SampleWorkloads$"
"""Part of the URN of everything under `sampleWorkloads`."""
PICTURE, TRACE = "consolidation.svg", "consolidation.json"
"""Files that a replay writes into the state folder."""


def has_workload(file: StackFile) -> bool:
    """True if there is a workload to scale, and Karpenter to give it nodes."""
    config = file.config
    return bool(config.get(f"{PROJECT}:karpenter") and config.get(f"{PROJECT}:sampleWorkloads"))


def has_session(file: StackFile) -> bool:
    """True if `run` replays the session: a pool may begin with on-demand and go on with spot."""
    return has_workload(file) and bool(pools_of_both(file))


class KarpenterCommands:
    """Plays on one running rehearsal with a stack that is up."""

    def __init__(self, state: State, console: Console, file: StackFile) -> None:
        self.state, self.console, self.file = state, console, file

    def scale(self, workload: Workload, replicas: Sequence[int] = REPLICAS) -> None:
        """Scales to each number in turn, waiting for Karpenter each time."""
        scenario = Scenario(Cluster(self.state), self.state.endpoints, self.console)
        self.console.print(report.scenes_table(scenario.scale(workload, replicas)))

    def replay(
        self,
        workload: Workload,
        apply: Callable[[Mapping[str, Any]], Outcome],
        drawn: Path | None = None,
    ) -> Trace:
        """Plays the session, shows its result, and writes its trace and picture. `apply` runs
        `pulumi up` with settings that override the file's. The record is written after an error and
        after Ctrl-C too.
        """
        pools = pools_of_both(self.file)
        if not pools:
            raise RehearsalError(
                f"The session moves nodes from on-demand to spot, and no pool of {self.file.path} "
                "allows both: give one `capacityTypes: [spot, on-demand]`."
            )
        self._say(f"The session begins with on-demand only in: {', '.join(pools)}.")
        replay = Replay(self.state, self.console, workload)
        replay.trace.narrowed = tuple(pools)
        drawn = drawn or self.state.path / PICTURE
        try:
            trace = replay.play(SESSION, apply, narrowed(self.file))
        finally:
            replay.trace.write(self.state.path / TRACE)
        print_replay(self.console, trace)
        picture.draw(trace, drawn)
        self._say(f"The trace is {self.state.path / TRACE}, its picture {drawn}.")
        return trace

    def _say(self, text: str) -> None:
        self.console.print(escape(text), highlight=False)


def workload(engine: Engine, file: Path, name: str | None = None) -> Workload:
    """The Deployment of the stack with this name; without one the first sample workload.

    Raises RehearsalError with the names of those that there are.
    """
    deployments = [
        resource
        for resource in engine.resources()
        if resource["type"] == "kubernetes:apps/v1:Deployment"
    ]
    # Pause pods are no load: they make room for it.
    deployments.sort(key=lambda resource: SAMPLES not in resource["urn"])
    workloads = [
        Workload(metadata.get("namespace", "default"), metadata["name"])
        for metadata in (deployment["outputs"]["metadata"] for deployment in deployments)
    ]
    chosen = [
        candidate
        for candidate in workloads
        if name in {None, candidate.name, f"{candidate.namespace}/{candidate.name}"}
    ]
    if not chosen:
        there = (
            ", ".join(f"{candidate.namespace}/{candidate.name}" for candidate in workloads)
            or "none"
        )
        raise RehearsalError(
            f"The stack has no Deployment {name or 'to scale'} (there are: {there}): put one "
            f"under sampleWorkloads in {file} and run `up`."
        )
    return chosen[0]
