"""Long-running processes of a rehearsal: started detached, recorded, ended exactly."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from rehearsal.errors import RehearsalError
from rehearsal.state import State

ENVIRONMENT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME")
"""Variables of the user's environment that are passed on: no credentials, profiles, proxies or
kubeconfig.
"""
OWNER = "FRUGAL_EKS_REHEARSAL"
"""Variable with the state folder in the environment of each process, children included."""
PATIENCE = 2.0
"""Seconds between SIGTERM and SIGKILL."""
CLOCK_SECONDS = 5.0
"""The kernel tells a start by a clock that is set now and then, by a whole second too; no pid comes
again as soon."""
LAST_LINES = 8
LINE_LENGTH = 1000

# A child stays known while this interpreter lives, so that its exit code can be read.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, kw_only=True)
class Record:
    """A process that was started; pid and time together name it even after the pid is reused."""

    name: str
    pid: int
    created: float
    """Start in seconds since the epoch, as the operating system reports it."""
    log: str

    @property
    def alive(self) -> bool:
        """True if it still runs; a zombie does not."""
        return _process(self) is not None


class Processes:
    """The processes of one state folder."""

    def __init__(self, state: State) -> None:
        self.state = state

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The user's plain variables and the given ones, marked as this rehearsal's."""
        plain = {key: os.environ[key] for key in ENVIRONMENT if key in os.environ}
        return plain | {OWNER: str(self.state.path)} | dict(more or {})

    def start(
        self, name: str, argv: Sequence[str | Path], env: Mapping[str, str] | None = None
    ) -> Record:
        """Start `name` in a session of its own, its output going to logs/<name>.log.

        Raises RehearsalError if a process of that name runs already, or cannot be started.
        """
        if (known := self.find(name)) and known.alive:
            raise RehearsalError(
                f"{name} (process {known.pid}) runs already in {self.state.path}: "
                "`./frugal-eks rehearse stop` ends it"
            )
        # Ctrl-C is raised in the main thread only: here nothing comes between start and record.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._start, name, [str(part) for part in argv], env).result()

    def _start(self, name: str, argv: list[str], env: Mapping[str, str] | None) -> Record:
        log = self.state.logs / f"{name}.log"
        with log.open("ab") as output:
            try:
                child = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self.environment(env),
                    cwd=self.state.path,
                    start_new_session=True,
                )
            except OSError as error:
                raise RehearsalError(
                    f"{name} cannot be started: {argv[0]}: {error.strerror}"
                ) from None
        _children[child.pid] = child
        created = psutil.Process(child.pid).create_time()
        record = Record(name=name, pid=child.pid, created=created, log=str(log))
        self._file(name).write_text(json.dumps(asdict(record)) + "\n")
        return record

    def _file(self, name: str) -> Path:
        return self.state.records / f"{name}.json"

    def find(self, name: str) -> Record | None:
        """Process that was last started under this name, alive or not."""
        try:
            return Record(**json.loads(self._file(name).read_text()))
        except (FileNotFoundError, json.JSONDecodeError, TypeError):
            return None

    def all(self) -> list[Record]:
        """Processes that were started and not stopped, alive or not, by name."""
        names = sorted(file.stem for file in self.state.records.glob("*.json"))
        return [record for name in names if (record := self.find(name))]

    def require_alive(self, names: Sequence[str] | None = None) -> None:
        """Checks that all processes run. Raises RehearsalError about the first that has ended by
        itself.
        """
        for record in self.all():
            if (names is None or record.name in names) and not record.alive:
                raise RehearsalError(obituary(record))

    def wait(self, name: str, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until `ready` says so; it is asked twenty times a second and may raise OSError.

        Raises RehearsalError if the process ends before, or is not ready in time.
        """
        end = time.monotonic() + seconds
        while not _is(ready):
            self.require_alive([name])
            if time.monotonic() > end:
                log = self.state.logs / f"{name}.log"
                raise RehearsalError(
                    f"{name} was not ready within {seconds:.0f} s; the last lines of {log}:\n"
                    f"{last_lines(log)}"
                )
            time.sleep(0.05)

    def stop(self, names: Sequence[str] | None = None) -> list[str]:
        """End these processes, or all and whatever they left; returns the names of those ended.

        SIGTERM first, SIGKILL after PATIENCE seconds. A process that has ended is no error.
        """
        records = [record for record in self.all() if names is None or record.name in names]
        known = {record.name: process for record in records if (process := _process(record))}
        strays = (
            {f"process {process.pid}": process for process in self._marked()}
            if names is None
            else {}
        )
        others = {
            name: process for name, process in strays.items() if process not in known.values()
        }
        _end([*known.values(), *others.values()])
        for record in records:
            self._file(record.name).unlink(missing_ok=True)
        return [*known, *others]

    def _marked(self) -> list[psutil.Process]:
        """Processes whose environment names this state folder, without the asking one's family.

        They are found after a crash too, when there is no record of them.
        """
        ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
        members: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                marked = process.environ().get(OWNER) == str(self.state.path)
                if marked and process.pid not in ours and process.status() != psutil.STATUS_ZOMBIE:
                    members.append(process)
            except (psutil.Error, OSError):
                continue
        return members


def obituary(record: Record) -> str:
    """Sentence about a process that has ended, how if that is known, with its last words."""
    return (
        f"{record.name} (process {record.pid}) {how_ended(record)}, so the rehearsal cannot go on: "
        f"`./frugal-eks rehearse stop`, then start it again; the last lines of {record.log}:\n"
        f"{last_lines(Path(record.log))}"
    )


def how_ended(record: Record) -> str:
    """`ended with exit code 3`, `was ended by SIGKILL`, or that it has ended."""
    code = _exit_code(record)
    if code is None:
        return "has ended"
    return (
        f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    )


def _exit_code(record: Record) -> int | None:
    """Exit code of a process; None if another interpreter started it. A killed process takes a
    moment to be gone.
    """
    child = _children.get(record.pid)
    try:
        return child.wait(timeout=PATIENCE) if child else None
    except subprocess.TimeoutExpired:
        return None


def last_lines(log: Path, count: int = LAST_LINES) -> str:
    """The end of a log, indented; it says so if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 16_384))
            lines = file.read().decode(errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        lines = []
    return "\n".join(f"  {line[:LINE_LENGTH]}" for line in lines) or "  (it wrote nothing)"


def _process(record: Record) -> psutil.Process | None:
    """Process of a record; None if it has ended, or if its pid was reused."""
    if child := _children.get(record.pid):
        # Reaps it if it has ended, else it would stay a zombie.
        child.poll()
    try:
        process = psutil.Process(record.pid)
        same = abs(process.create_time() - record.created) < CLOCK_SECONDS
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def _is(ready: Callable[[], bool]) -> bool:
    try:
        return ready()
    except OSError:
        return False


def _end(processes: Sequence[psutil.Process]) -> None:
    """Sends SIGTERM to all at once, and SIGKILL to those that stay."""
    for process in processes:
        _signal(process, signal.SIGTERM)
    _, left = psutil.wait_procs(processes, timeout=PATIENCE)
    for process in left:
        _signal(process, signal.SIGKILL)
    psutil.wait_procs(left, timeout=PATIENCE)
    for process in processes:
        if child := _children.pop(process.pid, None):
            child.wait()


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
