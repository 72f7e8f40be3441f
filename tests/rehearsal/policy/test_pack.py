"""The policy pack with the real engine: what it refuses, what it lets through."""

import json

import pytest

from frugal_eks.plans.policy.rules import IN_THE_PACK
from rehearsal.engine import EngineError
from tests.frugal_eks.plans.policy.broken import BROKEN
from tests.frugal_eks.plans.policy.cases import CLUSTER, KEPT, POLICY, POOL, cluster
from tests.rehearsal.policy.conftest import Program

LEVELS = {rule.name: rule.level for rule in IN_THE_PACK}
VPC = "aws:ec2/vpc:Vpc"
WHY = "no VPN until March"
TAGS = {"tags": {"team": "a"}}


def declared(cases):
    """A program of these cases; each resource is named by its place and its rule."""
    return [(f"{index}-{case.rule}", case.type, case.inputs) for index, case in enumerate(cases)]


def said(outcome):
    """Severity, resource and text of what the pack says, by the names of its rules."""
    found = {}
    for message in outcome.messages:
        name, colon, text = message.text.partition(": ")
        if colon and name in LEVELS | {"exceptions": ""}:
            resource = message.urn.rpartition("::")[2]
            found.setdefault(name, []).append((message.severity, resource, text))
    return found


@pytest.mark.engine
@pytest.mark.feature("C-17")
def test_a_program_that_breaks_every_rule_is_refused_with_each_of_them(engine, pack):
    on_demand = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
    more = [
        ("bare", VPC, {}),
        ("on-demand", POOL, {"spec": {"template": {"spec": {"requirements": [on_demand]}}}}),
    ]
    policy = {"requiredTags": ["team"], "minSpotShare": 0.9, "monthlyBudgetUsd": 500}
    outcome = engine(Program(declared(BROKEN) + more, policy)).preview(pack)

    assert not outcome.succeeded
    found = said(outcome)
    # Asked for tags by their keys, nobody is told about having none.
    assert set(LEVELS) - set(found) == {"untagged"}
    for name, told in found.items():
        severity = "error" if LEVELS[name] == "mandatory" else "warning"
        assert {one[0] for one in told} == {severity}, name
    for index, case in enumerate(BROKEN):
        mine = [text for _, name, text in found[case.rule] if name == f"{index}-{case.rule}"]
        assert [text.splitlines()[1][: len(case.told)] for text in mine] == [case.told]


@pytest.mark.engine
@pytest.mark.feature("C-17")
def test_a_program_that_keeps_every_rule_passes(engine, pack):
    kept = [one for one in declared(KEPT) if not one[0].endswith("open-cluster-api")]
    outcome = engine(Program(kept)).preview(pack)

    assert outcome.succeeded
    single = {case.rule for case in KEPT}
    for name, told in said(outcome).items():
        mine = [one for _, one, _ in told if one.endswith(name)]
        assert (name, mine) == (name, []) or name not in single


@pytest.mark.engine
@pytest.mark.feature("C-14")
def test_a_pool_without_a_limit_is_refused_at_any_budget_until_it_has_one(engine, pack):
    def pool(limits):
        requirements = [
            {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m5.large"]}
        ]
        spec = {**limits, "template": {"spec": {"requirements": requirements}}}
        # The prices are those of the AWS provider's region.
        resources = [("vpc", VPC, TAGS), ("pool", POOL, {"spec": spec})]
        return Program(resources, {"monthlyBudgetUsd": 100_000})

    refused = engine(pool({})).preview(pack)
    assert not refused.succeeded
    ((severity, _, text),) = said(refused)["over-budget"]
    assert severity == "error"
    assert "\npool has no limit, which no budget allows (100,000 USD a month): " in text
    allowed = engine(pool({"limits": {"cpu": "100"}})).preview(pack)
    assert (allowed.succeeded, said(allowed)) == (True, {})


@pytest.mark.engine
@pytest.mark.feature("C-17")
def test_an_exception_of_the_stack_file_lets_a_change_through_and_is_told(engine, pack):
    resources = [("api", CLUSTER, cluster({"publicAccessCidrs": ["0.0.0.0/0"]}) | TAGS)]
    excepted = {"open-cluster-api/api": WHY, "public-cluster-api": WHY, "unpinned-ami": WHY}
    outcome = engine(Program(resources, {"except": excepted})).preview(pack)

    assert outcome.succeeded
    assert sorted(text.splitlines()[1] for _, _, text in said(outcome)["exceptions"]) == [
        f"open-cluster-api/api covers 1 finding: {WHY}",
        f"public-cluster-api covers 1 finding: {WHY}",
        "unpinned-ami covers nothing any more: drop it from policy.except",
    ]
    assert set(said(outcome)) == {"exceptions"}


@pytest.mark.engine
@pytest.mark.feature("C-17")
def test_another_program_is_configured_by_pulumis_own_file(engine, pack, tmp_path):
    resources = [
        ("api", CLUSTER, cluster({"publicAccessCidrs": ["0.0.0.0/0"]}) | TAGS),
        ("bare", VPC, {}),
        ("tagged", VPC, TAGS),
    ]
    config = tmp_path / "rules.json"
    told = {
        "open-cluster-api": {"except": {"api": WHY}},
        "public-cluster-api": "disabled",
        "missing-tags": {"enforcementLevel": "advisory", "requiredTags": ["team"]},
        "untagged": "disabled",
    }
    config.write_text(json.dumps(told))
    outcome = engine(Program(resources)).preview(pack, f"--policy-pack-config={config}")

    assert outcome.succeeded
    assert [(severity, name) for severity, name, _ in said(outcome)["missing-tags"]] == [
        ("warning", "bare")
    ]
    assert set(said(outcome)) == {"missing-tags"}


@pytest.mark.engine
@pytest.mark.feature("C-17")
def test_what_a_preview_cannot_know_is_refused_before_it_is_made(engine, pack):
    resources = [("first", VPC, TAGS), ("wide", POLICY, {"policy": "WIDE"})]
    made = engine(Program(resources))

    assert made.preview(pack).succeeded
    with pytest.raises(EngineError) as error:
        made.up(pack)
    assert "wildcard-iam: " in str(error.value)
    assert "policy: statement made allows * on *: " in str(error.value)
    assert {one["urn"].rpartition("::")[2] for one in made.resources()} >= {"first"}
    assert "wide" not in {one["urn"].rpartition("::")[2] for one in made.resources()}
