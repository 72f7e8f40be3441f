"""The command of the policies: a preview's file held to the rules, deletions included."""

import json

import pytest

from frugal_eks import cli
from frugal_eks.plans.policy.rules.deletions import KEPT, RULES
from tests.frugal_eks.plans.policy.cases import CLUSTER, cluster
from tests.frugal_eks.plans.previews.recorded import text

PLATFORM = "frugal-eks:index:Platform"
BUCKET = "aws:s3/bucket:Bucket"
EXCEPTED = {"except": {"deletes-protected/old": "moved to another bucket"}}


def urn(type_token, name):
    return f"urn:pulumi:dev::ours::{type_token}::{name}"


def state(type_token, name, inputs=None, **more):
    kept = {"urn": urn(type_token, name), "type": type_token, "custom": True}
    return {**kept, "inputs": inputs or {}, "outputs": {}, **more}


def step(op, type_token, name="old", inputs=None, **more):
    """One step of a preview."""
    one = {"op": op, "urn": urn(type_token, name), "provider": ""}
    if op != "create":
        one["oldState"] = state(type_token, name, inputs, **more)
    if op not in {"delete", "delete-replaced"}:
        one["newState"] = state(type_token, name, inputs)
    return one


@pytest.fixture
def judged(tmp_path, capsys):
    """Exit code, output and errors of the command for a preview of these steps."""

    def judge(*steps, policy=None, config=None):
        platform = step("same", PLATFORM, "platform", {"policy": policy})
        told = {"config": {"aws:region": "eu-west-1"}, "steps": [platform, *steps]}
        file = tmp_path / "preview.json"
        file.write_text(json.dumps(told | {"changeSummary": {}}))
        flags = []
        if config is not None:
            rules = tmp_path / "rules.json"
            rules.write_text(config if isinstance(config, str) else json.dumps(config))
            flags = ["--config", str(rules)]
        code = cli.main(["policy", str(file), *flags])
        printed = capsys.readouterr()
        return code, printed.out, printed.err.replace(f"{tmp_path}/", "")

    return judge


@pytest.mark.feature("C-17")
@pytest.mark.parametrize("op", ["delete", "replace"])
@pytest.mark.parametrize("type_token", sorted(KEPT))
def test_what_holds_data_does_not_go_unseen(judged, type_token, op):
    code, out, _ = judged(step(op, type_token))

    assert code == 1
    assert f"- **deletes-protected** (mandatory): {RULES[0].reason}\n" in out
    how = {"delete": "deleted", "replace": "replaced"}[op]
    assert f"  - `old`: {type_token} is {how}: {RULES[0].remedy}." in out


@pytest.mark.parametrize(
    "gone",
    [
        step("delete", "aws:ec2/route:Route"),
        step("update", BUCKET, inputs={"tags": {"team": "a"}}),
        step("delete", BUCKET, retainOnDelete=True),
    ],
)
def test_what_holds_nothing_or_stays_may_go(judged, gone):
    assert judged(gone) == (0, "No rule is broken.\n", "")


def test_what_the_program_had_protected_does_not_go_either(judged):
    assert judged(step("delete", "aws:ec2/vpc:Vpc", protect=True))[0] == 1


def test_why_a_thing_is_replaced_is_told(judged):
    replaced = step("replace", BUCKET) | {"replaceReasons": ["bucket", "objectLockEnabled"]}

    assert f"{BUCKET} is replaced because of bucket, objectLockEnabled: " in judged(replaced)[1]


@pytest.mark.feature("C-17")
def test_a_deletion_that_the_stack_file_excepts_is_told_with_its_reason(judged):
    assert judged(step("delete", BUCKET), policy=EXCEPTED) == (
        0,
        "- excepted: deletes-protected/old covers 1 finding: moved to another bucket\n",
        "",
    )


@pytest.mark.feature("C-14", "C-17")
def test_a_budget_that_is_passed_refuses_the_preview(judged):
    control_plane = step("create", CLUSTER, "cluster", cluster())

    code, out, _ = judged(control_plane, policy={"monthlyBudgetUsd": 10})
    assert code == 1
    assert "- **over-budget** (mandatory): " in out
    assert "; the budget is 10: " in out
    assert judged(control_plane, policy={"monthlyBudgetUsd": 100})[0] == 0


def test_mandatory_rules_come_first_and_what_is_alike_is_told_once(judged):
    groups = [
        step("create", "aws:cloudwatch/logGroup:LogGroup", f"logs-{n}", {"tags": {"a": "b"}})
        for n in range(12)
    ]
    _, out, _ = judged(*groups, step("delete", BUCKET))

    named = ", ".join(f"`logs-{n}`" for n in range(10))
    assert out.splitlines()[0].startswith("- **deletes-protected** (mandatory)")
    assert f"\n  - {named} and 2 more: kmsKeyId is absent: " in out


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({}, 1),
        ({"deletes-protected": "disabled"}, 0),
        ({"deletes-protected": "advisory"}, 0),
        ({"deletes-protected": {"enforcementLevel": "advisory"}}, 0),
        ({"deletes-protected": {"except": {"old": "moved"}}}, 0),
        ({"deletes-protected": {"except": {"other": "moved"}}}, 1),
        ({"all": "advisory"}, 0),
        ({"all": "advisory", "deletes-protected": "mandatory"}, 1),
    ],
)
def test_a_program_without_a_stack_file_says_it_in_the_packs_configuration(judged, config, code):
    assert judged(step("delete", BUCKET), config=config)[0] == code


def test_the_configuration_asks_for_tags_too(judged):
    queue = step("create", "aws:sqs/queue:Queue", "queue")

    assert judged(queue, config={"missing-tags": {"requiredTags": ["team"]}})[0] == 1


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ("{", "rules.json: is no JSON (line 1: Expecting property name enclosed in double quotes"),
        (
            {"unpinned-imges": "advisory"},
            "rules.json: no rule is called unpinned-imges: docs/policy.md lists them",
        ),
        (
            {"untagged": "strict"},
            'rules.json: untagged: choose one of advisory, disabled, mandatory (got "strict")',
        ),
        (
            {"unpinned-image": {"except": {"web": " "}}},
            "rules.json: unpinned-image.except.web: say why, for whoever looks at it in a year",
        ),
    ],
)
def test_a_configuration_with_a_mistake_is_one_sentence(judged, config, error):
    code, out, told = judged(config=config)

    assert (code, out) == (2, "")
    assert told.startswith(error)
    assert told.count("\n") == 1


@pytest.mark.feature("C-17")
@pytest.mark.parametrize("stack", ["nodeless", "consolidation"])
def test_a_shipped_stack_breaks_advisory_rules_alone(stack, tmp_path, capsys):
    file = tmp_path / "preview.json"
    file.write_text(text(f"{stack}-create"))

    assert cli.main(["policy", str(file)]) == 0
    out = capsys.readouterr().out
    assert [line.split("**")[1] for line in out.splitlines() if line.startswith("- **")] == [
        "public-cluster-api",
        "untagged",
        "unencrypted-log-group",
        "deletion-protection",
    ]
