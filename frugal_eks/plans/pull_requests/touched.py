"""Determines which stacks a change touches, from the changed paths."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from frugal_eks.plans.pull_requests.errors import PullRequestError

STACK_FILE = re.compile(r"stacks/Pulumi\.([A-Za-z0-9][A-Za-z0-9_-]{0,99})\.yaml")

# What `pulumi up` never reads. A path that is not here touches every stack: a file that nobody
# thought of costs a preview too many, not one too few.
NOT_THE_PROGRAM = (
    ".ci/",
    ".github/",
    ".gitignore",
    "LICENSE",
    "Makefile",
    "docs/",
    "examples/",
    "frugal-eks",
    "frugal_eks/",
    "pyproject.toml",
    "rehearsal/",
    "requirements-dev.txt",
    "stacks/stack.schema.json",
    "tests/",
)


def stack_files(root: Path) -> dict[str, Path]:
    """Stack files of a checkout, by stack name."""
    candidates = sorted((root / "stacks").glob("Pulumi.*.yaml"))
    return {
        match[1]: path
        for path in candidates
        if (match := STACK_FILE.fullmatch(path.relative_to(root).as_posix()))
    }


def touched(paths: Iterable[str], stacks: Iterable[str]) -> list[str]:
    """Stacks that a change of these paths may affect; paths are relative to the root."""
    there, names = sorted(stacks), set[str]()
    for path in paths:
        if match := STACK_FILE.fullmatch(path):
            names.add(match[1])
        elif not (path.endswith(".md") or path.startswith(NOT_THE_PROGRAM)):
            return there
    return [stack for stack in there if stack in names]


def removed(paths: Iterable[str], stacks: Iterable[str]) -> list[str]:
    """Stacks whose file a change of these paths removes."""
    named = {match[1] for path in paths if (match := STACK_FILE.fullmatch(path))}
    return sorted(named - set(stacks))


def changed_paths(root: Path, base: str, head: str) -> list[str]:
    """Paths that differ between `head` and its merge base with `base`; a renamed file counts under
    both names.
    Raises PullRequestError if git does not know the revisions.
    """
    argv = ["git", "diff", "--name-only", "--no-renames", "-z", f"{base}...{head}", "--"]
    result = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    if result.returncode:
        raise PullRequestError(
            f"git cannot compare {base} with {head} ({result.stderr.strip()}): "
            "check out with fetch-depth: 0"
        )
    return [path for path in result.stdout.split("\0") if path]
