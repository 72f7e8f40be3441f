"""The wheel in an environment of its own: its one name, its files and its types."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.examples.conftest import environment, installed

PYRIGHT = ROOT / ".venv" / "bin" / "pyright"
PROGRAM = """
import importlib, os, pkgutil, sys
import pulumi, pulumi_aws, pulumi_aws.ec2, pulumi_aws.eks, pulumi_kubernetes, pydantic
import frugal_eks.components, versions

print(versions.OURS)
for module in pkgutil.walk_packages(frugal_eks.components.__path__, "frugal_eks.components."):
    importlib.import_module(module.name)
    print(module.name)
"""


@pytest.fixture(scope="module")
def python(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment into which the package was installed from the clone."""
    folder = tmp_path_factory.mktemp("wheel")
    python = environment(folder / ".venv")
    installed(python, folder, str(clone))
    return python


def site(python: Path) -> Path:
    """Where that environment has its packages."""
    (found,) = python.parents[1].glob("lib/python*/site-packages")
    return found


def test_it_takes_one_name_at_the_top_and_has_the_components_below_it(python):
    named = {
        each.name for each in site(python).iterdir() if each.suffix not in {".pth", ".dist-info"}
    }

    assert named == {"frugal_eks"}
    assert [each.name for each in (site(python) / "frugal_eks").iterdir()] == ["components"]


def test_it_has_every_file_of_the_components(python, clone):
    shipped = {f.relative_to(clone) for f in (clone / "components").rglob("*") if f.is_file()}

    assert shipped
    assert {f for f in shipped if not (site(python) / "frugal_eks" / f).is_file()} == set()


def test_each_module_can_be_imported_by_a_program_with_a_versions_py_of_its_own(python, tmp_path):
    (tmp_path / "versions.py").write_text('OURS = "of the program"\n')
    (tmp_path / "program.py").write_text(PROGRAM)

    ended = subprocess.run(
        [python, "-W", "ignore", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    first, *modules = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert first == "of the program"
    assert {"frugal_eks.components.versions", "frugal_eks.components.nodes.spot"} <= {*modules}


def test_the_examples_have_the_types_of_the_installed_package(python, clone, tmp_path):
    settings = {"include": [str(clone / "examples")], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))

    ended = subprocess.run(
        [PYRIGHT, "--project", tmp_path, "--pythonpath", python],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (0, "0 errors, 0 warnings, 0 informations\n")
