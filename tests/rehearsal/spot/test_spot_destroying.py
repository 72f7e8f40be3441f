"""The destroy of the spot stack."""

import pytest

from frugal_eks.errors import CommandError

pytestmark = pytest.mark.engine


def step(outcome, type_end, part):
    (found,) = [
        s for s in outcome.steps if s.custom and s.type.endswith(type_end) and part in s.name
    ]
    return found


@pytest.mark.feature("A0-35")
@pytest.mark.behaviour("asg-delete-waits-for-hooks")
def test_the_group_goes_while_its_handler_lives(life):
    group = step(life.destroy, ":Group", "ng-spot")
    handler = step(life.destroy, ":Release", "node-termination-handler")
    cni = step(life.destroy, ":Addon", "vpc-cni")
    entry = step(life.destroy, ":AccessEntry", "ng-spot")

    assert group.finished <= handler.started
    assert group.finished <= cni.started
    assert group.finished <= entry.started


@pytest.mark.feature("A0-34", "C-03")
def test_nothing_is_left(life):
    assert life.destroy.succeeded
    assert life.left == []


@pytest.mark.feature("C-03")
def test_a_sweep_refuses_while_the_cluster_is_there_and_finds_its_log_group_after_it(life):
    assert life.swept_before.exit_code == CommandError.code
    assert "spot" in life.swept_before.told
    # EKS has made the log group again (behaviour log-group-comes-back-after-cluster-delete).
    assert "/aws/eks/spot/cluster" in life.swept_after.told
    assert "1 of cluster spot" in life.swept_after.told
