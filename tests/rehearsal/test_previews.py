"""The lines of a preview say which change replaces nodes."""

import dataclasses

import pytest

from rehearsal.engine import Outcome
from rehearsal.engine_events import EngineStep
from rehearsal.previews import lines

CLASS, POOL = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "kubernetes:karpenter.sh/v1:NodePool"


def step(op, resource_type, changed=()):
    urn = f"urn:pulumi:dev::frugal-eks::{resource_type}::default"
    return EngineStep(op, urn, resource_type, custom=True, started=0, changed=changed)


def outcome(changes, *steps):
    return Outcome("preview", True, False, changes, list(steps), [], 1.0)


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (
            step("update", CLASS, ("spec.tags",)),
            f"  update {CLASS} default spec.tags: replaces every node of it",
        ),
        (
            step("update", POOL, ("spec.disruption.consolidateAfter",)),
            f"  update {POOL} default spec.disruption.consolidateAfter",
        ),
        (step("create", CLASS), f"  create {CLASS} default"),
        (
            step("update", "aws:sqs/queue:Queue", ("tags",)),
            "  update aws:sqs/queue:Queue default tags",
        ),
    ],
)
def test_a_change_that_rolls_nodes_says_so(made, line):
    assert lines(outcome({made.op: 1, "same": 3}, made, step("same", POOL))) == [
        line,
        f"Preview: 1 {made.op}, 3 same.",
    ]


def test_a_preview_without_a_change_counts_only():
    empty = outcome({"same": 4}, step("same", POOL))

    assert lines(empty) == ["Preview: 4 same."]
    assert lines(dataclasses.replace(empty, changes={})) == ["Preview: nothing."]
