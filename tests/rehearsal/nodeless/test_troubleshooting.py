"""The commands of docs/troubleshooting.md do what the page says, in the trouble it speaks of."""

import re

import pytest

from tests.rehearsal.nodeless.stage import one

pytestmark = pytest.mark.engine


@pytest.mark.feature("A2-32")
def test_coredns_that_waits_for_nodes_is_moved_to_fargate(second):
    assert second.stuck.hosts == [None, None]
    assert 'deployment "coredns" successfully rolled out' in second.stuck.told
    assert second.stuck.places == ["fargate", "fargate"]


@pytest.mark.feature("C-24")
def test_a_disruption_budget_cannot_hold_a_destroy_for_ever(second):
    held = second.held

    assert held.destroy.succeeded
    assert held.bypassed.keys() == held.pods
    assert all("bypasses the PDB" in told for told in held.bypassed.values())
    # It did wait for the limit, which begins when the pool goes.
    assert one(held.destroy, "NodePool").seconds > 10  # noqa: PLR2004
    assert held.left == []


@pytest.mark.feature("C-24")
def test_while_a_drain_waits_the_pod_the_budget_and_the_limit_are_told(second):
    told = second.held.told

    assert re.search(r"All pods will be deleted by 20\d\d-", told)
    for pod in second.held.pods:
        assert re.search(rf'"{pod}".* it would violate the pod\'s disruption budget', told), told
    assert re.search(r"(?m)^default +nobody-goes +0$", told), told
