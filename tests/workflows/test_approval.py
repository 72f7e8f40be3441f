"""What is approved is what is done: the digest of a preview."""

import copy
import json
import re

import pytest

from frugal_eks import cli
from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import UNKNOWN, Preview
from frugal_eks.plans.pull_requests.approval import digest

URN = "urn:pulumi:dev::frugal-eks::aws:{}::it"
QUEUE, SAME = URN.format("sqs/queue:Queue"), URN.format("ec2/vpc:Vpc")
pytestmark = pytest.mark.feature("C-16")


def step(op, urn, inputs, **details):
    kind = urn.split("::")[2]
    new = {"urn": urn, "type": kind, "custom": True, "inputs": inputs}
    old = {} if op == "create" else {"oldState": new | {"inputs": {}, "id": "x"}}
    return {"op": op, "urn": urn, "newState": new, **old, **details}


def preview(*steps):
    same = step("same", SAME, {"cidrBlock": "10.0.0.0/16"})
    return {"config": {}, "steps": [same, *steps], "changeSummary": {}}


def told(found):
    return digest(Preview.parse(json.dumps(found)))


INPUTS = {
    "__defaults": ["name"],
    "name": "it-1a2b3c4",
    "delaySeconds": 3,
    "redrive": UNKNOWN,
    "rules": [{"__defaults": ["id"], "id": "r-1", "days": 1}],
    "metadata": {"annotations": {"pulumi.com/autonamed": "true"}, "name": "it-9", "labels": {}},
    "spec": {"annotations": UNKNOWN},
}


def create(**inputs):
    return step("create", QUEUE, copy.deepcopy(INPUTS) | inputs)


def test_a_preview_without_changes_needs_no_approval():
    assert told(preview()) == "nothing"


def test_names_that_are_made_up_anew_do_not_count():
    again = create(name="it-ffffff0")
    again["newState"]["inputs"]["rules"][0]["id"] = "r-2"
    again["newState"]["inputs"]["metadata"]["name"] = "it-8"

    assert told(preview(create())) == told(preview(again))
    assert re.fullmatch("[0-9a-f]{64}", told(preview(create())))


def test_a_made_up_name_does_not_count_where_another_resource_uses_it_either():
    def with_user(name, **inputs):
        policy = json.dumps({"Resource": f"arn:aws:sqs:::{name}"})
        user = step("create", URN.format("sqs/queuePolicy:QueuePolicy"), {"policy": policy})
        return told(preview(create(name=name, **inputs), user))

    assert with_user("it-1a2b3c4") == with_user("it-ffffff0")
    # A name that the program chose is the program's.
    chosen = {"__defaults": []}
    assert with_user("it-1a2b3c4", **chosen) != with_user("it-ffffff0", **chosen)


def test_the_order_of_the_engines_steps_does_not_count():
    other = step("create", URN.format("kms/key:Key"), {"description": "x"})

    assert told(preview(create(), other)) == told(preview(other, create()))


@pytest.mark.parametrize(
    "other",
    [
        preview(),
        preview(create(delaySeconds=4)),
        preview(create(name="chosen", __defaults=[])),
        preview(step("create", QUEUE + "2", INPUTS)),
        preview(step("update", QUEUE, INPUTS, detailedDiff={"delaySeconds": {"kind": "update"}})),
        preview(create(), step("create", URN.format("kms/key:Key"), {})),
        preview(create(rules=[])),
    ],
)
def test_any_other_change_counts(other):
    assert told(other) != told(preview(create()))


def test_a_replacement_is_not_an_update_of_the_same():
    def with_kind(kind):
        diff = {"delaySeconds": {"kind": kind}}
        return told(preview(step("update", QUEUE, INPUTS, detailedDiff=diff)))

    assert with_kind("update") != with_kind("update-replace")


def test_the_command_prints_it_or_says_what_is_wrong(tmp_path, capsys):
    (tmp_path / "good.json").write_text(json.dumps(preview()))
    (tmp_path / "cut.json").write_text(json.dumps(preview())[:40])

    assert cli.main(["pull-request", "approval", str(tmp_path / "good.json")]) == 0
    assert capsys.readouterr().out == "nothing\n"
    assert cli.main(["pull-request", "approval", str(tmp_path / "cut.json")]) == CommandError.code
    assert "cut.json: is cut off or no JSON" in capsys.readouterr().err


def test_only_stacks_with_changes_are_approved(tmp_path, capsys):
    for stack, said in {"a": "nothing\n", "b": f"{'0' * 64}\n"}.items():
        (tmp_path / f"plan-{stack}").mkdir()
        (tmp_path / f"plan-{stack}" / "approval").write_text(said)
    jobs = [{"stack": stack, "role": "r", "region": "eu-west-1"} for stack in "abc"]

    assert cli.main(["pull-request", "changed", str(tmp_path), json.dumps(jobs)]) == 0
    # The preview of c has failed: there is nothing of it.
    assert capsys.readouterr().out == 'up=[{"stack": "b", "region": "eu-west-1"}]\n'
