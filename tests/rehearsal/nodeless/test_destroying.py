"""A destroy takes everything along, each thing while there is still somebody to remove it."""

import pytest

from rehearsal.controllers import external_dns, load_balancer_controller
from tests.rehearsal.nodeless.stage import follow, of_type, one

pytestmark = pytest.mark.engine

CONTROLLERS = (load_balancer_controller.NAME, external_dns.NAME)


@pytest.mark.feature("C-02")
@pytest.mark.behaviour("karpenter-finalizer-blocks-delete", "karpenter-instances-left")
def test_pools_are_drained_while_their_controller_lives(end):
    assert end.glimpses[0].claims > 0
    assert [g for g in end.glimpses if g.claims and not g.karpenter] == []
    assert (end.glimpses[-1].claims, end.glimpses[-1].karpenter) == (0, False)


@pytest.mark.feature("B-43", "C-22")
def test_load_balancer_and_record_go_while_their_controllers_live(end):
    def missing(glimpse) -> set[str]:
        return set(CONTROLLERS) - glimpse.controllers

    first, last = end.glimpses[0], end.glimpses[-1]
    assert first.balancers == 1
    assert "kubeopsview.example.com" in first.records
    assert (last.balancers, last.records, last.service) == (0, frozenset(), False)
    assert last.controllers == frozenset()
    held = [g for g in end.glimpses if g.balancers or g.records or g.service]
    assert [missing(glimpse) for glimpse in held] == [set()] * len(held)
    # The record first: its owner can only write while it knows of the Service.
    assert [g for g in end.glimpses if g.records and not g.service] == []


@pytest.mark.feature("B-43", "C-22")
def test_what_owns_load_balancers_and_records_outlives_them(end):
    name = one(end.destroy, "ServicePatch")
    page = one(end.destroy, "core/v1:Service", "kube-ops-view-internal")
    way_in = one(end.destroy, "OpenIdConnectProvider")
    profile = one(end.destroy, "FargateProfile", "kube-system")
    control_plane = one(end.destroy, "eks/cluster:Cluster")

    assert follow(name, page)
    for controller in CONTROLLERS:
        release = one(end.destroy, "Release", controller)
        rights = one(end.destroy, "RolePolicy", controller)
        role = one(end.destroy, "Role", controller)
        assert follow(page, release, rights, role)
        assert follow(release, way_in)
        assert follow(release, profile, control_plane)


@pytest.mark.feature("C-02", "C-18", "B-43")
def test_the_stack_is_destroyed_in_the_order_that_it_needs(end):
    pool, node_class = one(end.destroy, "NodePool"), one(end.destroy, "EC2NodeClass")
    releases = of_type(end.destroy, "Release", "karpenter")
    crds, controller = (
        next(r for r in releases if ("crd" in r.name) == is_crd) for is_crd in (True, False)
    )
    profile = one(end.destroy, "FargateProfile", "karpenter")
    control_plane = one(end.destroy, "eks/cluster:Cluster")

    for workload in of_type(end.destroy, "apps/v1:Deployment"):
        assert follow(workload, pool, node_class, controller, profile, control_plane)
    assert follow(controller, crds)
    for kind, name in {
        "NatGateway": "network",
        "Route": "network",
        "RolePolicyAttachment": "karpenter",
        "Queue": "karpenter",
    }.items():
        needed = of_type(end.destroy, kind, name)
        assert [follow(pool, step) for step in needed] == [True] * len(needed), kind
        assert needed


@pytest.mark.feature("C-22")
@pytest.mark.behaviour("karpenter-instance-profile-left")
def test_nothing_is_left(end):
    assert end.left == []
    assert end.record_types == {"NS", "SOA"}
