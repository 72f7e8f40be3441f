"""What of the stack file reaches the policy pack."""

import pytest

from frugal_eks.plans.policy.enforcing import PLATFORM, section
from frugal_eks.plans.policy.rule import Settings

WHY = "no VPN until March"


@pytest.mark.feature("C-17")
def test_the_pack_sees_the_section_as_an_input_of_the_platform(platform):
    policy = {"except": {"untagged": WHY}, "monthlyBudgetUsd": 500}
    (one,) = platform({"policy": policy}).every(PLATFORM)

    assert one.inputs == {"policy": policy}
    assert section(one.inputs["policy"]) == Settings(
        exceptions={"untagged": WHY}, monthly_budget_usd=500.0
    )


def test_a_platform_without_the_section_has_no_inputs(platform):
    (one,) = platform().every(PLATFORM)

    assert one.inputs == {}
