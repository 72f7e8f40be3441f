"""Every command of the pages is run, or understood by the program that it calls."""

import subprocess
from collections.abc import Sequence

import pytest

from rehearsal import toolchain
from tests.conftest import ROOT
from tests.docs.commands import CHECKS, COBRA
from tests.docs.pages import Block, Command, blocks, in_block, inline

NOT_RUN: dict[str, str] = {}
"""By first word: what can neither be run nor parsed here, and why."""

SHELL = [block for block in blocks() if block.kind in {"sh", "bash", "shell"}]
TESTS = "\n".join(file.read_text() for file in (ROOT / "tests").rglob("*.py"))


def is_run(block: Block) -> bool:
    """Whether a test finds it by its marker and runs it, or compares it, as it stands there."""
    if block.kept_by:
        keeper = ROOT / block.kept_by
        return keeper.exists() and block.page.rpartition("/")[2] in keeper.read_text()
    return bool(block.marker) and f'"{block.marker}"' in TESTS


IN_BLOCKS = [command for block in SHELL if not is_run(block) for command in in_block(block)]
IN_SENTENCES = [
    command for command in inline() if command.words[0] in CHECKS or command.words[0] in COBRA
]


def told(commands: Sequence[Command]) -> list[str]:
    """What is wrong with each."""
    found: list[str] = []
    for command in commands:
        try:
            CHECKS[command.words[0]](command.words)
        except AssertionError as error:
            found.append(f"{command}: {error}")
    return found


def test_there_are_commands_of_every_sort():
    assert {"./frugal-eks", "make", "aws"} <= {
        command.words[0] for command in IN_SENTENCES + IN_BLOCKS
    }
    assert sum(map(is_run, SHELL)) > 5  # noqa: PLR2004


def test_every_command_of_a_block_is_known():
    known = CHECKS.keys() | COBRA.keys() | NOT_RUN.keys()

    assert [str(command) for command in IN_BLOCKS if command.words[0] not in known] == []


def test_every_marker_of_a_shell_block_is_named_by_a_test():
    assert [str(block) for block in SHELL if block.marker and not is_run(block)] == []


def test_what_is_not_run_is_still_there_and_nothing_else_could_check_it():
    used = {command.words[0] for command in IN_BLOCKS} - CHECKS.keys() - COBRA.keys()

    assert sorted(NOT_RUN.keys() - used) == []


def test_every_command_of_a_block_is_understood():
    assert told([command for command in IN_BLOCKS if command.words[0] in CHECKS]) == []


def test_every_command_in_a_sentence_is_understood():
    assert told([command for command in IN_SENTENCES if command.words[0] in CHECKS]) == []


@pytest.mark.engine
def test_pulumi_and_kubectl_understand_what_they_are_told():
    asked = [command for command in IN_BLOCKS + IN_SENTENCES if command.words[0] in COBRA]
    tools = toolchain.ensure(sorted(COBRA.values()))
    wrong: list[str] = []
    for words, where in {command.words: str(command) for command in asked}.items():
        arguments = [word for word in words[1:] if word != "--"]
        ended = subprocess.run(
            [tools[COBRA[words[0]]], *arguments, "--help"],
            capture_output=True,
            text=True,
            check=False,
        )
        usage = ended.stdout.partition("Usage:\n")[2].strip().partition("\n")[0].split()
        # Of an unknown sub-command the help of its group is shown.
        if ended.returncode or (len(usage) > 1 and usage[1] not in words):
            wrong.append(f"{where}: {ended.stderr or usage}")

    assert {command.words[0] for command in asked} == set(COBRA)
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "./frugal-eks sweep --cluster",
        "./frugal-eks nothing",
        "python -m nothing --help",
        "make nothing",
        "aws ec2 describe-nothing",
        "aws ec2 create-tags --resource x",
        "git nothing",
        "cd nowhere",
    ],
)
def test_a_wrong_command_is_told(line):
    words = tuple(line.split())

    assert told([Command("page.md", words)]) != []
