"""docs/migrate.md: its commands run, and its example is what comes out.

`UPDATE_SEEDS=1` writes the example anew, as the stack files of test_seeds.py.
"""

import io
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from frugal_eks import cli

PAGE = Path(__file__).parents[3] / "docs" / "migrate.md"
BLOCKS = re.findall(r"```(sh|yaml)\n(.*?)```", PAGE.read_text(), re.DOTALL)
COMMANDS = [text.strip() for kind, text in BLOCKS if kind == "sh"]
FILES = [text for kind, text in BLOCKS if kind == "yaml"]
LEFT = 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder with the page's two files."""
    for name, text in zip(("cluster.yaml", "provisioner.yaml"), FILES, strict=False):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_of_the_page_runs(monkeypatch, line):
    before, pipe, ours = line.rpartition(" | ")
    if pipe:
        assert before.startswith("kubectl get provisioners,awsnodetemplates -o yaml")
        items = {"kind": "List", "items": list(yaml.safe_load_all(FILES[1]))}
        content = io.BytesIO(yaml.safe_dump(items).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    script, *arguments = shlex.split(ours)

    assert script == "./frugal-eks"
    assert cli.main(arguments) == (LEFT if "--strict" in arguments else 0)


@pytest.mark.feature("A1-35")
def test_the_example_of_the_page_is_what_comes_out(folder):
    cli.main(shlex.split(COMMANDS[0])[1:])
    found = (folder / "Pulumi.shop.yaml").read_text()
    if os.environ.get("UPDATE_SEEDS"):
        PAGE.write_text(PAGE.read_text().replace(FILES[2], found))

    assert f"```yaml\n{found}```" in PAGE.read_text()
