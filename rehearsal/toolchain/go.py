"""Calls the user's Go: reproducibly, with progress, and ended with its caller."""

import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rehearsal.errors import RehearsalError
from rehearsal.toolchain.families import FAMILIES, Family
from rehearsal.toolchain.progress import BuildStep, Progress

SETTINGS = {
    # No other Go is downloaded behind the user's back.
    "GOTOOLCHAIN": "local",
    "CGO_ENABLED": "0",
    "GOFLAGS": "-trimpath -buildvcs=false -mod=readonly",
    # A workspace of the user above the checkout would mix into the modules.
    "GOWORK": "off",
}
LAST_LINES = 15
FAMILIES_FILE = "rehearsal/toolchain/families.py"


@dataclass(frozen=True)
class Go:
    """A Go that is new enough for every family."""

    path: str
    version: str
    """Version such as `go1.26.8`."""
    target: str
    """Operating system and architecture."""

    @classmethod
    def find(cls) -> "Go":
        """The Go on PATH. Raises RehearsalError if there is none, or an older one than needed."""
        needed = needed_version(FAMILIES)
        path = shutil.which("go")
        if not path:
            raise RehearsalError(
                "go is not on PATH, and it builds the rehearsal's tools: "
                f"install Go {needed} or newer (https://go.dev/doc/install)"
            )
        command = [path, "env", "GOVERSION", "GOOS", "GOARCH"]
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, check=True, env=_environment(), cwd="/"
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise RehearsalError(
                f"{path} does not answer `go env` ({error}): install Go {needed} or newer"
            ) from None
        version, system, architecture = result.stdout.split()
        if parsed(version) < parsed(needed):
            raise RehearsalError(
                f"{path} is {version}, too old for the rehearsal's tools: "
                f"install Go {needed} or newer (https://go.dev/doc/install)"
            )
        return cls(path, version, f"{system}/{architecture}")

    @property
    def environment_key(self) -> tuple[str, ...]:
        """What a build depends on beside modules, flags and the version of Go."""
        return (self.target, *(f"{key}={value}" for key, value in sorted(SETTINGS.items())))

    def build(self, family: Family, tool: str, target: Path, progress: Progress) -> None:
        """Builds one binary. Raises RehearsalError with the compiler's last lines if it fails."""
        package = family.packages[tool]
        tags = ["-tags", ",".join(family.tags)] if family.tags else []
        begun = time.monotonic()
        step = BuildStep(tool=tool, minutes=family.minutes)
        progress.show(step, 0.0)
        total = self._count(family, [*tags, package], progress, step)
        changed = self._changed(family, target.parent)
        flags = [*changed, *tags, "-ldflags", family.linker_flags]
        argv = ["build", "-v", *flags, "-o", str(target), package]
        step = BuildStep(tool=tool, minutes=family.minutes, total=total)
        seen: list[str] = []
        with self._running(argv, family.folder) as child:
            for line in _lines(child):
                if line is None:
                    progress.show(step, time.monotonic() - begun)
                    continue
                seen.append(line)
                step = step.after(line)
                progress.show(step, time.monotonic() - begun)
        if child.returncode != 0:
            raise RehearsalError(_failure(tool, seen))
        progress.done(step, time.monotonic() - begun)

    def _count(
        self, family: Family, arguments: Sequence[str], progress: Progress, step: BuildStep
    ) -> int:
        """Number of packages in the tool; downloads its modules first."""
        begun = time.monotonic()
        packages: list[str] = []
        output: list[str] = []
        with self._running(["list", "-deps", *arguments], family.folder) as child:
            for line in _lines(child):
                if line is None:
                    progress.show(step, time.monotonic() - begun)
                elif line.startswith("go: "):
                    output.append(line)
                    step = step.after(line)
                else:
                    packages.append(line)
        if child.returncode != 0:
            raise RehearsalError(_failure(step.tool, output + packages))
        return len(packages)

    def _changed(self, family: Family, folder: Path) -> list[str]:
        """The flag that builds a family with its edits, made in copies of modules in `folder`.

        Raises RehearsalError where a module no longer has the line that is changed.
        """
        if not family.edits:
            return []
        copies = {edit.module: folder / edit.module for edit in family.edits}
        for module, copy in copies.items():
            original = Path(self.module_folder(family, module))
            for source in filter(Path.is_file, original.rglob("*")):
                target = copy / source.relative_to(original)
                target.parent.mkdir(parents=True, exist_ok=True)
                # Without the mode: the module cache is read-only.
                shutil.copyfile(source, target)
        for edit in family.edits:
            file = copies[edit.module] / edit.file
            text = file.read_text()
            if text.count(edit.old) != 1:
                raise RehearsalError(
                    f"{edit.module} has not the one line `{edit.old}` in {edit.file} that "
                    f"{family.name} is built with a change of: mend its Edit in {FAMILIES_FILE}"
                )
            file.write_text(text.replace(edit.old, edit.new))
            added = family.folder / edit.added
            shutil.copyfile(added, file.parent / added.name)
        instead = [f"replace {module} => {copy}\n" for module, copy in copies.items()]
        modules = (family.folder / "go.mod").read_text()
        (folder / "go.mod").write_text("\n".join([modules, *instead]))
        shutil.copyfile(family.folder / "go.sum", folder / "go.sum")
        return ["-modfile", str(folder / "go.mod")]

    def module_folder(self, family: Family, module: str) -> str:
        """Folder with the files of a module that this family's go.mod names."""
        argv = [self.path, "list", "-m", "-f", "{{.Dir}}", module]
        result = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            env=_environment(),
            cwd=family.folder,
            check=False,
        )
        if result.returncode != 0 or not result.stdout.strip():
            raise RehearsalError(_failure(module, result.stderr.splitlines()))
        return result.stdout.strip()

    @contextmanager
    def _running(self, argv: Sequence[str], folder: Path) -> Generator[subprocess.Popen[str]]:
        """Runs a go command; whatever ends this block ends go and its compilers too."""
        child = subprocess.Popen(
            [self.path, *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=_environment(),
            cwd=folder,
            # A group of its own: Ctrl-C must reach us first, then all of it.
            start_new_session=True,
        )
        try:
            yield child
            child.wait()
        finally:
            if child.poll() is None:
                _end_group(child)
            if child.stdout:
                child.stdout.close()


def needed_version(families: Sequence[Family]) -> str:
    """Newest Go that a family's go.mod requires, such as `1.26.6`."""
    versions = [
        match.group(1)
        for family in families
        if (match := re.search(r"(?m)^go (\S+)$", (family.folder / "go.mod").read_text()))
    ]
    return max(versions, key=parsed)


def parsed(version: str) -> tuple[int, ...]:
    """`go1.26.8` and `1.26` as numbers to compare; a pre-release counts as its release."""
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part or 0) for part in match.groups()) if match else (0, 0, 0)


def _environment() -> dict[str, str]:
    return {**os.environ, **SETTINGS}


def _lines(child: subprocess.Popen[str]) -> Iterator[str | None]:
    """Lines that a process writes, and None after each second without one."""
    assert child.stdout
    stream, lines = child.stdout, queue.Queue[str | None]()

    def read() -> None:
        try:
            for line in stream:
                lines.put(line.rstrip())
        except ValueError:
            # Closed under us: the build was broken off.
            return
        finally:
            lines.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while True:
        try:
            line = lines.get(timeout=1)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        yield line


def _end_group(child: subprocess.Popen[str]) -> None:
    """Ends go and the compilers that it started, which share its process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except (ProcessLookupError, PermissionError):
            # Nobody is left in it; macOS says the latter of a group of zombies.
            break
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            continue
    child.wait()


def _failure(tool: str, lines: Sequence[str]) -> str:
    # `go build -v` names each package on a line of its own, also after a mistake was printed.
    sentences = [line for line in lines if " " in line] or lines
    output = "\n".join(f"  {line}" for line in sentences[-LAST_LINES:])
    return f"go could not build {tool}; its last lines:\n{output}"
