"""Whole comments, of recorded previews and of the table of changes.

UPDATE_REVIEWS=1 .venv/bin/pytest tests/frugal_eks/plans/review writes them anew; look through the
difference."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review import comment
from frugal_eks.plans.review.changes import CREATED
from tests.frugal_eks.plans.previews import recorded
from tests.frugal_eks.plans.review.made import preview, step, text
from tests.frugal_eks.plans.review.test_risks import TABLES

pytestmark = pytest.mark.feature("C-16")
COMMENTS = Path(__file__).parent / "comments"


def table() -> Preview:
    """All changes of the table in one preview, each under a name of its own."""
    cases = [case for table in TABLES for case in table.CASES]
    steps: list[dict[str, Any]] = []
    for i, case in enumerate(cases):
        told = json.dumps(case.risky)
        for name, own in (("::one", f"::{i}"), ("id-of-", f"{i}-"), ('"web"', f'"web-{i}"')):
            told = told.replace(name, own)
        steps += json.loads(told.replace('"sg-1"', f'"sg-{i}"'))
    return preview(*steps)


def same_as(name: str, told: str) -> None:
    file = COMMENTS / f"{name}.md"
    if os.environ.get("UPDATE_REVIEWS"):
        file.write_text(told)
    assert told == file.read_text(), "see the text at the top of this file"


@pytest.mark.parametrize("name", recorded.NAMES)
def test_of_a_recorded_preview(name):
    read = Preview.parse(recorded.text(name))

    same_as(name, comment(read, source="the rehearsal"))


@pytest.mark.parametrize("name", ["nodeless-change", "spot-create"])
def test_the_engines_order_which_is_another_in_each_run_does_not_show(name):
    told = json.loads(recorded.text(name))
    turned = told | {"steps": told["steps"][::-1]}

    assert comment(Preview.parse(json.dumps(turned))) == comment(Preview.parse(json.dumps(told)))


def test_of_the_table_of_changes():
    same_as("table", comment(table()))


def test_it_begins_with_the_line_by_which_an_earlier_one_is_found():
    first, *_ = comment(preview(step("create", "aws:sqs/queue:Queue"))).splitlines()

    assert first == "<!-- frugal-eks review: shop/dev -->"


def test_names_cannot_end_that_line():
    hostile = text(step("create", "aws:sqs/queue:Queue")).replace("::shop::", "::a --> b::")

    first, *_ = comment(Preview.parse(hostile)).splitlines()

    assert first == "<!-- frugal-eks review: a_--__b/dev -->"


def test_each_resource_counts_once_and_components_do_not():
    told = comment(
        preview(
            step("create", "acme:index:Part", "part", custom=False),
            *(step(op, "aws:ec2/tag:Tag", op) for op in ("create", "update", "delete", "same")),
            step("create-replacement", "aws:ec2/tag:Tag", "three"),
            step("replace", "aws:ec2/tag:Tag", "three"),
            step("delete-replaced", "aws:ec2/tag:Tag", "three"),
            step("read", "aws:ec2/vpc:Vpc", "read"),
        )
    )

    title = "### `dev` of `shop`: 1 to replace, 1 to delete, 1 to update, 1 to create"
    assert told.splitlines()[1] == title
    assert "No finding for a human, 1 unchanged." in told


def test_without_unchanged_resources_it_says_so():
    read = preview(step("create", "aws:ec2/tag:Tag"), changeSummary={"create": 1, "same": 7})

    assert "those unchanged are not told (no `--show-sames`)" in comment(read)


def test_what_is_known_after_up_says_so():
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    read = preview(
        step("update", "aws:ec2/tag:Tag", old={"key": "a"}, new={"key": unknown, "v": [unknown]})
    )

    told = comment(read)

    assert '- key: "a"\n+ key: known after up\n+ v: ["known after up"]' in told
    assert unknown not in told


def test_many_created_resources_are_named_only():
    made = [step("create", "aws:ec2/tag:Tag", f"t{i}", new={"key": "a"}) for i in range(CREATED)]
    update = step("update", "aws:ec2/tag:Tag", "old", old={"key": "a"}, new={"key": "b"})
    one_more = step("create", "aws:ec2/tag:Tag", "one-more", new={"key": "a"})

    assert comment(preview(*made, update)).count('+ key: "a"') == CREATED
    assert comment(preview(*made, update, one_more)).count('+ key: "a"') == 0
    assert comment(preview(*made, update, one_more)).count('+ key: "b"') == 1


def test_warnings_are_told_once_and_without_secrets():
    said = {"severity": "warning", "message": "warning: token=abc is\nold", "urn": ""}
    read = preview(step("same", "aws:ec2/tag:Tag"), diagnostics=[said, said])

    told = comment(read)

    assert "<summary>Warnings: 1</summary>\n\n```\ntoken=[secret] is old\n```" in told


def test_the_cost_stands_between_findings_and_changes():
    class Costs:
        def markdown(self, max_chars):
            return f"at most {max_chars} characters of cost"

    told = comment(
        preview(step("delete", "aws:sqs/queue:Queue")),
        costs=Costs(),
    )

    parts = ["#### State or traffic goes", "#### Cost\n\nat most 12000 characters", "#### All"]
    assert [told.count(part) for part in parts] == [1, 1, 1]
    assert sorted(parts, key=told.index) == parts
