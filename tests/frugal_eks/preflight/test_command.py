"""The command line: usage, files that cannot be used, the table without a terminal, Ctrl-C."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frugal_eks import cli
from frugal_eks.preflight.machine import Machine
from tests.frugal_eks.preflight.conftest import ACCOUNT, REGION, ROOT, Played, PlayedMachine, Told
from tests.frugal_eks.preflight.faults import quota, running

USAGE = 2
Preflight = Callable[..., Told]


def test_the_table_is_plain_text_without_a_terminal_and_ends_with_what_fails(
    account: Played, preflight: Preflight
):
    quota("L-F678F1CE", 1)(account)

    told = preflight(account.stack("nodeless"), json=False)

    table, _, rest = told.out.rpartition("└")
    results = [line.split("│")[2].strip() for line in table.splitlines() if "│" in line]
    assert [each for each in results if each][-1] == "will fail"
    *_, sentence = rest.splitlines()
    assert sentence == (
        f"`pulumi up` of nodeless in account {ACCOUNT}, {REGION}, would fail at 1 of 49 checks; "
        "1 cannot be told."
    )
    assert "\x1b" not in told.out
    assert told.err == ""


def test_json_says_of_what_it_is(account: Played, preflight: Preflight):
    told = preflight(account.stack("spot"))

    about = {key: told.json[key] for key in ("stack", "account", "region", "cluster", "wouldFail")}
    assert about == {
        "stack": "spot",
        "account": ACCOUNT,
        "region": REGION,
        "cluster": "spot",
        "wouldFail": False,
    }


def test_a_stack_that_is_up_is_not_told_that_its_own_names_are_taken(
    account: Played, preflight: Preflight
):
    quota("L-F678F1CE", 1)(account)
    account.client("sqs").create_queue(QueueName="nodeless")

    first, update = (preflight(account.stack("nodeless"), *more) for more in ([], ["--update"]))

    assert first.failing == ["VPCs", "queue nodeless"]
    assert update.failing == []
    assert update.of("endpoint")["found"] == "there is no cluster nodeless yet"


def test_whoever_is_no_administrator_is_told_so_and_the_rest_is_looked_at(
    account: Played, preflight: Preflight
):
    account.client("iam").create_user(UserName="ann")
    admins = (r"role/platform-admin\]", "user/ann]")

    told = preflight(account.stack("nodeless", admins))

    assert told.of("credentials")["result"] == "cannot tell"
    assert "is not in cluster.admins" in told.of("credentials")["found"]
    assert told.code == 0


def test_what_an_earlier_cluster_left_is_told_and_stops_nothing(
    account: Played, preflight: Preflight
):
    instance = running(account)
    tags = [{"Key": "kubernetes.io/cluster/nodeless", "Value": "owned"}]
    account.client("ec2").create_tags(Resources=[instance], Tags=tags)

    told = preflight(account.stack("nodeless"))

    assert told.of("leftovers")["result"] == "cannot tell"
    assert instance in told.of("leftovers")["found"]
    assert "./frugal-eks sweep --cluster nodeless" in told.of("leftovers")["remedy"]
    assert told.code == 0


def test_a_log_group_that_eks_made_again_is_taken_over(account: Played, preflight: Preflight):
    group = "/aws/eks/nodeless/cluster"
    account.client("logs").create_log_group(logGroupName=group)

    told = preflight(account.stack("nodeless"))

    assert told.of(f"log group {group}")["result"] == "ok"
    assert told.code == 0


@pytest.mark.parametrize(
    ("machine", "check", "words"),
    [
        (PlayedMachine(address=None), "endpoint access", "be sure that it is in"),
        (PlayedMachine(cli="aws of somebody else"), "aws CLI", "getting-started"),
    ],
)
def test_what_this_machine_does_not_tell_is_no_failure(
    account: Played, preflight: Preflight, machine: Machine, check: str, words: str
):
    told = preflight(account.stack("nodeless"), machine=machine)

    assert told.of(check)["result"] == "cannot tell"
    assert words in told.of(check)["remedy"]
    assert told.code == 0


@pytest.mark.parametrize(
    ("variables", "result"),
    [
        ({}, "cannot tell"),
        ({"AWS_SESSION_EXPIRATION": "2999-01-01T00:00:00Z"}, "ok"),
        ({"AWS_CREDENTIAL_EXPIRATION": "soon"}, "cannot tell"),
    ],
)
def test_a_session_is_judged_by_what_tells_its_end(
    account: Played, preflight: Preflight, variables: dict[str, str], result: str
):
    told = preflight(account.stack("spot"), machine=PlayedMachine(variables=variables))

    assert told.of("session")["result"] == result


def test_a_bad_stack_file_is_told_as_check_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "Pulumi.bad.yaml"
    text = (ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace('version: "1.35"', 'version: "1.17"'), encoding="utf-8")
    cli.main(["check", str(file)])
    expected = capsys.readouterr().out

    assert cli.main(["preflight", str(file)]) == USAGE
    assert capsys.readouterr().err == expected
    assert "is not offered: choose one of" in expected


def test_without_an_answer_of_aws_it_is_one_sentence(
    account: Played, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
):
    # A port on which nobody listens.
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    told = preflight(account.stack("nodeless"), json=False)

    assert told.code == USAGE
    assert told.err.startswith("AWS does not answer: ")
    assert told.out == ""


def test_a_profile_that_is_not_there_is_one_sentence(account: Played, preflight: Preflight):
    profile = ("aws:region: eu-west-1", "aws:region: eu-west-1\n  aws:profile: nobody")

    told = preflight(account.stack("nodeless", profile), json=False)

    assert told.code == USAGE
    assert "nobody" in told.err


def test_the_help_loads_neither_boto3_nor_pulumi():
    code = (
        "import sys; from frugal_eks.cli import main\n"
        "try: main(['preflight', '--help'])\n"
        "except SystemExit: print(sorted({'boto3', 'pulumi', 'rich', 'yaml'} & {*sys.modules}))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert told.splitlines()[-1] == "[]"
