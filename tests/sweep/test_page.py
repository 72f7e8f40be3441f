"""docs/sweep.md says what the code does."""

import re
import shlex
from pathlib import Path

import pytest

from sweep.__main__ import main
from sweep.kinds import KINDS
from sweep.ownership import LIFECYCLE_PREFIXES, NAMING_KEYS

pytestmark = [pytest.mark.feature("C-03"), pytest.mark.usefixtures("environment")]
PAGE = (Path(__file__).parents[2] / "docs" / "sweep.md").read_text(encoding="utf-8")


def test_its_commands_run(capsys: pytest.CaptureFixture[str]):
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]

    assert commands
    for python, dash_m, module, *arguments in commands:
        assert (python, dash_m, module) == ("python", "-m", "sweep")
        assert main(arguments) == 0
        assert "Nothing of cluster dev" in capsys.readouterr().out


def test_its_table_has_every_tag():
    table = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = {tag for row in table for tag in re.findall(r"`([^`]+/[^`]+|[^`]+:[^`]+)`", row)}

    assert named == {f"{prefix}<name>" for prefix in LIFECYCLE_PREFIXES} | {*NAMING_KEYS}


def test_its_table_has_every_kind_in_the_order_of_removal():
    _, _, after = PAGE.partition("in this order")
    rows = re.findall(r"^\| (.+?) \|", after, re.MULTILINE)[2:]
    told = [row.split(",")[0].removesuffix("s") for row in rows]

    assert told == [kind.name for kind in KINDS if not kind.name.startswith("classic")]
