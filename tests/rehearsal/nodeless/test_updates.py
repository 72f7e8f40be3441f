"""A change of the stack file changes what it must, in place wherever that is possible."""

import pytest

from tests.rehearsal.nodeless.stage import changed, follow, one

pytestmark = pytest.mark.engine


def test_a_limit_of_a_pool_is_changed_in_place(updates):
    pools = [(s.op, s.type) for s in updates.limit.steps if s.op != "same" and s.custom]

    assert pools == [("update", "kubernetes:karpenter.sh/v1:NodePool")]
    assert updates.limits_after["cpu"] in {500, "500"}
    assert updates.preview_after.is_empty


def test_a_selector_of_a_fargate_profile_replaces_the_profile(updates):
    ops = [(s.op, s.type.rpartition(":")[2]) for s in updates.selector.steps if s.op != "same"]

    assert ("replace", "FargateProfile") in ops
    # CoreDNS's pods name the profile: they move to the new one before the old one goes.
    assert ("update", "Addon") in ops
    assert {kind for _, kind in ops} == {"FargateProfile", "Addon"}


@pytest.mark.feature("B-01", "B-45")
def test_a_change_of_the_control_plane_touches_nothing_that_stands_on_it(updates):
    assert changed(updates.endpoint) == {("update", "cluster-eksCluster")}


@pytest.mark.feature("A2-65")
def test_a_newer_kubernetes_is_an_update_in_place(second):
    upgraded = second.upgraded
    in_place = {("update", name) for name in ("cluster-eksCluster", "kube-proxy", "coredns")}

    # The class is what this stack file asks for besides.
    assert changed(upgraded.preview) == in_place | {("create", "overprovisioning-default")}
    assert changed(upgraded.up) == changed(upgraded.preview)
    assert upgraded.served == "1.36"
    control_plane = one(upgraded.up, "eks/cluster:Cluster")
    assert follow(control_plane, one(upgraded.up, "Addon", "kube-proxy"))
    assert follow(control_plane, one(upgraded.up, "Addon", "coredns"))


@pytest.mark.feature("A2-65")
def test_karpenters_nodes_follow_a_newer_kubernetes_by_themselves(second):
    upgraded = second.upgraded
    images = set(upgraded.new.values())

    assert upgraded.old
    assert upgraded.new.keys().isdisjoint(upgraded.old)
    assert images.isdisjoint(upgraded.old.values())
    assert ["-1.36-" in upgraded.names[image] for image in images] == [True] * len(images)
    assert "Disrupting Node: Drifted" in upgraded.said
    assert upgraded.hosts <= upgraded.nodes
