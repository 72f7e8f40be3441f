"""Each rule of single resources, on what breaks it and on what keeps it."""

import pytest

from frugal_eks.plans.policy.rule import ResourceRule
from frugal_eks.plans.policy.rules import IN_THE_PACK, RULES
from frugal_eks.plans.previews import SECRET, UNKNOWN
from stack_config.policy import RULES as NAMES
from tests.frugal_eks.plans.policy.broken import BROKEN
from tests.frugal_eks.plans.policy.cases import (
    CLUSTER,
    KEPT,
    LAUNCH_TEMPLATE,
    POLICY,
    RELEASE,
    cluster,
)
from tests.frugal_eks.plans.policy.programs import BY_NAME, resource, told


@pytest.mark.feature("C-17")
@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.rule}: {case.told}")
def test_what_breaks_a_rule_is_told_with_path_value_and_remedy(case):
    texts = told(case.rule, resource(case.type, case.inputs))

    assert [text[: len(case.told)] for text in texts] == [case.told]
    assert texts[0].endswith(f": {BY_NAME[case.rule].remedy}.")


@pytest.mark.feature("C-17")
@pytest.mark.parametrize("case", KEPT, ids=lambda case: f"{case.rule}: {case.type}")
def test_what_keeps_a_rule_is_not_told(case):
    assert told(case.rule, resource(case.type, case.inputs)) == []


def test_every_rule_of_single_resources_has_both_kinds_of_cases():
    single = {rule.name for rule in IN_THE_PACK if isinstance(rule, ResourceRule)}

    assert single - {"missing-tags"} == {case.rule for case in BROKEN}
    assert single - {"missing-tags"} == {case.rule for case in KEPT}


def test_the_stack_file_knows_every_rule_and_no_other():
    assert sorted(NAMES) == sorted(rule.name for rule in RULES)


@pytest.mark.parametrize("hidden", [UNKNOWN, SECRET])
@pytest.mark.parametrize(
    ("rule", "type_token", "inputs"),
    [
        ("open-cluster-api", CLUSTER, lambda value: cluster({"publicAccessCidrs": value})),
        ("open-cluster-api", CLUSTER, cluster),
        ("public-cluster-api", CLUSTER, lambda v: cluster({"endpointPublicAccess": v})),
        ("wildcard-iam", POLICY, lambda value: {"policy": value}),
        ("unencrypted-volume", "aws:ebs/volume:Volume", lambda value: {"encrypted": value}),
        ("unencrypted-volume", LAUNCH_TEMPLATE, lambda value: {"blockDeviceMappings": value}),
        ("deletion-protection", CLUSTER, lambda value: cluster(deletionProtection=value)),
        ("unpinned-chart", RELEASE, lambda value: {"chart": "x", "version": value}),
        ("missing-tags", "aws:ec2/vpc:Vpc", lambda value: {"tags": value}),
    ],
)
def test_nothing_is_found_in_what_is_not_known_yet(rule, type_token, inputs, hidden):
    assert told(rule, resource(type_token, inputs(hidden)), required_tags=("team",)) == []


def test_a_protected_resource_needs_no_deletion_protection():
    one = resource(CLUSTER, cluster(deletionProtection=False), protect=True)

    assert told("deletion-protection", one) == []
