"""What every command has in common: help, exit codes, standard input, -o and --json."""

import argparse
import io
import json
import os
import subprocess
import sys

import pytest

from frugal_eks import cli
from tests.conftest import ROOT
from tests.frugal_eks.plans.previews import recorded

FINE, FOUND, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
NAMES = [command.name for command in cli.COMMANDS]
STACK = (ROOT / "stacks" / "Pulumi.spot.yaml").read_bytes()
DEPLOYMENT = (
    b"{apiVersion: apps/v1, kind: Deployment, metadata: {name: inflate}, spec: {replicas: 3}}"
)
READERS = {
    ("check",): STACK,
    ("cost",): STACK,
    ("cost", "--preview"): recorded.text("spot-change").encode(),
    ("review",): recorded.text("spot-change").encode(),
    ("policy",): recorded.text("spot-change").encode(),
    ("picture",): recorded.text("spot-create").encode(),
    ("migrate",): DEPLOYMENT,
}
"""Commands that read `-` without AWS, with an input that each of them takes."""
WITH_JSON = [[*words, "-"] for words in READERS if words != ("picture",)] + [["explain"]]
TAKE_A_STACK = [
    ["check"],
    ["cost"],
    ["preflight"],
    ["rehearse", "run"],
    ["rehearse", "start", "--stack"],
]


def pages(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parser, and those of its subcommands."""
    groups = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    return [
        parser,
        *(below for each in groups for page in each.choices.values() for below in pages(page)),
    ]


def python(code: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True,
        check=False, **options,
    )  # fmt: skip


@pytest.fixture
def stdin(monkeypatch):
    """Sets what standard input holds."""

    def hold(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return hold


@pytest.mark.parametrize("name", NAMES)
def test_each_page_of_help_names_the_exit_codes(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    told = " ".join(capsys.readouterr().out.split())

    assert ended.value.code == FINE
    assert told.startswith(f"usage: frugal-eks {name}")
    (command,) = [each for each in pages(cli.parser([name])) if each.prog == f"frugal-eks {name}"]
    codes = "0 all is well, 1 the command has found something wrong, 2 an input cannot be read or "
    for page in pages(command):
        assert codes in " ".join(page.format_help().split()), page.prog


@pytest.mark.parametrize("words", [[], ["no-such"], *([name, "--no-such"] for name in NAMES)])
def test_wrong_use_is_told_with_the_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)

    assert ended.value.code == UNUSABLE
    assert capsys.readouterr().err.startswith("usage: frugal-eks")


@pytest.mark.parametrize("words", TAKE_A_STACK)
def test_a_stack_that_does_not_exist_is_told_with_those_that_do(words, tmp_path, capsys):
    state = ["--state", str(tmp_path / "state")] if words[0] == "rehearse" else []

    assert cli.main([*words, "nodeles", *state]) == UNUSABLE
    assert capsys.readouterr() == (
        "",
        "nodeles: there is no stacks/Pulumi.nodeles.yaml: name one of consolidation, nodeless, "
        "spot, or give a file\n",
    )
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("words", [*TAKE_A_STACK, ["review"], ["policy"], ["picture"], ["migrate"]])
def test_a_file_that_does_not_exist_is_named(words, tmp_path, capsys):
    file = tmp_path / "none.yaml"
    state = ["--state", str(tmp_path / "state")] if words[0] == "rehearse" else []

    assert cli.main([*words, str(file), *state]) == UNUSABLE
    told = capsys.readouterr().err
    assert str(file) in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("words", READERS)
def test_standard_input_and_a_file_give_one_result(words, tmp_path, stdin, capsys):
    file = tmp_path / "Pulumi.stdin.yaml"
    file.write_bytes(READERS[words])
    code = cli.main([*words, str(file)])
    of_file = capsys.readouterr().out
    stdin(READERS[words])

    assert cli.main([*words, "-"]) == code
    of_stdin = capsys.readouterr().out
    assert of_stdin
    assert of_stdin.replace("standard input", str(file)) == of_file


@pytest.mark.parametrize("words", [*READERS, ("explain",), ("schema",)])
def test_o_writes_to_a_file_what_else_goes_to_standard_output(words, tmp_path, stdin, capsys):
    content = READERS.get(words)
    arguments = [*words, "-"] if content else [*words]
    stdin(content or b"")
    code = cli.main(arguments)
    printed = capsys.readouterr().out
    stdin(content or b"")
    file = tmp_path / "result"

    assert cli.main([*arguments, "-o", str(file)]) == code
    assert capsys.readouterr().out == ""
    assert file.read_text(encoding="utf-8") == printed
    assert [*tmp_path.iterdir()] == [file]


def test_a_file_that_cannot_be_written_is_told(tmp_path, capsys):
    file = tmp_path / "none" / "result"

    assert cli.main(["schema", "-o", str(file)]) == UNUSABLE
    assert capsys.readouterr().err == f"{file}: cannot be written: No such file or directory\n"


def test_a_failure_leaves_the_file_of_an_earlier_run(tmp_path, capsys):
    file = tmp_path / "result"
    file.write_text("as it was")

    assert cli.main(["review", str(tmp_path / "none.json"), "-o", str(file)]) == UNUSABLE
    assert capsys.readouterr().out == ""
    assert file.read_text() == "as it was"


@pytest.mark.parametrize("words", WITH_JSON)
def test_json_is_json(words, stdin, capsys):
    stdin(READERS.get(tuple(words[:-1]), b""))

    assert cli.main([*words, "--json"]) in {FINE, FOUND}
    assert json.loads(capsys.readouterr().out)


def test_json_tells_each_mistake_of_a_stack_file_with_its_line(stdin, capsys):
    stdin(STACK.replace(b'version: "1.35"', b'version: "1.17"'))

    assert cli.main(["check", "-", "--json"]) == FOUND
    ((found,),) = [each["mistakes"] for each in json.loads(capsys.readouterr().out)]
    assert found["line"] == STACK.split(b'version: "1.35"')[0].count(b"\n") + 1
    assert found["mistake"].startswith("cluster.version: is not offered")


def test_the_version_is_the_projects(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])

    version = capsys.readouterr().out.removeprefix("frugal-eks ").strip()
    assert f'version = "{version}"\n' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("words", [["check", "nodeless"], ["explain"], ["schema"], ["--version"]])
def test_what_needs_no_aws_loads_neither_boto3_nor_the_rehearsal(words):
    code = (
        "import sys; from frugal_eks import cli\n"
        "try: cli.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(sorted({'boto3', 'botocore', 'moto', 'rehearsal'} & {*sys.modules}))"
    )

    assert python(code, *words).stdout.splitlines()[-1] == "[]"


def test_ctrl_c_ends_a_command_without_a_traceback():
    code = (
        "import sys; from frugal_eks import check, cli\n"
        "def run(_): raise KeyboardInterrupt('Run it again.')\n"
        "check.run = run\n"
        "sys.exit(cli.main(['check', 'nodeless']))"
    )

    ended = python(code)
    assert (ended.returncode, ended.stderr) == (INTERRUPTED, "Interrupted. Run it again.\n")


@pytest.mark.parametrize("name", ["schema", "explain"])
def test_a_reader_that_has_seen_enough_is_no_traceback(name):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        ended = subprocess.run(
            [sys.executable, "-m", "frugal_eks", name], cwd=ROOT, stdout=closed,
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip

    assert (ended.returncode, ended.stderr) == (cli.BROKEN_PIPE, "")


def test_the_script_runs_from_any_folder(tmp_path):
    (tmp_path / "frugal_eks.py").write_text("raise SystemExit('somebody else')")

    ended = subprocess.run(
        [ROOT / "frugal-eks", "check", "nodeless"], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert (ended.stdout, ended.stderr) == ("stacks/Pulumi.nodeless.yaml is valid.\n", "")


def test_without_an_environment_the_script_says_how_to_make_one(tmp_path):
    script = tmp_path / "frugal-eks"
    script.write_bytes((ROOT / "frugal-eks").read_bytes())

    ended = subprocess.run(["sh", script, "check"], capture_output=True, text=True, check=False)

    assert ended.returncode == UNUSABLE
    assert ended.stderr == (
        f"frugal-eks: there is no {tmp_path}/.venv: run `make -C {tmp_path} setup` first\n"
    )
