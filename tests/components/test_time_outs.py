"""Time-outs that the program asks for, held against those that the real provider knows."""

import pytest

from tests.provider_facts import facts


@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_each_time_out_that_is_asked_for_is_one_that_reaches_the_provider(
    platform, stack_file, stack
):
    nothing = dict.fromkeys(stack_file("nodeless"))
    sections = {**nothing, **stack_file(stack)}
    built = platform({key.removeprefix("frugal-eks:"): v for key, v in sections.items()})

    asked = [
        (each.request.type, operation.name)
        for each in built.declared
        for operation, _ in each.request.customTimeouts.ListFields()
        if each.request.type in facts()
    ]
    unheard = [
        (token, operation)
        for token, operation in asked
        if not facts()[token]["timeouts"].get(operation, {}).get("user_can_set")
    ]
    assert unheard == []
    assert stack != "spot" or ("aws:autoscaling/group:Group", "delete") in asked
