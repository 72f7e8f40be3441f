"""The section `policy` of a stack file."""

import pytest

import stack_config
from stack_config import mistakes
from stack_config.policy import PolicyConfig

WHY = "no VPN until March"


@pytest.fixture
def parsed(stack_file):
    """The stack file `nodeless` with a section `policy`, or the mistakes in it."""

    def parse(policy, **more):
        shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
        return stack_config.parsed(shipped | {"policy": policy} | more)

    return parse


@pytest.mark.feature("C-17")
@pytest.mark.parametrize(
    ("policy", "lines"),
    [
        (
            {"except": {"public-cluster-apis": WHY}},
            [
                "policy.except.public-cluster-apis: no rule is called public-cluster-apis: did you "
                "mean public-cluster-api?"
            ],
        ),
        (
            {"except": {"everything/at-all": WHY}},
            [
                "policy.except.everything/at-all: no rule is called everything: docs/policy.md "
                "lists them"
            ],
        ),
        (
            {"except": {"untagged": " ", "unpinned-image/": WHY}},
            [
                'policy.except.untagged: say why, for whoever looks at it in a year (got " ")',
                "policy.except.unpinned-image/: name the resource after the /, or drop the /",
            ],
        ),
        (
            {"minSpotShare": 50},
            ["policy.minSpotShare: Input should be less than or equal to 1: lower it (got 50)"],
        ),
        (
            {"monthlyBudgetUsd": 0},
            ["policy.monthlyBudgetUsd: Input should be greater than 0: raise it (got 0)"],
        ),
        (
            {"requiredTags": ["aws:team"]},
            [
                "policy.requiredTags[0]: keys that begin with aws: are AWS's own: choose another "
                '(got "aws:team")'
            ],
        ),
        ({"budget": 5}, ["policy.budget: unknown key: correct or drop it (got 5)"]),
    ],
)
def test_a_mistake_is_told_with_the_others_of_the_stack_file(parsed, policy, lines):
    told = [mistakes.line(one).strip() for one in parsed(policy, typo=1)]

    assert [line for line in told if line.startswith("policy")] == lines
    assert any(line.startswith("typo") for line in told)


def test_a_section_with_all_of_it_is_taken(parsed):
    policy = {
        "except": {"public-cluster-api": WHY, "unpinned-image/web-*": WHY},
        "requiredTags": ["team"],
        "minSpotShare": 0.5,
        "monthlyBudgetUsd": 500,
    }
    config = parsed(policy)

    assert isinstance(config, stack_config.StackConfig)
    assert config.policy == PolicyConfig.model_validate(policy)
