"""The examples as somebody has them: beside the package, installed into an environment of theirs.

What the package needs is not downloaded once more: the environment sees that of the tests.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGED = ("components", "examples")
PIP = "-m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation"


def environment(folder: Path) -> Path:
    """The Python of a new environment, which sees what the package needs but not the package."""
    # Its own pip and setuptools would be those that this Python came with.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


def installed(python: Path, folder: Path, *what: str) -> None:
    """`pip install WHAT` in that folder, with no package index and no build tools of its own."""
    subprocess.run([python, *PIP.split(), *what], cwd=folder, check=True)


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what makes the package, and of the examples."""
    folder = tmp_path_factory.mktemp("clone") / "frugal-eks"
    folder.mkdir()
    for name in PACKAGED:
        ignored = shutil.ignore_patterns("__pycache__", ".venv")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in (".gitignore", "pyproject.toml", "setup.py", "requirements.txt", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder
