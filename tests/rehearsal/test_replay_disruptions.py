"""Karpenter's log is read as what it decided."""

import json

import pytest

from rehearsal.consolidation.disruptions import Log, Removed, disruptions, short


def said(message, second, **more):
    return json.dumps({"time": f"2026-11-21T15:00:{second:02}.500Z", "message": message, **more})


def node(name, instance_type="c6a.xlarge", capacity="on-demand"):
    return {
        "Node": {"name": f"kwok-{name}-abcdefghij-12345"},
        "NodeClaim": {"name": f"default-{name}"},
        "instance-type": instance_type,
        "capacity-type": capacity,
    }


def decision(second, command, old, new=(), **more):
    told = {
        "reconcileID": "r1",
        "command": command,
        "decision": "replace" if new else "delete",
        "pod-count": 10,
        "disrupted-nodes": old,
        "replacement-nodes": list(new),
    }
    return said("disrupting node(s)", second, **told | more)


REPLACE = [
    decision(
        0,
        "Underutilized/e4d1-f1: replace: nodepools=[default]: [a, b] -> [1 replacement] "
        "(savings: $0.20)",
        [node("a", "c6a.2xlarge"), node("b")],
        [{"capacity-type": "spot", "instance-types": "c6a.4xlarge, c5.4xlarge and 19 other(s)"}],
    ),
    said("created nodeclaim", 0, reconcileID="r1", NodeClaim={"name": "default-c"}, controller="d"),
    said(
        "launched nodeclaim",
        1,
        NodeClaim={"name": "default-c"},
        **{"instance-type": "c6a.4xlarge", "zone": "eu-west-1c", "capacity-type": "spot"},
    ),
    said(
        "initialized nodeclaim",
        32,
        NodeClaim={"name": "default-c"},
        Node={"name": "kwok-c-abcdefghij-12345"},
    ),
    said("deleted node", 40, Node={"name": "kwok-a-abcdefghij-12345"}),
    said("deleted node", 41, Node={"name": "kwok-b-abcdefghij-12345"}),
]


def test_a_node_that_is_ready_as_soon_as_it_registers_is_known_by_that():
    """Its last line has no node then, as karpenter 1.14.1 writes it."""
    lines = [line for line in REPLACE if '"initialized nodeclaim"' not in line]
    claim = {"name": "default-c"}
    lines += [
        said("registered nodeclaim", 32, NodeClaim=claim, Node={"name": "kwok-c-abcdefghij-12345"}),
        said("initialized nodeclaim", 32, NodeClaim=claim),
    ]

    (one,) = disruptions(lines)

    assert [new.node for new in one.replacements] == ["kwok-c-abcdefghij-12345"]
    assert one.replaced_first


def test_a_replacement_is_told_with_what_went_what_came_and_what_it_saves():
    (one,) = disruptions(REPLACE)

    assert (one.decision, one.reason, one.pods, one.savings) == (
        "replace",
        "underutilized",
        10,
        0.2,
    )
    assert [removed.instance_type for removed in one.removed] == ["c6a.2xlarge", "c6a.xlarge"]
    (new,) = one.replacements
    assert (new.offered, new.instance_type, new.capacity) == (21, "c6a.4xlarge", "spot")
    assert (new.zone, new.node) == ("eu-west-1c", "kwok-c-abcdefghij-12345")
    assert new.ready - new.launched == 31  # noqa: PLR2004
    assert str(one) == (
        "replace kwok-a (c6a.2xlarge on-demand), kwok-b (c6a.xlarge on-demand) by c6a.4xlarge spot "
        "of 21 types: underutilized, saves 0.20 USD/h"
    )


def test_the_new_node_is_first_only_if_it_was_ready_before_the_first_old_one_went():
    (first,) = disruptions(REPLACE)
    (late,) = disruptions(
        [*REPLACE[:4], said("deleted node", 20, Node={"name": "kwok-b-abcdefghij-12345"})]
    )
    (never,) = disruptions([*REPLACE[:3], *REPLACE[4:]])

    assert first.replaced_first
    assert not late.replaced_first
    assert not never.replaced_first


def test_a_deletion_has_no_replacement():
    (one,) = disruptions(
        [
            decision(
                5, "Empty/acc7-9f: delete: nodepools=[default]: [a] (savings: $0.35)", [node("a")]
            )
        ]
    )

    assert (one.decision, one.reason, one.savings) == ("delete", "empty", 0.35)
    assert one.replacements == ()
    assert one.removed[0] == Removed(
        "kwok-a-abcdefghij-12345", "default-a", "c6a.xlarge", "on-demand"
    )
    assert not one.replaced_first
    assert str(one) == "delete kwok-a (c6a.xlarge on-demand): empty, saves 0.35 USD/h"


@pytest.mark.parametrize(
    ("command", "reason", "savings"),
    [
        (
            "Drifted/1-2: replace: nodepools=[p]: [a] -> [1 replacement] (savings: $-0.07)",
            "drifted",
            -0.07,
        ),
        ("Drifted/1-2: replace: nodepools=[p]: [a] -> [1 replacement]", "drifted", None),
        ("something new", "unknown", None),
    ],
)
def test_a_loss_and_a_silence_are_told_as_such(command, reason, savings):
    (one,) = disruptions([decision(5, command, [node("a")])])

    assert (one.reason, one.savings) == (reason, savings)
    assert ("saves" in str(one)) == (savings is not None)


def test_two_decisions_of_one_pass_have_each_their_own_claim():
    new = [{"capacity-type": "spot", "instance-types": "c6a.xlarge"}]
    lines = [
        decision(0, "Drifted/1-2: replace: x", [node("a")], new),
        said("created nodeclaim", 0, reconcileID="r1", NodeClaim={"name": "default-c"}),
        decision(0, "Drifted/1-3: replace: x", [node("b")], new),
        said("created nodeclaim", 0, reconcileID="r1", NodeClaim={"name": "default-d"}),
    ]

    assert [one.replacements[0].claim for one in disruptions(lines)] == ["default-c", "default-d"]


def test_a_line_that_is_no_object_is_passed_over():
    assert disruptions(["panic: boom", "[1]", '{"time": "2026-', said("starting", 1)]) == []


def test_a_log_is_read_from_a_moment_on(tmp_path):
    file = tmp_path / "karpenter.log"
    nothing = Log(file)
    file.write_text(REPLACE[0] + "\n")
    later = Log(file)
    with file.open("a") as log:
        log.write(decision(9, "Empty/1-2: delete: x", [node("z")]) + "\n")

    assert [one.decision for one in nothing.disruptions()] == ["replace", "delete"]
    assert [one.decision for one in later.disruptions()] == ["delete"]
    assert Log(tmp_path / "none").disruptions() == []


def test_names_are_short_enough_for_a_table():
    assert short("ip-10-40-0-5.eu-west-1.compute.internal") == "ip-10-40-0-5"
    assert short("kwok-yaklight-1-m5zzuvu5zr-4226368137") == "kwok-yaklight-1"
