"""What a killed `up` left in AWS beside the stack's state, and who removes it."""

import re

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.feature("C-03")]


def kinds(ids: set[str]) -> list[str]:
    """What AWS calls the kind of each id."""
    return sorted(
        kind for id in ids for kind in re.findall(r"(nat|eipalloc|oidc-provider)[-/]", id)
    )


@pytest.mark.behaviour("pulumi-interrupted-pending-create")
def test_the_sweep_lists_exactly_what_the_state_does_not_know(broken):
    lost = broken.before - broken.known
    assert kinds(lost) == ["eipalloc", "nat", "oidc-provider"]
    assert kinds(broken.known) == ["eipalloc", "eipalloc", "nat"]

    rows = [line for line in broken.listed.stdout.splitlines() if "removed with --yes" in line]
    assert len(rows) == len(lost), broken.listed
    for id in lost:
        assert sum(f" {id.rpartition(':')[2]} " in row for row in rows) == 1, broken.listed.stdout
    assert "3 of cluster broken" in broken.listed.stdout
    assert broken.listed.returncode == 1


@pytest.mark.behaviour("pulumi-interrupted-pending-create")
def test_the_sweep_removes_it_and_nothing_else_while_the_cluster_lives(broken):
    assert broken.swept.returncode == 0, broken.swept
    assert "Nothing of cluster broken" in broken.swept.stdout
    assert broken.after == broken.known


def test_then_the_stack_recovers_and_a_destroy_leaves_nothing(broken):
    lock, state = broken.recovered

    assert lock.startswith("released the lock of process")
    assert state.count("creating aws:") == len(broken.before - broken.known)
    assert broken.destroy.succeeded, broken.destroy.diagnostics()
    assert broken.left == []
