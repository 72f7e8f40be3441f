"""The preview without credentials, for real: the real engine, git and scripts; `make setup` alone
is played, since it would install this very environment once more."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.pull_requests.approval import digest
from frugal_eks.plans.pull_requests.plans import NOTHING
from frugal_eks.plans.pull_requests.reviews import LONGEST, MARKER

ROOT = Path(__file__).parents[2]
NOT_COPIED = {".venv", ".git", ".rehearsal", "__pycache__", "docs", "tests"}
SCRIPTS = ".github/scripts"
SOURCE = "rehearsal: AWS was played (the change comes from a fork)"
pytestmark = [pytest.mark.engine, pytest.mark.feature("C-16")]


class Checkout:
    """This project in a repository of its own, with a base and a change to it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        shutil.copytree(ROOT, self.root, ignore=lambda _, names: NOT_COPIED & set(names))
        (self.root / ".venv").symlink_to(ROOT / ".venv")
        (folder / "bin").mkdir()
        make = folder / "bin" / "make"
        make.write_text('#!/bin/sh\n[ "$1" = -C ] && ln -s "$PWD/.venv" "$2/.venv"\n')
        make.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        self.git("init", "--quiet", "--initial-branch=main")
        (self.root / ".git" / "info" / "exclude").write_text(".venv\n")

    def git(self, *arguments: str) -> str:
        """What git says."""
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        argv = ["git", *identity, *arguments]
        ran = subprocess.run(argv, cwd=self.root, capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    def commit(self, message: str) -> str:
        """All that there is, as a commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def run(self, *argv: object) -> subprocess.CompletedProcess[str]:
        """A script, as a workflow calls it."""
        return subprocess.run(
            [str(part) for part in argv],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("rehearsed"))


@pytest.fixture(scope="module")
def base(checkout):
    """The base, which has the stack `spot`; the change makes one of its groups larger."""
    path = checkout.root / "stacks" / "Pulumi.spot.yaml"
    text = path.read_text()
    commit = checkout.commit("feat: spot")
    assert text.count("max: 5") == 1
    path.write_text(text.replace("max: 5", "max: 6"))
    checkout.commit("feat: a larger group")
    return commit


def test_a_change_is_previewed_against_its_base_and_labelled(checkout, base, tmp_path):
    preview = [f"{SCRIPTS}/preview-rehearsal.sh", "spot", base, tmp_path]

    ran = checkout.run(f"{SCRIPTS}/comment.sh", "spot", SOURCE, tmp_path, *preview)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = Preview.read(str(tmp_path / "preview.json"))
    (change,) = [one for one in found.changes if one.operation not in {"same", "read"}]
    assert (change.operation, change.type) == ("update", "aws:autoscaling/group:Group")
    assert change.diffs.keys() == {"maxSize"}
    text = (tmp_path / "comment.md").read_text()
    assert MARKER.fullmatch(text.splitlines()[0])
    assert f"{SOURCE}, against the base branch, which was brought up first" in text
    assert "maxSize" in text
    assert len(text) < LONGEST
    assert checkout.git("worktree", "list").count("\n") == 0


def test_two_previews_of_one_change_have_one_digest(checkout, base, tmp_path):
    """Nothing exists yet, so that every made-up name is made up anew."""
    assert base
    rehearsal = ["./frugal-eks", "rehearse"]
    chosen = ["--stack", "spot", "--state", tmp_path / "state"]
    told = []
    try:
        assert checkout.run(*rehearsal, "start", *chosen).returncode == 0
        for file in (tmp_path / "one.json", tmp_path / "two.json"):
            ran = checkout.run(*rehearsal, "preview", "--json", "-o", file, *chosen)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            told.append(Preview.read(str(file)))
    finally:
        checkout.run(*rehearsal, "stop", *chosen)

    names = [
        {one.new.inputs.get("name") for one in found.changes if one.operation == "create"}
        for found in told
    ]
    assert names[0] != names[1]
    assert digest(told[0]) == digest(told[1]) != NOTHING
