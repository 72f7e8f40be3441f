"""Runs an engine process: environment, event stream, Ctrl-C."""

import signal
import subprocess
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

import psutil

from rehearsal.engine_events import EngineStep, Record
from rehearsal.processes import Processes
from rehearsal.progress import EngineProgress
from rehearsal.state import State

PASSPHRASE = "rehearsal"
"""Passphrase of a throw-away stack, which protects nothing."""
ENGINE = "FRUGAL_EKS_ENGINE"
"""Environment variable with the state folder, for an engine and all that it starts."""
STREAMING = "PULUMI_ENABLE_STREAMING_JSON_PREVIEW"
"""Environment variable that makes a preview print events one by one, as other operations do."""
GENTLE = 2
"""Number of interrupts that the engine knows: finish what is begun, then stop at once."""


def environment(state: State, more: dict[str, str]) -> dict[str, str]:
    """Environment of an engine: own home and backend, nothing of the user's clouds and clusters."""
    helm, nowhere = state.path / "helm", str(state.path / "no-such-file")
    return Processes(state).environment(
        {
            ENGINE: str(state.path),
            "PULUMI_HOME": str(state.path / "pulumi"),
            "PULUMI_BACKEND_URL": (state.path / "backend").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            # Else a plugin on PATH would come before those laid out here.
            "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
            STREAMING: "true",
            "AWS_CONFIG_FILE": nowhere,
            "AWS_SHARED_CREDENTIALS_FILE": nowhere,
            "KUBECONFIG": nowhere,
            "HELM_CACHE_HOME": str(helm / "cache"),
            "HELM_CONFIG_HOME": str(helm / "config"),
            "HELM_DATA_HOME": str(helm / "data"),
            **more,
        }
    )


def end_orphans(state: State) -> None:
    """Ends the plugins and programs of a killed engine, which nobody else ends."""
    orphans: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(ENGINE) == str(state.path):
                process.kill()
                orphans.append(process)
        except (psutil.Error, OSError):  # ended meanwhile, or somebody else's
            continue
    psutil.wait_procs(orphans, timeout=5)


class EventStream:
    """Reads a running engine's events to their end, Ctrl-C included."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        log: IO[str],
        record: Record,
        progress: EngineProgress,
    ) -> None:
        self.process, self.log, self.record, self.progress = process, log, record, progress
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.interrupts = 0

    def follow(self) -> bool:
        """Reads to the end; returns True if Ctrl-C was pressed."""
        Thread(target=self._read, daemon=True).start()
        try:
            going = True
            while going:
                try:
                    going = self._next()
                except KeyboardInterrupt:
                    self._interrupt()
            self.process.wait()
        finally:
            self.process.kill()
        return self.interrupts > 0

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                self.lines.put(line)
        self.lines.put(None)

    def _next(self) -> bool:
        try:
            line = self.lines.get(timeout=1.0)
        except Empty:
            self.progress.tick()
            # A program that the engine cut off may hold the stream open for some seconds more.
            return self.process.poll() is None
        if line is None:
            return False
        self.log.write(line)
        happened = self.record.read(line)
        if isinstance(happened, EngineStep):
            self.progress.ended(happened)
        elif happened and happened.severity in {"info", "warning"}:
            self.progress.said(happened)
        return True

    def _interrupt(self) -> None:
        """Handles Ctrl-C: at the first the engine finishes what it has begun, at the second it
        stops.
        """
        self.interrupts += 1
        if self.interrupts == 1:
            self.progress.console.print(
                "Ctrl-C: the engine finishes the steps that it has begun; "
                "press it again to end them at once."
            )
        self.process.send_signal(signal.SIGINT if self.interrupts <= GENTLE else signal.SIGKILL)
