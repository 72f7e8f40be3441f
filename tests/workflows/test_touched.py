"""Which stacks a change touches."""

import subprocess
from pathlib import Path

import pytest

from frugal_eks import cli
from frugal_eks.plans.pull_requests.errors import PullRequestError
from frugal_eks.plans.pull_requests.touched import (
    NOT_THE_PROGRAM,
    changed_paths,
    removed,
    stack_files,
    touched,
)
from tests.imports import imported

ROOT = Path(__file__).parents[2]
STACKS = ["nodeless", "spot"]
pytestmark = pytest.mark.feature("C-16")


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["stacks/Pulumi.spot.yaml"], ["spot"]),
        (["stacks/Pulumi.spot.yaml", "stacks/Pulumi.nodeless.yaml"], STACKS),
        (["stacks/Pulumi.gone.yaml"], []),
        (["stacks/values.yaml"], STACKS),
        (["stacks/stack.schema.json"], []),
        (["components/network/subnets.py"], STACKS),
        (["README.md", "components/versions.py"], STACKS),
        (["requirements.txt"], STACKS),
        (["Pulumi.yaml"], STACKS),
        (["something-new/file.py"], STACKS),
        (["README.md", "docs/nodeless.md", "docs/consolidation.svg"], []),
        (["components/README.md"], []),
        (["tests/test_stacks.py", "requirements-dev.txt", ".github/workflows/up.yml"], []),
        ([], []),
    ],
)
def test_a_change_touches_its_stack_or_all_or_none(paths, expected):
    assert touched(paths, STACKS) == expected


def test_a_stack_whose_file_goes_is_told():
    assert removed(["stacks/Pulumi.gone.yaml", "README.md"], STACKS) == ["gone"]


def files_imported(path: Path) -> set[Path]:
    """Files of the project that a module imports, packages on the way to them included."""
    parts = [name.split(".") for name in imported(path)]
    stems = {ROOT.joinpath(*one[:depth]) for one in parts for depth in range(1, len(one) + 1)}
    candidates = {
        path for stem in stems for path in (stem / "__init__.py", stem.with_suffix(".py"))
    }
    return {path for path in candidates if path.exists()}


def test_nothing_that_the_program_imports_counts_as_not_the_program():
    reached, waiting = set(), {ROOT / "__main__.py"}
    while waiting:
        reached |= waiting
        waiting = {found for path in waiting for found in files_imported(path)} - reached
    paths = {path.relative_to(ROOT).as_posix() for path in reached}

    assert {
        "components/karpenter/iam.py",
        "stack_config/model.py",
        "components/versions.py",
    } <= paths
    assert {path for path in paths if path.startswith(NOT_THE_PROGRAM)} == set()


def test_the_stacks_are_those_that_ship():
    assert list(stack_files(ROOT)) == ["consolidation", "nodeless", "spot"]


@pytest.fixture
def repository(tmp_path):
    """Two branches of one commit: `main` went on after the change began."""

    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True
        )

    (tmp_path / "stacks").mkdir()
    for stack in (*STACKS, "old"):
        (tmp_path / f"stacks/Pulumi.{stack}.yaml").write_text("config:\n  aws:region: eu-west-1\n")
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    git("switch", "--quiet", "--create=change")
    (tmp_path / "stacks/Pulumi.spot.yaml").write_text("config:\n  aws:region: eu-west-2\n")
    (tmp_path / "stacks/Pulumi.old.yaml").rename(tmp_path / "old file.md")
    git("add", ".")
    git("commit", "--quiet", "--message=change")
    git("switch", "--quiet", "main")
    (tmp_path / "requirements.txt").write_text("pulumi==3\n")
    git("add", ".")
    git("commit", "--quiet", "--message=meanwhile")
    git("switch", "--quiet", "change")
    return tmp_path


def test_what_the_base_did_meanwhile_is_not_the_change(repository):
    assert changed_paths(repository, "main", "HEAD") == [
        "old file.md",
        "stacks/Pulumi.old.yaml",
        "stacks/Pulumi.spot.yaml",
    ]


def test_a_base_that_is_not_there_is_told(repository):
    with pytest.raises(PullRequestError, match=r"check out with fetch-depth: 0$"):
        changed_paths(repository, "0" * 40, "HEAD")


def test_the_command_prints_both_matrices(repository, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/platform")
    monkeypatch.setenv("HEAD_REPOSITORY", "owner/platform")
    monkeypatch.setenv("AUTHOR_TYPE", "User")
    monkeypatch.setenv("AWS_PREVIEW_ROLES", '{"spot": "arn:aws:iam::111122223333:role/preview"}')

    assert cli.main(["pull-request", "stacks", "main", "--root", str(repository)]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        'aws=[{"stack": "spot", "role": "arn:aws:iam::111122223333:role/preview", '
        '"region": "eu-west-2"}]',
        "rehearsal=[]",
    ]
    assert told.err.startswith("::warning::The file of stack old goes and its resources stay: ")

    assert cli.main(["pull-request", "stacks", "--root", str(repository)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == (
        'rehearsal=[{"stack": "nodeless", "why": "no role of AWS is set for this stack"}]'
    )
