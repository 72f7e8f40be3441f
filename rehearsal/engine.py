"""Runs the real Pulumi engine with its own backend, plugins and settings."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

import psutil
import yaml
from rich.console import Console

from rehearsal.engine_events import EngineStep, Message, Record
from rehearsal.engine_process import STREAMING, EventStream, end_orphans, environment
from rehearsal.errors import INTERRUPTED, RehearsalError
from rehearsal.progress import EngineProgress, kind
from rehearsal.stack_file import StackFile
from rehearsal.state import ROOT, State

Operation = Literal["preview", "up", "destroy", "refresh"]

TITLES: dict[Operation, str] = {
    "preview": "pulumi preview",
    "up": "pulumi up",
    "destroy": "pulumi destroy",
    "refresh": "pulumi refresh",
}


GENERIC = "an unhandled error occurred: program exited with non-zero exit code"
"""Message that the language host adds to the program's own."""


@dataclass(frozen=True)
class Outcome:
    """Result of an operation. `changes` counts resources by operation, e.g. {"create": 80}."""

    operation: Operation
    succeeded: bool
    interrupted: bool
    changes: dict[str, int]
    steps: list[EngineStep]
    messages: list[Message]
    seconds: float

    @property
    def is_empty(self) -> bool:
        """True if nothing would change, or was changed."""
        return self.succeeded and set(self.changes) <= {"same", "read"}

    def diagnostics(self) -> str:
        """Errors of the engine, resource by resource."""
        said = [message for message in self.messages if GENERIC not in message.text]
        errors = [message for message in said if message.severity == "error"]
        errors = errors or [message for message in said if message.severity == "stderr"]
        lines: list[str] = []
        for urn in dict.fromkeys(message.urn for message in errors):
            if urn:
                type_token, _, name = urn.split("::", 2)[2].rpartition("::")
                lines.append(f"{type_token.rpartition('$')[2]} {name}:")
            texts = [message.text for message in errors if message.urn == urn]
            lines += ["  " + line for text in texts for line in text.splitlines() if line.strip()]
        return "\n".join(lines)


class EngineError(RehearsalError):
    """A failed operation; the text is the engine's diagnostics."""

    def __init__(self, outcome: Outcome) -> None:
        how = "was interrupted" if outcome.interrupted else "failed"
        reason = outcome.diagnostics() or "The engine gave no reason."
        super().__init__(f"pulumi {outcome.operation} {how}.\n{reason}")
        self.outcome = outcome
        self.code = INTERRUPTED if outcome.interrupted else self.code


@dataclass(frozen=True)
class EngineSetup:
    """Folders and environment that an engine needs."""

    cli: Path
    """Folder with `pulumi` and the Python language host."""
    environment: Mapping[str, str]
    """Endpoint and credentials of the played AWS."""
    project: Path = ROOT
    """Folder with the program's Pulumi.yaml."""


class Engine:
    """One stack of a rehearsal. Operations print their progress and return their Outcome."""

    def __init__(
        self, state: State, setup: EngineSetup, stack_file: StackFile, console: Console
    ) -> None:
        self.state, self.setup, self.stack_file = state, setup, stack_file
        self.console = console
        self.stack = stack_file.stack
        self.plugins = state.path / "pulumi" / "plugins"
        self.backend = state.path / "backend"
        self.settings = state.path / "project" / f"Pulumi.{self.stack}.yaml"
        self.name: str = yaml.safe_load((setup.project / "Pulumi.yaml").read_text())["name"]

    def prepare(self, settings: Mapping[str, Any] | None = None) -> None:
        """Copies the stack file, with `settings` overriding its own, and creates the stack if it is
        new.
        """
        for folder in (self.plugins, self.backend):
            folder.mkdir(parents=True, exist_ok=True)
        self.stack_file.write_copy(self.settings, dict(settings or {}))
        if not self._checkpoint().exists():
            # In a project of its own, since `stack init` writes into the stack file it finds.
            project = self.settings.parent
            (project / "Pulumi.yaml").write_text(f"name: {self.name}\nruntime: python\n")
            self._run(["stack", "init", self.stack, "--cwd", str(project)])

    def preview(self, *flags: str) -> Outcome:
        """Runs a preview, which changes nothing."""
        return self._operate("preview", [*flags])

    def preview_json(self) -> str:
        """Output of `pulumi preview --json`. Raises RehearsalError if the preview fails."""
        arguments = ["preview", "--json", "--show-sames", "--config-file", str(self.settings)]
        with self.console.status(TITLES["preview"]):
            ended = self._ended([*arguments, *self._in_project()], {STREAMING: "false"})
        if ended.returncode:
            raise RehearsalError(f"pulumi preview failed.\n{_errors(ended)}")
        return ended.stdout

    def up(self, *flags: str) -> Outcome:
        """Runs preview and update. Raises EngineError with the diagnostics if it fails."""
        return _checked(self._operate("up", ["--yes", *flags]))

    def destroy(self) -> Outcome:
        """Deletes all resources of the stack. Raises EngineError if one cannot be deleted."""
        return _checked(self._operate("destroy", ["--yes"]))

    def refresh(self, *flags: str) -> Outcome:
        """Reads all resources anew. Raises EngineError if that fails."""
        return _checked(self._operate("refresh", ["--yes", *flags]))

    def export(self, *, secrets: bool = False) -> dict[str, Any]:
        """The stack's state as the engine writes it; secrets are plain text with `secrets`."""
        shown = ["--show-secrets"] if secrets else []
        return json.loads(self._run([*self._in_project(), "stack", "export", *shown]))

    def load(self, resources: Sequence[Mapping[str, Any]]) -> None:
        """Replaces the stack's resources by those of an exported state."""
        # What encrypts its secrets is the stack's.
        state = self.export()
        state["deployment"]["resources"] = list(resources)
        self._run([*self._in_project(), "stack", "import"], json.dumps(state))

    def outputs(self) -> dict[str, Any]:
        """Outputs that the program exports."""
        return json.loads(self._run([*self._in_project(), "stack", "output", "--json"]))

    def resources(self) -> list[dict[str, Any]]:
        """Resources in the stack's state, as the engine writes them; none before `up`."""
        if not self._checkpoint().exists():
            return []
        return self.export()["deployment"].get("resources") or []

    def recover(self) -> list[str]:
        """Repairs the stack after an engine was killed, and says what was done. Raises
        RehearsalError while another engine still works on the stack.
        """
        done: list[str] = []
        for lock in (self.backend / ".pulumi" / "locks").rglob("*.json"):
            holder = json.loads(lock.read_text())
            if _is_engine(holder["pid"]):
                raise RehearsalError(
                    f"Another operation works on stack {self.stack} (process {holder['pid']}): "
                    f"wait until it has finished, or end it with Ctrl-C in its terminal."
                )
            end_orphans(self.state)
            self._run([*self._in_project(), "cancel", "--yes"])
            done.append(f"released the lock of process {holder['pid']}, which is gone")
            break
        if pending := self.pending():
            self.refresh("--clear-pending-creates")
            done.append("read the state anew, since it had not finished: " + ", ".join(pending))
        return done

    def pending(self) -> list[str]:
        if not self._checkpoint().exists():
            return []
        checkpoint = json.loads(self._checkpoint().read_text())
        latest: dict[str, Any] = checkpoint["checkpoint"].get("latest") or {}
        operations = cast("list[dict[str, Any]]", latest.get("pending_operations") or [])
        return [
            f"{o['type']} {kind(o['resource']['type'])} {o['resource']['urn'].rpartition('::')[2]}"
            for o in operations
        ]

    def _checkpoint(self) -> Path:
        return self.backend / ".pulumi" / "stacks" / self.name / f"{self.stack}.json"

    def _in_project(self) -> list[str]:
        return ["--cwd", str(self.setup.project), "--stack", self.stack]

    def _operate(self, operation: Operation, flags: list[str]) -> Outcome:
        record = Record(previews_only=operation == "preview")
        began = time.monotonic()
        with (
            (self.state.logs / f"engine-{operation}.jsonl").open("w") as log,
            (self.state.logs / f"engine-{operation}.stderr").open("w+") as stderr,
            EngineProgress(self.console, TITLES[operation], record) as progress,
        ):
            process = self.started(operation, flags, stderr)
            stream = EventStream(process, log, record, progress)
            interrupted = stream.follow()
            stderr.seek(0)
            if process.returncode and not any(
                m.severity in {"error", "stderr"} for m in record.messages
            ):
                record.messages.append(Message("error", "", stderr.read().strip()))
        return Outcome(
            operation,
            process.returncode == 0,
            interrupted,
            record.changes,
            [step for step in record.steps if not record.previewing or record.previews_only],
            record.messages,
            time.monotonic() - began,
        )

    def _run(self, arguments: list[str], given: str | None = None) -> str:
        """Runs a short command of the CLI with `given` as its input; returns its output."""
        ended = self._ended(arguments, given=given)
        if ended.returncode:
            message = (ended.stderr or ended.stdout).strip().removeprefix("error: ")
            raise RehearsalError(f"`pulumi {' '.join(arguments)}` failed: {message}")
        return ended.stdout

    def _ended(
        self,
        arguments: list[str],
        environment: Mapping[str, str] | None = None,
        given: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            env=self._environment() | dict(environment or {}),
            input=given,
            text=True,
            capture_output=True,
            check=False,
        )

    def started(
        self, operation: Operation, flags: list[str], stderr: IO[str] | int
    ) -> subprocess.Popen[str]:
        """Starts an engine that prints its events, one JSON object per line."""
        settings = ["--config-file", str(self.settings), *self._in_project()]
        output = ["--json", "--non-interactive", "--color", "never"]
        return subprocess.Popen(
            ["pulumi", operation, *flags, *settings, *output],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            # Else a Ctrl-C in the terminal would reach the providers too, in mid-call.
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        # The rehearsal's own `aws` before one of the user's: kubeconfigs ask it for a token.
        first = [str(self.setup.cli), str(self.state.bin)]
        path = os.pathsep.join([*first, os.environ.get("PATH", "")])
        return environment(self.state, {"PATH": path, **self.setup.environment})


def _errors(preview: subprocess.CompletedProcess[str]) -> str:
    """The errors in a failed preview's JSON, or all that was printed where there is no JSON."""
    try:
        diagnostics = json.loads(preview.stdout)["diagnostics"]
    except (json.JSONDecodeError, KeyError):
        return (preview.stderr or preview.stdout).strip()
    errors = [each["message"].strip() for each in diagnostics if each["severity"] == "error"]
    return "\n".join([text for text in errors if GENERIC not in text] or errors)


def _checked(outcome: Outcome) -> Outcome:
    if not outcome.succeeded:
        raise EngineError(outcome)
    return outcome


def _is_engine(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        # A container without an init keeps the killed ones as zombies.
        ended = process.status() == psutil.STATUS_ZOMBIE
        return process.name().startswith("pulumi") and not ended
    except psutil.NoSuchProcess:
        return False
