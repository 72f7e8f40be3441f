"""A real program that runs on this machine as the container of played pods."""

import http.client
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lightkube.core.client import Client
from lightkube.resources.core_v1 import Pod

from rehearsal.nodes import cluster
from rehearsal.processes import Processes, how_ended, last_lines
from rehearsal.state import State

HEALTH_SECONDS = 60.0
"""Seconds until a health probe must answer: the slowest takes 3 to 5 on 2 idle cores."""
RESTART_SECONDS = 10.0
"""Seconds between a crash and the next start, as the kubelet's first back-off."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Command, environment and port of one start of the program."""

    argv: Sequence[str | Path]
    environment: Mapping[str, str]
    port: int
    """Port of the health probe."""


@dataclass(frozen=True, kw_only=True)
class Running:
    """A process, and what it was started with."""

    environment: Mapping[str, str]
    port: int
    since: float
    """Start in monotonic seconds."""


class Container:
    """Starts, probes and restarts one program, and shows its state on its pods. `health` is the
    path of its probe.
    """

    def __init__(self, state: State, client: Client, name: str, health: str) -> None:
        self.state, self.client, self.name, self.health = state, client, name, health
        self.processes = Processes(state)
        self.events = cluster.Events(client, "kubelet")
        self.running: Running | None = None
        self.healthy = False
        self.again_at = 0.0

    @property
    def comes_up(self) -> bool:
        """True if it was started and has not yet answered."""
        return self.running is not None and not self.healthy

    def keep(
        self, pods: Sequence[Pod], environment: Mapping[str, str], launch: Callable[[], Launch]
    ) -> None:
        """Keeps it running with this environment: restarts it if that differs, or if it has
        ended.
        """
        if self.running and self.running.environment != environment:
            self.stop()
        if not self.running and time.monotonic() >= self.again_at:
            self._start(environment, launch())
        if self.running:
            self._probe(pods, self.running)

    def stop(self) -> None:
        """Ends the program, if it runs."""
        if self.running:
            self.processes.stop([self.name])
            print(f"{self.name}: stopped", flush=True)
        self.running, self.healthy = None, False

    def fail(self, pods: Sequence[Pod], why: str) -> None:
        """Makes the pods crash, and reports why."""
        for pod in pods:
            cluster.annotate(self.client, pod, {cluster.NOT_READY: why, cluster.HEALTHY: None})
            self.events.warn(pod, "BackOff", why)

    def _start(self, environment: Mapping[str, str], launch: Launch) -> None:
        self.processes.stop([self.name])
        self.processes.start(self.name, launch.argv, {**environment, **launch.environment})
        print(f"{self.name}: started", flush=True)
        since = time.monotonic()
        self.running = Running(environment=environment, port=launch.port, since=since)
        self.healthy = False

    def _probe(self, pods: Sequence[Pod], running: Running) -> None:
        """Passes the state of the process on to its pods."""
        record = self.processes.find(self.name)
        if not record or not record.alive:
            how = how_ended(record) if record else "has ended"
            why = last_words(self.state.logs / f"{self.name}.log")
            self.stop()
            self.again_at = time.monotonic() + RESTART_SECONDS
            self.fail(pods, f"the controller {how}; its log says: {why}")
            return
        seconds = time.monotonic() - running.since
        answers = _answers(running.port, self.health)
        if answers and not self.healthy:
            self.healthy = True
            print(f"{self.name}: healthy after {seconds:.1f} s", flush=True)
        if answers:
            for pod in pods:
                changes = {cluster.NOT_READY: None, cluster.HEALTHY: "true"}
                cluster.annotate(self.client, pod, changes)
        elif seconds > HEALTH_SECONDS:
            self.fail(pods, f"no answer on its health probe in {seconds // 10 * 10:.0f} s")


def last_words(log: Path) -> str:
    """End of a controller's log: the reason of a panic, else the last message."""
    end = last_lines(log, 60)
    if panic := re.search(r"(?m)^\s*(panic: .*)$", end):
        return panic.group(1)
    line = end.splitlines()[-1].strip()
    try:
        said = json.loads(line)
        return ": ".join(said[key] for key in ("message", "error") if said.get(key))
    except (json.JSONDecodeError, TypeError, AttributeError):
        return line


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
