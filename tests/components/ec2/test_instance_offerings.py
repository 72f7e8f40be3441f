import pytest

import stack_config
from components.ec2.instance_offerings import FILE, Region, known_offerings, read, zone_number
from components.ec2.instance_types import known_types

LONGEST = 400_000


def zones_of(name, region):
    """The ids of the zones that offer a type."""
    found = known_offerings().offered(region)
    return next((ids for ids, names in found.items() if name in names), ())


@pytest.mark.parametrize(
    ("name", "region", "zones"),
    [
        ("m5.large", "eu-west-1", ("euw1-az1", "euw1-az2", "euw1-az3")),
        # EKS has nothing in use1-az3, and neither has EC2 an m5 there.
        ("m5.large", "us-east-1", ("use1-az1", "use1-az2", "use1-az4", "use1-az5", "use1-az6")),
        # euw1 is no beginning of euw12, nor of use1.
        ("a1.large", "us-west-1", ()),
        ("m5.large", "us-west-1", ("usw1-az1", "usw1-az3")),
    ],
)
def test_the_list_says_in_which_zones_a_type_is_offered(name, region, zones):
    assert zones_of(name, region) == zones


def test_a_type_is_in_one_place_of_a_region():
    found = known_offerings().offered("eu-west-1")

    names = [name for each in found.values() for name in each]
    assert len(names) == len(set(names))
    assert {zone for ids in found for zone in ids} == {"euw1-az1", "euw1-az2", "euw1-az3"}


def test_a_region_that_was_never_asked_has_no_list():
    with pytest.raises(KeyError):
        known_offerings().offered("mars-1")


def test_regions_of_alike_names_are_not_mixed_up():
    text = (
        '{"origin":"","regions":{"a-1":["a1",""],"aa-1":["aa1",""],"a-11":["a11",""]},'
        '"types":{"m5.large":["aa1:4 a11:23 a1:1","spot"],"m4.large":["aa1:4","spot"]}}'
    )

    assert read(text).offered("a-1") == {("a1-az1",): ["m5.large"]}
    assert read(text).offered("aa-1") == {("aa1-az4",): ["m5.large", "m4.large"]}
    assert read(text).offered("a-11") == {("a11-az2", "a11-az3"): ["m5.large"]}


def test_the_list_that_ships_is_of_the_same_types_and_says_when_it_was_asked():
    known = known_offerings()

    assert known.origin
    assert known.regions["eu-west-1"] == Region("euw1", known.regions["eu-west-1"].date)
    assert all(region.date for region in known.regions.values())
    nodes = {n for n, f in known_types().types.items() if f.architecture in {"x86_64", "arm64"}}
    assert known.types.keys() <= nodes
    # All but those of paravirtual machines alone, of which there are none left.
    assert nodes - known.types.keys() == set()


def test_it_stays_a_small_part_of_the_program():
    assert FILE.stat().st_size < LONGEST


def test_a_stack_without_pools_does_not_read_it(stack_file):
    known_offerings.cache_clear()
    stack_config.parsed({k.removeprefix("frugal-eks:"): v for k, v in stack_file("spot").items()})

    assert known_offerings.cache_info().currsize == 0


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("euw1-az1", ("euw1", "1")),
        ("use1-bos1-az1", None),
        ("use1-wl1-bos-wlz1", None),
        ("eu-west-1a", None),
    ],
)
def test_only_a_regions_own_zones_have_a_number(zone, told):
    assert zone_number(zone) == told
