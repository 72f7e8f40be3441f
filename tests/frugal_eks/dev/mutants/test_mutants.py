"""`make mutants` on a package of one function, whose test looks at two prices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frugal_eks.dev.mutants.trial import stages

ROOT = Path(__file__).parents[4]
FILES = {
    "components/__init__.py": "",
    "components/versions.py": 'CHART = "1.2.3"\n',
    "components/prices.py": '''"""Prices."""

import pulumi


def dear(price: "int") -> "bool":
    """True if a price is too high."""
    pulumi.log.debug("asked")
    return price > 10
''',
    "tests/components/test_prices.py": """
from components.prices import dear


def test_a_high_price_is_dear_and_a_low_one_is_not():
    assert dear(20)
    assert not dear(5)
""",
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def mutants(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "frugal_eks.dev.mutants", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_changes_that_no_test_notices_are_told(package):
    ran = mutants(package, "components")

    # Red: None instead of what is returned. Green: at 10, which the test leaves out, and the log.
    assert ran.returncode == 0, ran.stderr
    assert "components/prices.py:9 │ 10 " in ran.stdout
    assert "return price" not in ran.stdout
    assert ran.stdout.endswith("1 of 4 changes turned a test red (25%).\n")
    assert {name: (package / name).read_text() for name in FILES} == FILES


def test_a_test_that_is_red_without_a_change_ends_it(package):
    (package / "tests/components/test_prices.py").write_text("def test_it():\n    assert 1 == 2\n")

    ran = mutants(package, "components")

    assert ran.returncode == 1
    assert "assert 1 == 2" in ran.stderr


def test_the_tests_nearest_to_a_file_come_first():
    assert stages(ROOT, Path("components/addons/external_dns/component.py")) == [
        "tests/components/addons/test_external_dns.py",
        "tests/components/addons",
        "tests/components",
        "tests/test_stacks.py",
        "tests/stack_config",
        "tests/eks_platform",
    ]
