"""A temporary PATH: the commands that scripts call, each of which notes how it was called."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / ".github" / "scripts"
FAKE_GH = Path(__file__).with_name("fake_gh.py")

NOTE = """#!/usr/bin/env bash
# Plays {name}: notes its arguments and what of the environment matters.
printf '%s\\t' {name} "$@" >>"$FAKES/calls"
printf '\\n' >>"$FAKES/calls"
"""


@dataclass
class Bench:
    """A checkout's folder, a PATH of fakes, and what was called."""

    folder: Path
    bin: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def fake(self, name: str, body: str = "", at: Path | None = None) -> None:
        """A command in bash that notes its call, and then does `body`."""
        path = (at or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTE.format(name=name) + body + "\n")
        path.chmod(0o755)

    def run(self, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """A script of .github/scripts, called as a workflow does: in the checkout."""
        return subprocess.run(
            [SCRIPTS / script, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def calls(self) -> list[list[str]]:
        """What was called, in order: name and arguments."""
        path = self.bin.parent / "calls"
        text = path.read_text() if path.exists() else ""
        return [line.rstrip("\t").split("\t") for line in text.splitlines()]

    def called(self, name: str) -> list[list[str]]:
        """The arguments of each call of one command."""
        return [arguments for command, *arguments in self.calls if command == name]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """With `.venv/bin/python` and `./frugal-eks`, whose `pull-request` is real; both note calls."""
    made = Bench(tmp_path / "checkout", tmp_path / "fakes" / "bin")
    made.bin.mkdir(parents=True)
    made.folder.mkdir()
    (made.folder / ".github").symlink_to(ROOT / ".github")
    (made.folder / "Pulumi.yaml").symlink_to(ROOT / "Pulumi.yaml")
    made.environment = {
        "PATH": f"{made.bin}:/usr/local/bin:/usr/bin:/bin",
        "FAKES": str(made.bin.parent),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(tmp_path),
    }
    (made.bin / "python3").symlink_to(sys.executable)
    made.fake(
        "python",
        'source "$FAKES/plays-$2"',
        at=made.folder / ".venv" / "bin",
    )
    real = f'exec "{sys.executable}" -m frugal_eks "$@"'
    made.fake(
        "frugal-eks",
        f'if [[ $1 == pull-request ]]; then {real}; fi\nsource "$FAKES/plays-$1"',
        at=made.folder,
    )
    return made


@pytest.fixture
def plays(bench: Bench) -> Callable[[str, str], None]:
    """What `./frugal-eks NAME` or `.venv/bin/python -m NAME` does: lines of bash."""

    def play(name: str, body: str) -> None:
        (bench.bin.parent / f"plays-{name}").write_text(body)

    return play


class World:
    """What the played GitHub knows; see fake_gh.py for the keys."""

    def __init__(self, path: Path, **known: Any) -> None:
        self.path = path
        self.write({"pulls": [], "artifacts": [], "comments": {}, "calls": [], **known})

    def write(self, known: Mapping[str, Any]) -> None:
        """All of it, anew."""
        self.path.write_text(json.dumps(known))

    def read(self) -> dict[str, Any]:
        """As it is now."""
        return json.loads(self.path.read_text())

    @property
    def writes(self) -> list[list[str]]:
        """Method and path of each request that changed something."""
        return [call[:2] for call in self.read()["calls"] if call[0] != "GET"]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A GitHub with nothing in it, behind the `gh` of the PATH."""
    folder = tmp_path / "gh"
    folder.mkdir()
    command = folder / "gh"
    command.write_text(f"#!{sys.executable} -SE\n{FAKE_GH.read_text()}")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GITHUB", str(folder / "world.json"))
    return World(folder / "world.json")


@pytest.fixture
def pulumi(bench: Bench) -> Bench:
    """A CLI that knows the stack spot; its preview and exit code are files."""
    bench.environment["PULUMI_BACKEND_URL"] = "s3://state?region=eu-west-1"
    (bench.bin.parent / "stacks.json").write_text('[{"name": "spot"}, {"name": "spot2"}]')
    (bench.bin.parent / "preview.json").write_text('{"a": "preview"}')
    (bench.bin.parent / "code").write_text("0")
    bench.fake(
        "pulumi",
        'echo "$PULUMI_BACKEND_URL" >>"$FAKES/backends"\n'
        'case "$1 $2" in\n'
        '  "stack ls") cat "$FAKES/stacks.json" ;;\n'
        '  "preview --json") cat "$FAKES/preview.json"; exit "$(cat "$FAKES/code")" ;;\n'
        "esac",
    )
    return bench
