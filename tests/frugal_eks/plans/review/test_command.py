"""The command: what it takes, what it refuses, and what it then writes, which is nothing."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from frugal_eks import cli
from tests.frugal_eks.plans.previews import recorded
from tests.frugal_eks.plans.review.made import step, text

pytestmark = pytest.mark.feature("C-16")
ROOT = Path(__file__).parents[4]
WRITTEN, FAILED = 0, 2
GOOD = text(step("update", "aws:ec2/tag:Tag", old={"key": "a"}, new={"key": "b"}))
HOW = "make it anew with `pulumi preview --json --show-sames`"
BAD = [
    ("", f"preview.json: is empty: {HOW}"),
    (" \n", f"preview.json: is empty: {HOW}"),
    (GOOD[:-1], f"preview.json: is cut off or no JSON (line 1: Expecting ',' delimiter): {HOW}"),
    ("[]", f"preview.json: is JSON, but no object: {HOW}"),
    (
        "{}",
        "preview.json: steps: field required, which no preview of Pulumi 3 has: " + HOW,
    ),
    (
        GOOD + GOOD,
        "preview.json: holds more than one JSON object, as with "
        f"PULUMI_ENABLE_STREAMING_JSON_PREVIEW set: {HOW} without it",
    ),
    (
        GOOD.replace('"update"', '"mutate"'),
        f"preview.json: step 'mutate' is unknown: it is of another version of Pulumi: {HOW} of "
        "version 3",
    ),
    (
        text(diagnostics=[{"severity": "error", "message": "no\ncredentials"}]),
        "preview.json: the preview itself has failed: no credentials",
    ),
    ('{"steps": [], "changeSummary": null}', f"preview.json: names no resource at all: {HOW}"),
    ("[" * 200_000, f"preview.json: is nested too deeply for a preview: {HOW}"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("content", "told"), BAD)
def test_bad_input_is_one_sentence_and_writes_nothing(folder, capsys, content, told):
    (folder / "preview.json").write_text(content)
    (folder / "comment.md").write_text("as it was")

    code = cli.main(["review", "preview.json", "--no-cost", "--output", "comment.md"])

    assert code == FAILED
    assert capsys.readouterr() == ("", f"{told}\n")
    assert sorted(path.name for path in folder.iterdir()) == ["comment.md", "preview.json"]
    assert (folder / "comment.md").read_text() == "as it was"


def test_neither_does_a_file_that_is_missing_or_no_text(folder, capsys):
    (folder / "binary").write_bytes(b"\xff\xfe")

    assert cli.main(["review", "missing"]) == FAILED
    assert cli.main(["review", "binary"]) == FAILED
    assert capsys.readouterr() == (
        "",
        f"missing: cannot be read: No such file or directory: {HOW}\n"
        f"binary: is no text in UTF-8: {HOW}\n",
    )


def test_an_output_that_cannot_be_written_is_named(folder, capsys):
    (folder / "preview.json").write_text(GOOD)

    code = cli.main(["review", "preview.json", "--no-cost", "-o", "no/such/comment.md"])

    assert code == FAILED
    told = "no/such/comment.md: cannot be written: No such file or directory\n"
    assert capsys.readouterr() == ("", told)


def test_values_nested_beyond_reason_are_refused(folder, capsys):
    deep: dict[str, object] = {}
    for _ in range(400):
        deep = {"a": deep}
    (folder / "preview.json").write_text(text(step("update", "a:b:C", old={}, new=deep)))

    assert cli.main(["review", "preview.json", "--no-cost"]) == FAILED
    told = "preview.json: its values are nested too deeply for a preview\n"
    assert capsys.readouterr() == ("", told)


def test_it_writes_a_file_whole(folder, capsys):
    (folder / "preview.json").write_text(GOOD)

    code = cli.main(
        ["review", "preview.json", "--no-cost", "-o", "comment.md", "--source", "my laptop"]
    )

    assert code == WRITTEN
    assert capsys.readouterr() == ("", "")
    assert "Made by `my laptop`." in (folder / "comment.md").read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["comment.md", "preview.json"]


def test_it_reads_standard_input(capsysbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))

    assert cli.main(["review", "-", "--no-cost"]) == WRITTEN
    told = capsysbinary.readouterr().out.decode()
    assert told.startswith("<!-- frugal-eks review: shop/dev -->\n")
    assert '- key: "a"\n+ key: "b"' in told


def test_it_needs_neither_the_rehearsal_nor_pulumi_and_no_terminal(tmp_path):
    file = tmp_path / "preview.json"
    file.write_text(recorded.text("spot-change"))
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['rehearsal', 'boto3', 'pulumi', 'rich']))\n"
        "from frugal_eks.cli import main\n"
        f"sys.exit(main(['review', {str(file)!r}, '--no-cost']))\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"LC_ALL": "C", "PATH": ""},
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (ran.returncode, ran.stderr) == (WRITTEN, b"")
    assert ran.stdout.decode().startswith("<!-- frugal-eks review: frugal-eks/spot -->")


def test_without_a_region_there_is_no_cost_and_no_comment(folder, capsys):
    (folder / "preview.json").write_text(GOOD)

    code = cli.main(["review", "preview.json", "-o", "comment.md"])

    assert code == FAILED
    assert capsys.readouterr().err == (
        "the preview names no AWS region: set aws:region in the stack's configuration, or give "
        "--region; or leave the cost out with --no-cost\n"
    )
    assert [path.name for path in folder.iterdir()] == ["preview.json"]


@pytest.mark.feature("C-13")
def test_the_region_may_be_given(folder, capsys):
    (folder / "preview.json").write_text(GOOD)

    assert cli.main(["review", "preview.json", "--region", "eu-west-1"]) == WRITTEN
    assert "#### Cost\n\n**0.00 USD a month** expected" in capsys.readouterr().out


def test_a_program_without_aws_has_no_cost(folder, capsys):
    (folder / "preview.json").write_text(text(step("create", "random:index:Id", new={})))

    assert cli.main(["review", "preview.json"]) == WRITTEN
    assert "#### Cost" not in capsys.readouterr().out
