from ipaddress import IPv4Network, collapse_addresses
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.network.subnets import LARGEST, SMALLEST, subnet_plan

ZONES = st.integers(2, 4)
SMALLEST_VPC = {2: 23, 3: 23, 4: 22}


@st.composite
def vpcs(draw, smallest=SMALLEST):
    prefix = draw(st.integers(LARGEST, smallest))
    number = draw(st.integers(0, 2**prefix - 1))
    return IPv4Network((number << (32 - prefix), prefix))


@st.composite
def plans(draw):
    zones = draw(ZONES)
    cidr = draw(vpcs(SMALLEST_VPC[zones]))
    return cidr, zones, subnet_plan(cidr, zones)


@given(plans())
def test_no_two_subnets_overlap(planned):
    _, _, plan = planned

    subnets = [*plan.private, *plan.public]
    assert not [pair for pair in combinations(subnets, 2) if pair[0].overlaps(pair[1])]


@given(plans())
def test_every_subnet_lies_inside_the_vpc(planned):
    cidr, _, plan = planned

    assert all(subnet.subnet_of(cidr) for subnet in (*plan.private, *plan.public))


@given(plans())
def test_each_zone_has_a_private_and_a_public_subnet_in_the_order_of_the_zones(planned):
    _, zones, plan = planned

    assert (len(plan.private), len(plan.public)) == (zones, zones)
    subnets = [*plan.private, *plan.public]
    assert all(one.network_address < two.network_address for one, two in pairwise(subnets))


@given(vpcs(22), ZONES, ZONES, ZONES)
@pytest.mark.behaviour("subnet-cidr-conflict")
def test_a_zone_that_comes_or_goes_moves_no_other_subnet(cidr, planned, fewer, more):
    fewer, more = sorted((fewer, more))
    before, after = (subnet_plan(cidr, zones, planned) for zones in (fewer, more))

    assert after.private[:fewer] == before.private
    assert after.public[:fewer] == before.public
    subnets = [*after.private, *after.public]
    assert all(subnet.subnet_of(cidr) for subnet in subnets)
    assert not [pair for pair in combinations(subnets, 2) if pair[0].overlaps(pair[1])]


def test_a_network_of_two_or_three_zones_gives_a_fourth_half_as_much():
    cidr = IPv4Network("10.20.0.0/16")

    fourth = {planned: str(subnet_plan(cidr, 4, planned).private[3]) for planned in (2, 3, 4)}
    assert fourth == {2: "10.20.160.0/19", 3: "10.20.224.0/19", 4: "10.20.96.0/19"}


def test_more_zones_than_the_layout_has_room_for_are_refused():
    with pytest.raises(ValueError, match=r"for 3 zones has room for 4, not for 5$"):
        subnet_plan(IPv4Network("10.20.0.0/16"), 5, 3)


@given(plans())
def test_private_subnets_share_at_least_half_of_the_vpc_and_public_ones_are_an_eighth(planned):
    cidr, _, plan = planned

    (private,) = {subnet.prefixlen for subnet in plan.private}
    (public,) = {subnet.prefixlen for subnet in plan.public}
    assert public == private + 3
    assert public <= SMALLEST
    assert sum(subnet.num_addresses for subnet in plan.private) * 2 >= cidr.num_addresses


@given(plans())
def test_the_end_of_the_vpc_stays_free_for_what_comes_later(planned):
    cidr, _, plan = planned

    free = [cidr]
    for subnet in (*plan.private, *plan.public):
        free = [
            rest
            for block in free
            for rest in (block.address_exclude(subnet) if subnet.subnet_of(block) else [block])
        ]
    room = max(collapse_addresses(free), key=lambda block: block.num_addresses)
    assert room.broadcast_address == cidr.broadcast_address
    assert room.num_addresses * 2 >= plan.private[0].num_addresses


@given(vpcs(), ZONES)
def test_a_vpc_is_refused_only_where_the_next_larger_one_is_advised_and_enough(cidr, zones):
    if cidr.prefixlen <= SMALLEST_VPC[zones]:
        subnet_plan(cidr, zones)
        return

    with pytest.raises(ValueError, match=f"; give /{SMALLEST_VPC[zones]} or larger$"):
        subnet_plan(cidr, zones)


def test_a_vpc_that_is_too_small_is_refused_with_the_sizes_that_it_would_give():
    with pytest.raises(ValueError, match="too small") as refused:
        subnet_plan(IPv4Network("10.0.0.0/24"), 3)

    assert str(refused.value) == (
        "/24 is too small for 3 zones: private subnets would be /26 and public ones /29, "
        "AWS allows /28 at the smallest; give /23 or larger"
    )


def test_a_plan_as_the_shipped_stack_gets_it():
    plan = subnet_plan(IPv4Network("10.20.0.0/16"), 3)

    assert [str(subnet) for subnet in plan.private] == [
        "10.20.0.0/18",
        "10.20.64.0/18",
        "10.20.128.0/18",
    ]
    assert [str(subnet) for subnet in plan.public] == [
        "10.20.192.0/21",
        "10.20.200.0/21",
        "10.20.208.0/21",
    ]
