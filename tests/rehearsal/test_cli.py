"""The command line: what it refuses, with which exit code, and never with a traceback."""

import signal
import subprocess
import sys
import time

import pytest

from frugal_eks import cli
from rehearsal.errors import RehearsalError
from rehearsal.stack_file import DEFAULT_ACCOUNT, StackFile
from rehearsal.state import ROOT

USAGE = 2
COMMANDS = [
    "run",
    "start",
    "up",
    "preview",
    "scale",
    "replay",
    "interrupt",
    "groups",
    "nodes",
    "pools",
    "destroy",
    "stop",
]
GOOD = """
config:
  aws:region: eu-west-1
  frugal-eks:cluster: {name: c, admins: ["arn:aws:iam::111122223333:role/team/admin"]}
  frugal-eks:fargate: {profiles: {all: [{namespace: apps}, {namespace: kube-system}]}}
"""


def told(capsys, *arguments):
    """Exit code and what is printed to standard error."""
    code = cli.main(["rehearse", *arguments])
    return code, capsys.readouterr().err


def test_help_names_every_command():
    ended = subprocess.run(
        [sys.executable, "-m", "frugal_eks", "rehearse", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [name for name in COMMANDS if f"\n    {name}" not in ended.stdout] == []
    assert "frugal-eks rehearse stop             ends all that `start` began" in ended.stdout


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in {"run", "start", "stop"}])
def test_without_a_start_one_sentence_says_how_to_start(command, tmp_path, capsys):
    code, error = told(capsys, command, "--state", str(tmp_path / "none"))

    assert code == 1
    assert error == (
        f"no rehearsal was started in {tmp_path / 'none'}: "
        "`./frugal-eks rehearse start` starts one\n"
    )


def test_stop_without_a_start_is_no_mistake(tmp_path, capsys):
    assert cli.main(["rehearse", "stop", "--state", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().out == "Nothing was running.\n"


@pytest.mark.parametrize("text", ["", "[]", "config:", "config: []", "config: {"])
def test_an_empty_stack_file_is_told_in_one_sentence(text, tmp_path, capsys):
    file = tmp_path / "Pulumi.empty.yaml"
    file.write_text(text)

    code, error = told(capsys, "run", str(file), "--state", str(tmp_path / "s"))

    assert code == USAGE
    assert "Pulumi.empty.yaml" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("region", ["", "5", "null", "europe", "[eu-west-1]"])
def test_a_region_that_is_none_is_refused_before_anything_starts(region, tmp_path, capsys):
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text(f"config: {{'aws:region': {region}, 'frugal-eks:cluster': {{}}}}")

    code, error = told(capsys, "run", str(file), "--state", str(tmp_path / "s"))

    assert code == USAGE
    assert "aws:region must name an AWS region, e.g. `aws:region: eu-west-1` (got" in error
    assert not (tmp_path / "s" / "processes").exists()


def test_a_negative_number_of_pods_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["rehearse", "scale", "--", "-1"])

    assert ended.value.code == USAGE
    assert "a number of pods is 0 or more, not -1" in capsys.readouterr().err


def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path):
    program = (
        "import sys, time\n"
        "from frugal_eks import cli\nfrom rehearsal import commands\n"
        "commands.Rehearsal.nodes = lambda self: (print('waits', flush=True), time.sleep(60))\n"
        f"sys.exit(cli.main(['rehearse', 'nodes', '--state', {str(tmp_path)!r}]))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout.readline() == "waits\n"
        time.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        error = running.stderr.read()

    assert running.returncode == 130  # noqa: PLR2004
    assert error == "Interrupted. `./frugal-eks rehearse stop` ends what still runs.\n"


def test_the_account_is_that_of_the_administrators(tmp_path):
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text(GOOD)

    read = StackFile.read(file, "try")

    assert (read.region, read.account, read.cluster_name) == ("eu-west-1", "111122223333", "c")
    assert read.admins == ["arn:aws:iam::111122223333:role/team/admin"]
    assert read.system_pods_on_fargate


def test_a_stack_file_full_of_mistakes_is_left_to_the_program_to_tell(tmp_path):
    file = tmp_path / "Pulumi.try.yaml"
    file.write_text(
        "config: {'aws:region': eu-west-1, 'frugal-eks:cluster': {name: 5, admins: [5, root]},"
        " 'frugal-eks:fargate': [1]}"
    )

    read = StackFile.read(file, "try")

    assert (read.account, read.admins, read.cluster_name) == (DEFAULT_ACCOUNT, [], None)
    assert not read.system_pods_on_fargate


def test_the_copy_keeps_its_salt_and_the_tracked_file_stays_as_it_is(tmp_path):
    file, copy = tmp_path / "Pulumi.try.yaml", tmp_path / "state" / "copy.yaml"
    file.write_text(GOOD)
    copy.parent.mkdir()
    copy.write_text("config: {'frugal-eks:old': 1}\nencryptionsalt: v1:salt\n")

    StackFile.read(file, "try").write_copy(copy, {"frugal-eks:chartMirror": "/charts"})

    written = StackFile.read(copy, "try")
    assert written.document["encryptionsalt"] == "v1:salt"
    assert written.config["frugal-eks:chartMirror"] == "/charts"
    assert "frugal-eks:old" not in written.config
    assert file.read_text() == GOOD


def test_a_stack_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(RehearsalError, match="cannot be read: Is a directory"):
        StackFile.read(tmp_path, "try")
