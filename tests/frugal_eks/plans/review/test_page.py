"""docs/review.md says what the code does; UPDATE_REVIEWS=1 writes its comment anew."""

import os
import re
from pathlib import Path

import pytest

from frugal_eks import cli
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review import Concern
from frugal_eks.plans.review.changes import CREATED
from frugal_eks.plans.review.comment import LIMIT
from tests.frugal_eks.plans.previews import recorded

FILE = Path(__file__).parents[4] / "docs" / "review.md"
START = "<!-- a real comment: kept true by tests/frugal_eks/plans/review/test_page.py -->\n"
END = "<!-- its end -->\n"
RECORDED = "nodeless-change"


@pytest.fixture
def comment(tmp_path) -> str:
    preview, made = tmp_path / "preview.json", tmp_path / "comment.md"
    preview.write_text(recorded.text(RECORDED))
    asked = [str(preview), "--source", "the rehearsal: AWS was played", "--output", str(made)]
    assert cli.main(["review", *asked]) == 0
    return made.read_text()


@pytest.mark.feature("C-13", "C-16")
def test_its_comment_is_a_real_one(comment):
    page = FILE.read_text()
    before, _, rest = page.partition(START)
    shown, _, after = rest.partition(END)
    if os.environ.get("UPDATE_REVIEWS"):
        FILE.write_text(f"{before}{START}\n{comment}\n{END}{after}")

    assert shown.strip() == comment.strip(), "see the text at the top of this file"
    assert " USD a month** expected" in comment


@pytest.mark.feature("C-13", "C-16")
def test_what_the_readme_shows_of_it_stands_in_it(comment):
    quoted = re.findall(r"^> (?:- )?(.+)", FILE.parents[1].joinpath("README.md").read_text(), re.M)

    assert len(quoted) > len(Concern)
    # Its headings are bold there: the page has headings of its own.
    assert [line for line in quoted if line not in comment and line.strip("*") not in comment] == []


def test_its_table_has_every_finding_in_the_order_of_the_comment():
    table, *_ = FILE.read_text().partition("## What it cannot see")
    rows = re.findall(r"^\| ([A-Z][^|]+?) \|", table, re.MULTILINE)

    assert rows == [concern.value for concern in Concern]


@pytest.mark.parametrize(
    "line", re.findall(r"^\./frugal-eks review .*", FILE.read_text(), re.MULTILINE)
)
def test_its_commands_run(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("preview.json").write_text(recorded.text(RECORDED))
    arguments = re.findall(r'"[^"]*"|\S+', line.partition(" #")[0])[1:]

    assert cli.main([one.strip('"') for one in arguments]) == 0
    written = capsys.readouterr().out or Path("comment.md").read_text()
    assert Preview.parse(recorded.text(RECORDED)).stack in written


def test_its_numbers_are_those_of_the_code():
    page = FILE.read_text()

    assert f"holds {LIMIT:,} characters" in page
    assert f"more than {CREATED} created resources" in page
