"""Runs, in the copy that has one change, the tests that could notice it."""

# pyright: reportMissingTypeStubs=false

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from poodle.data_types import Mutant, MutantTrialResult

_WHOLE = ("tests/test_stacks.py", "tests/components", "tests/stack_config", "tests/eks_platform")
"""The quick ones first; together three minutes."""
_PYTEST = ("-m", "pytest", "-x", "-q", "-m", "not engine", "-p", "no:cacheprovider")
_GREEN = {0, 5}
"""Exit codes of pytest: all passed; all are left out."""


def stages(root: Path, source: Path | None) -> list[str]:
    """Test files and folders, nearest to the source first, those of the whole program last.

    For components/iam/roles.py tests/components/iam/test_roles.py, then tests/components/iam.
    """
    found: list[Path] = []
    for folder in source.parents[:-1] if source else ():
        for word in (source.stem, source.parent.name) if source else ():
            found += sorted((root / "tests" / folder).glob(f"test_{word}*.py"))
        found.append(root / "tests" / folder)
    found += [root / tests for tests in _WHOLE]
    return [str(path.relative_to(root)) for path in dict.fromkeys(found) if path.exists()]


def run(run_folder: Path, mutant: Mutant, timeout: float | None, **_: Any) -> MutantTrialResult:
    """What becomes of a change; a copy without one must stay green."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    root, done = run_folder.resolve(), list[str]()
    for tests in stages(root, mutant.source_file):
        command = [sys.executable, *_PYTEST, tests, *done]
        try:
            ran = subprocess.run(
                command,
                check=False,
                cwd=root,
                env=environment,
                timeout=timeout,
                capture_output=True,
            )
        except subprocess.TimeoutExpired:
            return MutantTrialResult(False, MutantTrialResult.RC_TIMEOUT)
        if ran.returncode not in _GREEN:
            told = ran.stdout.decode(errors="replace")[-2000:]
            return MutantTrialResult(True, MutantTrialResult.RC_FOUND, told)
        done.append(f"--ignore={tests}")
    return MutantTrialResult(False, MutantTrialResult.RC_NOT_FOUND)
