import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.ec2 import offerings
from components.ec2.instance_labels import LABELS, LaunchableType
from components.ec2.instance_offerings import LaunchFacts, known_offerings
from components.ec2.instance_types import TypeFacts, known_types
from components.ec2.labels import ARCHITECTURE, CAPACITY_TYPE, FAMILY, SIZE
from components.ec2.offerings import Offerings, known_regions, matching, values_of

REGION = "eu-west-1"
AWS = "karpenter.k8s.aws/instance-"
ZONE, ZONE_ID = "topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"
# In an account where the letters happen to follow the numbers.
ZONES = {f"{REGION}{letter}": f"euw1-az{number}" for number, letter in enumerate("abc", start=1)}


def asks(key, operator, *values):
    """A requirement as the API takes it."""
    return {"key": key, "operator": operator, "values": list(values)}


def families(*names):
    """The requirement that picks them."""
    return asks(FAMILY, "In", *names)


def count(*requirements, labels=None, region=REGION, zones=ZONES):
    """How many types and offerings fit."""
    found = matching(requirements, labels or {}, region=region, zones=zones)
    assert len(found.types) == found.count
    return found.count, found.offerings


# Counted by Karpenter's AWS provider 1.14.1 itself, which was given the same answers of EC2: types
# as NewInstanceType makes them, of which Requirements.Intersects and IsCompatible leave these.
@pytest.mark.parametrize(
    ("requirements", "types", "offerings"),
    [
        ([families("m5")], 9, 54),
        ([families("m5", "m5a"), asks(CAPACITY_TYPE, "In", "spot")], 17, 51),
        ([families("m5", "t2"), asks(CAPACITY_TYPE, "NotIn", "on-demand")], 15, 45),
        ([families("m5", "c5"), asks(SIZE, "NotIn", "medium", "large", "metal")], 14, 84),
        (
            [families("m5", "c5"), asks(f"{AWS}cpu", "Gt", "4"), asks(f"{AWS}cpu", "Lte", "16")],
            4,
            24,
        ),
        (
            [
                families("m5", "c5", "r5"),
                asks(f"{AWS}memory", "Gte", "16384"),
                asks(f"{AWS}memory", "Lt", "65536"),
            ],
            6,
            36,
        ),
        ([families("t2", "m4"), asks(ZONE, "In", "eu-west-1a")], 13, 25),
        ([families("g4dn", "inf1"), asks(ZONE_ID, "NotIn", "euw1-az1")], 11, 44),
        ([families("g4dn", "m5", "p3"), asks(f"{AWS}gpu-count", "Exists")], 7, 42),
        ([families("g4dn", "m5"), asks(f"{AWS}gpu-name", "DoesNotExist")], 9, 54),
        ([families("g4dn", "m5"), asks(f"{AWS}gpu-name", "NotIn", "t4")], 9, 54),
        ([families("g4dn", "m5"), asks(f"{AWS}gpu-count", "Gt", "1")], 2, 12),
        (
            [
                families("g4dn", "m5"),
                asks(f"{AWS}gpu-count", "Gt", "1"),
                asks(f"{AWS}gpu-count", "NotIn", "9"),
            ],
            11,
            66,
        ),
        (
            [
                families("g4dn", "m5"),
                asks(f"{AWS}gpu-name", "In", "t4"),
                asks(f"{AWS}gpu-name", "In", "v100"),
            ],
            9,
            54,
        ),
        ([families("m5", "m5d", "c5"), asks(f"{AWS}hypervisor", "NotIn", "nitro")], 3, 18),
        ([families("m5", "m5d", "i3"), asks(f"{AWS}local-nvme", "Gt", "1000")], 9, 54),
        ([asks(f"{AWS}accelerator-name", "In", "inferentia")], 4, 24),
        ([asks(f"{AWS}category", "In", "inf"), asks(f"{AWS}generation", "Lt", "2")], 4, 24),
        ([families("m6g", "m5"), asks(ARCHITECTURE, "In", "arm64")], 9, 54),
        ([families("m5"), asks(f"{AWS}capability-flex", "In", "true")], 0, 0),
        ([families("m5"), asks("example.com/team", "In", "a")], 9, 54),
        ([families("m5", "t2"), asks(f"{AWS}ebs-bandwidth", "Exists")], 9, 54),
        ([families("m5"), asks("topology.kubernetes.io/region", "In", "us-east-1")], 0, 0),
        ([families("m5"), asks("kubernetes.io/os", "In", "linux")], 9, 54),
        ([families("m5"), asks("kubernetes.io/os", "DoesNotExist")], 0, 0),
        (
            [
                families("m5", "m5a", "c5"),
                asks(f"{AWS}cpu-manufacturer", "In", "amd"),
                asks(f"{AWS}cpu-sustained-clock-speed-mhz", "Lt", "3000"),
            ],
            8,
            48,
        ),
        (
            [families("m5", "m5n"), asks(f"{AWS}encryption-in-transit-supported", "In", "true")],
            8,
            48,
        ),
    ],
)
def test_as_many_fit_as_karpenter_itself_counts(requirements, types, offerings):
    assert count(*requirements) == (types, offerings)


def test_types_are_named_in_order():
    found = matching([families("m5a"), asks(f"{AWS}cpu", "Lte", "8")], region=REGION)

    assert found.types == ["m5a.2xlarge", "m5a.large", "m5a.xlarge"]
    assert (found.offerings, found.zones) == (18, 3)


@pytest.mark.parametrize(
    ("labels", "types"),
    [({FAMILY: "m5"}, 9), ({FAMILY: "t3"}, 0), ({"intent": "apps"}, 17), ({ZONE: "eu-west-1z"}, 0)],
)
def test_a_label_of_the_pool_is_a_requirement_too(labels, types):
    assert count(families("m5", "m5a"), labels=labels)[0] == types


# Six m4, in all three zones of the region, each as spot and on demand.
@pytest.mark.parametrize(
    ("zones", "offerings", "used"),
    [
        (None, 36, 3),
        (3, 36, 3),
        (2, 24, 2),
        (9, 36, 3),
        (["eu-west-1a", "eu-west-1c"], 24, 2),
        ({"eu-west-1a": "euw1-az3"}, 12, 1),
    ],
)
def test_offerings_are_counted_in_the_zones_that_nodes_may_be_in(zones, offerings, used):
    found = matching([families("m4")], region=REGION, zones=zones)

    assert (found.count, found.offerings, found.zones) == (6, offerings, used)


# Six a1, in euw1-az1 and euw1-az2 alone.
@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        (None, (6, 24)),
        ({"eu-west-1a": "euw1-az2", "eu-west-1b": "euw1-az3"}, (6, 12)),
        ({"eu-west-1a": "euw1-az3"}, (0, 0)),
        # Whichever two these are, there are not more; two of three may have been the right ones.
        (["eu-west-1a", "eu-west-1b"], (6, 24)),
        (1, (6, 12)),
    ],
)
def test_where_a_type_is_not_everywhere_the_ids_tell_and_names_give_the_most(zones, expected):
    assert count(asks(FAMILY, "In", "a1"), zones=zones) == expected


@pytest.mark.parametrize(
    ("requirement", "zones", "used"),
    [
        (asks(ZONE, "In", "eu-west-1a", "eu-west-1b"), None, 2),
        (asks(ZONE, "In", "eu-west-1a", "eu-west-1b"), 3, 2),
        (asks(ZONE, "In", "eu-west-1a", "eu-west-1b"), ["eu-west-1b", "eu-west-1c"], 1),
        (asks(ZONE, "In", "eu-central-1a"), None, 0),
        (asks(ZONE, "NotIn", "eu-west-1a"), None, 2),
        (asks(ZONE, "NotIn", "eu-central-1a"), 3, 3),
        (asks(ZONE, "NotIn", "eu-west-1a"), ["eu-west-1b", "eu-west-1c"], 2),
        (asks(ZONE, "Exists"), None, 3),
        (asks(ZONE, "DoesNotExist"), None, 0),
        (asks(ZONE, "Gt", "1"), None, 0),
        (asks(ZONE, "In", "eu-west-1b"), ZONES, 1),
        (asks(ZONE_ID, "In", "euw1-az1", "euw1-az2"), None, 2),
        (asks(ZONE_ID, "In", "euw1-az1", "euw1-az2"), 1, 1),
        (asks(ZONE_ID, "In", "use1-az1"), 3, 0),
        (asks(ZONE_ID, "NotIn", "euw1-az1"), ZONES, 2),
    ],
)
def test_a_pool_may_keep_to_zones(requirement, zones, used):
    found = matching([families("m4"), requirement], region=REGION, zones=zones)

    assert (found.zones, found.offerings) == (used, 12 * used)
    assert found.count == (6 if used else 0)


def test_reserved_capacity_is_nobodys_to_count():
    assert count(families("m5"), asks(CAPACITY_TYPE, "In", "reserved")) == (0, 0)


def test_windows_depends_on_the_node_class_and_leaves_all():
    assert count(families("m5"), asks("kubernetes.io/os", "In", "windows")) == (9, 54)


def test_a_region_that_the_list_has_not_is_refused():
    assert "mars-1" not in known_regions()

    with pytest.raises(KeyError):
        matching([], region="mars-1")


def test_every_key_of_a_type_has_a_label_of_text_or_none():
    found = matching([families("g4dn", "inf1", "i3", "t2")], region=REGION)

    for key in LABELS:
        assert all(isinstance(value, str) for value in values_of(key, found.types))
    assert values_of(f"{AWS}gpu-name", found.types) == {"t4"}
    assert values_of(FAMILY, found.types) == {"g4dn", "inf1", "i3", "t2"}


@pytest.mark.parametrize(
    ("name", "category", "generation", "size", "flex"),
    [
        ("m5.large", "m", "5", "large", "false"),
        ("c7i-flex.2xlarge", "c", "7", "2xlarge", "true"),
        ("u-6tb1.112xlarge", "u", "1", "112xlarge", "false"),
        ("u7i-12tb.224xlarge", "u", "7", "224xlarge", "false"),
        ("hpc7g.4xlarge", "hpc", "7", "4xlarge", "false"),
        ("m5.metal", "m", "5", "metal", "false"),
        ("im4gn.large", "im", "4", "large", "false"),
    ],
)
def test_what_a_name_says_are_labels_too(name, category, generation, size, flex):
    each = LaunchableType(name, TypeFacts(2, 8192, "x86_64"), LaunchFacts("spot"))

    told = [LABELS[f"{AWS}{key}"](each) for key in ("category", "generation", "size")]
    assert told == [category, generation, size]
    assert LABELS[f"{AWS}capability-flex"](each) == flex
    assert LABELS[f"{AWS}hypervisor"](each) == ""
    assert LABELS[f"{AWS}gpu-count"](each) is None


VALUES = {
    FAMILY: ["m5", "m5a", "c5", "g4dn", "inf1", "t2", "nope"],
    SIZE: ["large", "xlarge", "metal", "2xlarge"],
    ARCHITECTURE: ["amd64", "arm64"],
    CAPACITY_TYPE: ["spot", "on-demand", "reserved"],
    ZONE: [*ZONES],
    ZONE_ID: [*ZONES.values()],
    f"{AWS}gpu-count": ["1", "4", "8"],
    f"{AWS}cpu": ["2", "8", "96"],
    f"{AWS}local-nvme": ["75", "900"],
    "example.com/team": ["a"],
}
KEYS = st.sampled_from([*VALUES])


@st.composite
def requirements(draw):
    """One, on any of the keys."""
    key = draw(KEYS)
    operator = draw(st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lte"]))
    some = draw(st.lists(st.sampled_from(VALUES[key]), min_size=1, max_size=3, unique=True))
    values = {"Gt": ["4"], "Lte": ["8"], "In": some, "NotIn": some}
    return asks(key, operator, *values.get(operator, []))


PLACES = st.sampled_from([None, 2, ["eu-west-1a", "eu-west-1b"], ZONES])


@settings(max_examples=60)
@given(st.lists(requirements(), max_size=4, unique_by=lambda each: each["key"]), PLACES)
def test_a_requirement_of_another_key_never_adds_a_match(asked, zones):
    for index in range(len(asked)):
        without = matching(asked[:index], region=REGION, zones=zones)
        with_it = matching(asked[: index + 1], region=REGION, zones=zones)

        assert set(with_it.types) <= set(without.types)
        assert with_it.offerings <= without.offerings


@settings(max_examples=60)
@given(st.lists(requirements(), max_size=3), KEYS, st.data())
def test_in_and_not_in_part_what_there_is(asked, key, data):
    asked = [each for each in asked if each["key"] != key]
    values = data.draw(st.lists(st.sampled_from(VALUES[key]), min_size=1, unique=True))
    whole, inside, outside = (
        matching([*asked, *more], region=REGION, zones=ZONES)
        for more in ([], [asks(key, "In", *values)], [asks(key, "NotIn", *values)])
    )

    assert set(inside.types) | set(outside.types) == set(whole.types)
    if key not in LABELS:
        return  # a type is offered in several zones, and of its user's keys a type says nothing
    assert set(inside.types).isdisjoint(outside.types)
    assert inside.offerings + outside.offerings == whole.offerings


def test_twenty_pools_are_counted_and_the_lists_read_once():
    asked = [asks(CAPACITY_TYPE, "In", "spot"), asks(SIZE, "NotIn", "nano", "micro", "large")]
    lists = (known_types, known_offerings, offerings._market)
    for each in lists:
        each.cache_clear()

    for number in range(20):
        assert isinstance(
            matching([*asked, asks(f"{AWS}cpu", "Gt", str(number))], region=REGION), Offerings
        )

    # Each takes milliseconds to read.
    assert [each.cache_info().misses for each in lists] == [1, 1, 1]
