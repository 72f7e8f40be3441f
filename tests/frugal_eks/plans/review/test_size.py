"""At any size the comment stays below what GitHub takes, and says what it leaves out."""

import re

import pytest

from frugal_eks.plans.previews.markdown import size
from frugal_eks.plans.review import comment
from frugal_eks.plans.review.comment import LIMIT
from tests.frugal_eks.plans.review.made import preview, step
from tests.frugal_eks.plans.review.test_safety import QUEUE, check

LONG = "x" * 70_000


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(
            [step("update", QUEUE, f"q{i}", {"a": 1}, {"a": i}) for i in range(4_000)], id="many"
        ),
        pytest.param([step("delete", QUEUE, f"q{i}" + "n" * 90) for i in range(1_500)], id="risks"),
        pytest.param([step("update", QUEUE, LONG, {LONG: LONG}, {LONG: "y" + LONG})], id="long"),
        pytest.param(
            [
                step("update", QUEUE, f"q{i}", {"a": "😀" * 300}, {"a": "😀" * 301})
                for i in range(400)
            ],
            id="signs that count twice",
        ),
        pytest.param(
            [
                one
                for i in range(1_500)
                for part in [step("create", "acme:index:Part", f"part-{i}", custom=False)]
                for one in (part, step("create", QUEUE, f"q{i}", parent=part["urn"]))
            ],
            id="components",
        ),
        pytest.param(
            [
                step(
                    "update",
                    "aws:iam/policy:Policy",
                    old={"policy": {"Statement": [{"Effect": "Allow", "Action": "a:*"}]}},
                    new={
                        "policy": {
                            "Statement": [
                                {"Effect": "Allow", "Action": [f"s{i}:{j}" for j in range(50)]}
                                for i in range(200)
                            ]
                        }
                    },
                )
            ],
            id="statements",
        ),
    ],
)
def test_at_any_size_it_is_whole_and_says_what_is_left_out(made):
    told = comment(preview(*made))

    check(told)
    assert re.search(r"Left out, for a comment has its limits|more lines|more characters", told)


def test_what_is_left_out_adds_up():
    count = 2_500
    made = [step("update", QUEUE, f"q{i:04}", {"a": 1}, {"a": "2" * 60}) for i in range(count)]

    told = comment(preview(*made))

    named = len(re.findall(r"^- \*\*update\*\*", told, re.MULTILINE))
    (left,) = re.findall(r"the names of ([\d,]+) resources", told)
    assert named + int(left.replace(",", "")) == count
    assert f"- … and {left} more" in told
    # Little room is wasted.
    assert size(told) > LIMIT - 2_000


def test_one_concern_does_not_crowd_out_the_others():
    made = [step("delete", QUEUE, f"q{i}") for i in range(1_500)]
    jump = step(
        "update", "aws:eks/nodeGroup:NodeGroup", "z", {"version": "1.34"}, {"version": "1.35"}
    )

    told = comment(preview(*made, jump))

    assert "more like these" in told
    assert "`z` takes Kubernetes from `1.34` to `1.35`" in told


def test_what_would_take_long_to_compare_is_not_compared():
    statements = [{"Effect": "Allow", "Action": f"s{i}:a"} for i in range(301)]
    lines = [str(i) for i in range(2_001)]
    made = step(
        "update",
        QUEUE,
        old={"text": "\n".join(lines), "policy": {"Statement": statements}},
        new={"text": "\n".join(lines[1:]), "policy": {"Statement": statements[:9]}},
    )

    told = comment(preview(made))

    assert "`policy` has too many statements to compare: look at it" in told
    assert "! text: 2,001 lines become 2,000" in told
