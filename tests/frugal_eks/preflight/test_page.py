"""docs/preflight.md says what the command does."""

import re

from frugal_eks.preflight.checks import CHECKS
from frugal_eks.preflight.checks.tools import OLDEST
from frugal_eks.preflight.findings import Result
from tests.frugal_eks.preflight.conftest import ROOT

PAGE = (ROOT / "docs" / "preflight.md").read_text(encoding="utf-8")


def test_its_table_has_every_check_in_its_order():
    cells = re.findall(r"^\| ([^|]+?) \|", PAGE.partition("## What is looked at")[2], re.MULTILINE)

    assert cells[2:] == [check.name for check in CHECKS]


def test_its_table_has_every_result():
    before = PAGE.partition("## What is looked at")[0]

    assert re.findall(r"^\| ([^|]+?) \|", before, re.MULTILINE)[2:] == [*Result]


def test_it_names_the_oldest_cli():
    for version in OLDEST.values():
        assert ".".join(map(str, version)) in PAGE
