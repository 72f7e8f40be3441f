"""Keys that are taken away and put back, a guest on the cluster, and the end."""

import pytest

from tests.rehearsal.variants.west import REALLY_OFF, TAKEN_AWAY, done, of, urns

pytestmark = pytest.mark.engine


@pytest.mark.feature("B-09", "C-15")
def test_gateways_take_the_nat_instance_s_place_without_a_new_route(west):
    outcome = west.gateways
    by_op = {(s.op, s.type.rpartition(":")[2]) for s in outcome.steps if s.op != "same"}

    assert outcome.succeeded
    assert {kind for op, kind in by_op if op == "create"} == {"Eip", "NatGateway"}
    assert {kind for op, kind in by_op if op == "update"} == {"Route"}
    deleted = {s.urn for s in outcome.steps if s.op == "delete"}
    inside = "frugal-eks:index:NatInstance"
    assert deleted == {r["urn"] for r in west.resources if inside in r["urn"]}
    assert sum(s.type.endswith("NatGateway") for s in outcome.steps) == 2  # noqa: PLR2004


@pytest.mark.parametrize("key", TAKEN_AWAY)
def test_taking_a_key_away_deletes_its_resources_and_touches_nothing_else(west, key):
    component = TAKEN_AWAY[key]

    assert done(west.previews[key]) == {("delete", component)}
    assert urns(west.previews[key]) == of(west.resources, component)


def test_add_ons_are_taken_away_and_put_back_alone(west):
    components = REALLY_OFF.values()

    assert done(west.off) == {("delete", one) for one in components}
    assert done(west.on) == {("create", one) for one in components}
    assert urns(west.off) == urns(west.on) == of(west.resources, *components)


@pytest.mark.feature("A0-09")
def test_a_spot_group_and_an_add_on_join_a_cluster_of_somebody_else(west):
    spot = [n for n in west.guest_nodes if n["metadata"]["labels"].get("lifecycle") == "Ec2Spot"]
    made = {step.type for step in west.guest_up.steps if step.op == "create"}

    assert len(spot) == 1
    assert {"aws:eks/nodeGroup:NodeGroup", "kubernetes:helm.sh/v3:Release"} <= made
    assert not made & {"aws:eks/cluster:Cluster", "eks:index:Cluster", "aws:eks/addon:Addon"}


@pytest.mark.feature("A0-09")
def test_the_cluster_s_own_stack_does_not_notice_its_guest(west):
    assert west.beside_guest.is_empty, done(west.beside_guest)
    assert done(west.guest_destroy)
    # It is put back and taken down as before, too.
    assert west.on.succeeded
    assert west.destroy.succeeded


def test_nothing_is_left(west):
    assert west.left == []


@pytest.mark.feature("C-11")
def test_the_account_keeps_its_role_for_spot_requests(west):
    assert west.service_roles == ["AWSServiceRoleForEC2Spot"]
