"""A destroy drains in its time, and can be killed and run again."""

import pytest

from tests.rehearsal.nodeless.stage import follow, of_type, one

pytestmark = pytest.mark.engine


@pytest.mark.feature("C-24")
def test_a_disruption_budget_holds_a_destroy_no_longer_than_the_limit(rules):
    ended = rules.ended

    assert ended.destroy.succeeded
    assert ended.bypassed.keys() == ended.pods
    assert all("bypasses the PDB" in told for told in ended.bypassed.values())


@pytest.mark.feature("C-02")
def test_a_destroy_that_was_killed_in_the_midst_of_a_drain_ends_clean_when_run_again(rules):
    ended = rules.ended

    assert ended.draining
    finalizers = [node["metadata"]["finalizers"] for node in ended.draining]
    assert all("karpenter.sh/termination" in each for each in finalizers)
    # Neither a node, a claim nor an instance profile, and no finalizer that waits for anybody.
    assert ended.left == []


@pytest.mark.feature("C-02")
def test_the_controller_and_its_nodes_outlive_the_pools(rules):
    glimpses = rules.ended.glimpses

    assert glimpses[0].claims > 0
    held = [seen for seen in glimpses if seen.claims]
    assert all(seen.karpenter and seen.base for seen in held)
    assert (glimpses[-1].claims, glimpses[-1].karpenter, glimpses[-1].base) == (0, False, 0)
    node_class, group = (
        one(rules.ended.destroy, "EC2NodeClass"),
        of_type(rules.ended.destroy, "eks/nodeGroup:NodeGroup"),
    )
    assert [follow(node_class, each) for each in group] == [True]
