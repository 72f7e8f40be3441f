"""docs/sweep.md says what the code does."""

import re
import shlex
from pathlib import Path

import pytest

from frugal_eks import cli
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.ownership import LIFECYCLE_PREFIXES, NAMING_KEYS

pytestmark = [pytest.mark.feature("C-03"), pytest.mark.usefixtures("environment")]
PAGE = (Path(__file__).parents[3] / "docs" / "sweep.md").read_text(encoding="utf-8")


def test_its_commands_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    block, broken_off = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]

    monkeypatch.chdir(tmp_path)
    Path("state.json").write_text('{"deployment": {}}')
    export, *more = [shlex.split(line, comments=True) for line in broken_off.splitlines()]
    assert export == ["pulumi", "stack", "export", "--file", "state.json"]
    commands += more

    assert commands
    for script, *arguments in commands:
        assert script == "./frugal-eks"
        assert cli.main(arguments) == 0
        assert re.match(r"Nothing of cluster (dev|nodeless) ", capsys.readouterr().out)


def test_its_table_has_every_tag():
    table = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = {tag for row in table for tag in re.findall(r"`([^`]+/[^`]+|[^`]+:[^`]+)`", row)}

    assert named == {f"{prefix}<name>" for prefix in LIFECYCLE_PREFIXES} | {*NAMING_KEYS}


def test_its_table_has_every_kind_in_the_order_of_removal():
    _, _, after = PAGE.partition("in this order")
    rows = re.findall(r"^\| (.+?) \|", after, re.MULTILINE)[2:]
    told = [row.split(",")[0].removesuffix("s") for row in rows]

    assert told == [kind.name for kind in KINDS if not kind.name.startswith("classic")]
