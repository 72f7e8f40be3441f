"""The steps of preview.yml on AWS, with commands that play pulumi and curl."""

import json
import shlex
from pathlib import Path

import pytest

pytestmark = pytest.mark.feature("C-16")
CLOUD = "https://api.pulumi.com"


def test_a_preview_on_aws_reads_the_state_and_changes_nothing(pulumi, tmp_path):
    ran = pulumi.run("preview-aws.sh", "spot", tmp_path / "out")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "out" / "preview.json").read_text() == '{"a": "preview"}'
    assert pulumi.called("pulumi") == [
        ["login", "s3://state?region=eu-west-1"],
        ["stack", "ls", "--json"],
        ["preview", "--json", "--show-sames", "--non-interactive", "--stack", "spot"],
    ]


def test_a_stack_that_is_not_there_yet_is_previewed_in_a_state_of_its_own(pulumi, tmp_path):
    ran = pulumi.run("preview-aws.sh", "spo", tmp_path / "out")

    assert ran.returncode == 0
    assert (tmp_path / "out/against").read_text() == (
        "against nothing: the state has no such stack\n"
    )
    assert ["stack", "init", "spo", "--non-interactive"] in pulumi.called("pulumi")
    *before, init, preview = (pulumi.bin.parent / "backends").read_text().splitlines()
    assert set(before) == {"s3://state?region=eu-west-1"}
    assert init == preview
    assert init.startswith("file:///")


def test_a_stack_of_an_organisation_is_found(pulumi, tmp_path):
    (pulumi.bin.parent / "stacks.json").write_text('[{"name": "acme/spot"}]')

    assert pulumi.run("preview-aws.sh", "spot", tmp_path).returncode == 0
    assert not (tmp_path / "against").exists()


def test_without_a_state_nothing_is_previewed(pulumi, tmp_path):
    pulumi.environment["PULUMI_BACKEND_URL"] = ""

    ran = pulumi.run("preview-aws.sh", "spot", tmp_path)

    assert ran.returncode == 1
    assert "PULUMI_BACKEND_URL: set the variable: s3://BUCKET" in ran.stderr
    assert pulumi.called("pulumi") == []


def test_pulumi_cloud_takes_the_jobs_own_token_which_no_argument_shows(pulumi):
    pulumi.environment |= {
        "PULUMI_BACKEND_URL": CLOUD,
        "PULUMI_ORGANIZATION": "acme",
        "ACTIONS_ID_TOKEN_REQUEST_URL": "https://token.example/?v=1",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "REQUEST",
    }
    pulumi.fake("curl", 'cat >"$FAKES/header"; echo \'{"value": "JWT"}\'')
    pulumi.fake("pulumi", 'cat "${6#file://}" >"$FAKES/token"')

    ran = pulumi.run("login.sh")

    assert (ran.returncode, ran.stderr) == (0, "")
    ((*_, url),) = pulumi.called("curl")
    assert url == "https://token.example/?v=1&audience=urn:pulumi:org:acme"
    assert (pulumi.bin.parent / "header").read_text() == "Authorization: bearer REQUEST\n"
    ((*login, token),) = pulumi.called("pulumi")
    assert login == ["login", CLOUD, "--oidc-org", "acme", "--oidc-token"]
    assert (pulumi.bin.parent / "token").read_text() == "JWT"
    assert not Path(token.removeprefix("file://")).exists()
    assert not any("REQUEST" in part or "JWT" in part for call in pulumi.calls for part in call)


def test_pulumi_cloud_without_a_token_is_not_logged_in(pulumi):
    pulumi.environment |= {
        "PULUMI_BACKEND_URL": CLOUD,
        "PULUMI_ORGANIZATION": "acme",
        "ACTIONS_ID_TOKEN_REQUEST_URL": "https://token.example/?v=1",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "REQUEST",
    }
    pulumi.fake("curl", "exit 22")

    assert pulumi.run("login.sh").returncode != 0
    assert pulumi.called("pulumi") == []


@pytest.fixture
def commented(bench, plays):
    """`comment.sh` with a preview that succeeds and a review that writes."""
    plays("review", 'echo "comment of $(cat "$2")" >"${@: -1}"')
    bench.fake("preview", 'echo previewing; printf \'{"steps": []}\' >"$1/preview.json"')
    return bench


def test_the_comment_is_made_of_the_preview_and_says_where_that_is_from(commented, tmp_path):
    ran = commented.run("comment.sh", "spot", "the rehearsal", tmp_path, "preview", tmp_path)

    assert (ran.returncode, ran.stdout) == (0, "previewing\n")
    assert (tmp_path / "comment.md").read_text() == 'comment of {"steps": []}\n'
    ((*review, output),) = commented.called("frugal-eks")
    assert review == [
        "review",
        f"{tmp_path}/preview.json",
        "--source",
        "the rehearsal",
        "-o",
    ]
    assert output == f"{tmp_path}/comment.md"


def test_the_comment_says_what_the_preview_was_compared_with(commented, tmp_path):
    commented.fake("preview", "echo {} >$1/preview.json; echo 'against nothing' >$1/against")

    assert (
        commented.run("comment.sh", "spot", "on AWS", tmp_path, "preview", tmp_path).returncode == 0
    )
    ((*_, source, _o, _file),) = commented.called("frugal-eks")
    assert source == "on AWS, against nothing"


def test_a_preview_that_fails_is_told_in_the_comment(commented, tmp_path):
    said = {"diagnostics": [{"severity": "error", "message": "no ```such``` key\n"}]}
    said["diagnostics"].append({"severity": "info", "message": "account 111122223333"})
    body = f"printf %s {shlex.quote(json.dumps(said))} >$1/preview.json; echo much; exit 255"
    commented.fake("preview", body)

    ran = commented.run("comment.sh", "spot", "on AWS", tmp_path, "preview", tmp_path)

    assert ran.returncode == 1
    assert (tmp_path / "comment.md").read_text().splitlines() == [
        "<!-- frugal-eks review: frugal-eks/spot -->",
        "## `spot`: the preview failed",
        "",
        "on AWS",
        "",
        "````text",
        "no ```such``` key",
        "````",
        "",
        "The whole log is in the job's own.",
    ]


def test_a_preview_that_fails_without_json_leaves_its_last_words(commented, tmp_path):
    commented.fake("preview", "printf '%s\\n' {1..100}; echo 'no credentials' >&2; exit 1")

    ran = commented.run("comment.sh", "spot", "on AWS", tmp_path, "preview", tmp_path)

    text = (tmp_path / "comment.md").read_text()
    assert ran.returncode == 1
    assert "no credentials\n```" in text
    assert "\n100\n" in text
    assert "\n40\n" not in text


def test_a_preview_that_nobody_can_read_is_told_too(commented, plays, tmp_path):
    plays("review", "echo 'preview.json: is cut off' >&2; exit 1")

    ran = commented.run("comment.sh", "spot", "on AWS", tmp_path, "preview", tmp_path)

    assert ran.returncode == 1
    assert "preview.json: is cut off" in (tmp_path / "comment.md").read_text()
