"""Requirements: short forms and defaults written out, and the user's own beside them."""

import pytest

from components.karpenter.requirements import MOST
from tests.components.karpenter.node_pools.node_pool import config, required, spec, told

ARCH, OS = "kubernetes.io/arch", "kubernetes.io/os"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
CATEGORY = "karpenter.k8s.aws/instance-category"
FAMILY = "karpenter.k8s.aws/instance-family"
GENERATION = "karpenter.k8s.aws/instance-generation"
SIZE = "karpenter.k8s.aws/instance-size"


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        ({"capacityTypes": ["spot"]}, (CAPACITY_TYPE, "In", ["spot"])),
        ({"architectures": ["arm64", "amd64"]}, (ARCH, "In", ["arm64", "amd64"])),
        ({"instanceCategories": ["g", "inf"]}, (CATEGORY, "In", ["g", "inf"])),
        ({"minGeneration": 6}, (GENERATION, "Gte", ["6"])),
        ({"excludeSizes": ["nano", "metal-24xl"]}, (SIZE, "NotIn", ["nano", "metal-24xl"])),
    ],
)
def test_a_short_form_becomes_the_requirement_that_it_stands_for(short, expected):
    key, operator, values = expected

    assert required(**short)[key] == {"key": key, "operator": operator, "values": values}


@pytest.mark.parametrize(
    ("short", "own", "values"),
    [
        ({"capacityTypes": ["spot"]}, {"key": CAPACITY_TYPE, "operator": "Exists"}, "spot"),
        ({"architectures": ["arm64"]}, {"key": ARCH, "operator": "Exists"}, "arm64"),
        (
            {"instanceCategories": ["c", "m"]},
            {"key": CATEGORY, "operator": "NotIn", "values": ["t"]},
            "c, m",
        ),
        ({"minGeneration": 6}, {"key": GENERATION, "operator": "Lt", "values": ["8"]}, "6"),
        ({"excludeSizes": ["nano"]}, {"key": SIZE, "operator": "In", "values": ["large"]}, "nano"),
    ],
)
def test_a_short_form_beside_the_same_key_is_refused(short, own, values):
    other = {"key": "topology.kubernetes.io/zone", "operator": "Exists"}
    (name,) = short

    assert told(requirements=[other, own], **short) == [
        f"{name}: requirements[1] has {own['key']} too: ask for it in one place, drop one of both "
        f'(got "{values}")'
    ]


def test_nor_can_it_be_beside_a_label_that_says_the_same():
    assert told(labels={ARCH: "arm64"}, architectures=["amd64"]) == [
        f"architectures: labels has {ARCH} too: ask for it in one place, drop one of both "
        '(got "amd64")'
    ]


@pytest.mark.feature("A1-14")
def test_a_default_is_left_out_where_its_key_is_asked_for():
    keys = {ARCH, OS, CAPACITY_TYPE, CATEGORY, GENERATION}
    own = {"key": OS, "operator": "In", "values": ["windows"]}

    assert required(requirements=[own])[OS] == own
    assert set(required(labels={ARCH: "arm64"})) == keys - {ARCH}


@pytest.mark.parametrize(
    "own",
    [
        {"key": FAMILY, "operator": "In", "values": ["m7g"]},
        {"key": CATEGORY, "operator": "NotIn", "values": ["t"]},
        {"key": GENERATION, "operator": "Gt", "values": ["5"]},
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m7g.large"]},
    ],
)
@pytest.mark.feature("A1-14")
def test_who_chooses_instance_types_gets_no_default_beside_them(own):
    found = required(requirements=[own], architectures=["arm64"])

    assert list(found) == [OS, ARCH, CAPACITY_TYPE, own["key"]]
    assert found[ARCH]["values"] == ["arm64"]


def test_a_short_form_leaves_the_other_defaults_as_they_are():
    assert required(minGeneration=6)[CATEGORY]["values"] == ["c", "m", "r"]
    assert required(instanceCategories=["t"])[GENERATION]["values"] == ["2"]
    chosen = {"key": FAMILY, "operator": "In", "values": ["m7g", "m7i"]}
    assert required(requirements=[chosen], minGeneration=7)[GENERATION]["values"] == ["7"]


def test_two_requirements_of_one_key_can_bound_it_on_both_sides():
    cpu = "karpenter.k8s.aws/instance-cpu"
    own = [
        {"key": cpu, "operator": "Gt", "values": ["3"]},
        {"key": cpu, "operator": "Lte", "values": ["32"]},
    ]

    assert spec(requirements=own)["template"]["spec"]["requirements"][-2:] == own


def test_a_requirement_can_ask_for_a_choice():
    own = {"key": FAMILY, "operator": "In", "values": ["m5", "m6i", "c5"], "minValues": 2}
    any_of = {"key": FAMILY, "operator": "Exists", "minValues": 5}

    assert required(requirements=[own])[FAMILY] == own
    assert required(requirements=[any_of])[FAMILY] == any_of


LISTED = "list at least one"
ONE_NUMBER = 'compares with one whole number: write it as text, for example ["4"]'


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ({"operator": "In"}, f"values: operator In needs values: {LISTED}"),
        ({"operator": "NotIn", "values": []}, f"values: operator NotIn needs values: {LISTED}"),
        (
            {"operator": "Exists", "values": ["a"]},
            'values: operator Exists takes no values: drop them (got "a")',
        ),
        (
            {"operator": "Gt", "values": ["2", "3"]},
            f'values: operator Gt {ONE_NUMBER} (got "2, 3")',
        ),
        ({"operator": "Lte", "values": ["two"]}, f'values: operator Lte {ONE_NUMBER} (got "two")'),
        (
            {"operator": "In", "values": ["a", "b"], "minValues": 3},
            "minValues: is more than there are values, 2: list more of them or lower it (got 3)",
        ),
        (
            {"operator": "Gt", "values": [4]},
            "values[0]: Input should be a valid string: write it as text, in quotes where it looks "
            "like a number (got 4)",
        ),
        (
            {"operator": "In", "values": ["m 7"]},
            "values[0]: String should match pattern "
            "'^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$': write it in this form (got \"m 7\")",
        ),
        (
            {"operator": "In", "values": ["m" * 64]},
            f'values[0]: String should have at most 63 characters: shorten it (got "{"m" * 64}")',
        ),
    ],
)
def test_a_requirement_whose_values_do_not_fit_its_operator_is_refused(requirement, said):
    assert told(requirements=[{"key": FAMILY} | requirement]) == [f"requirements[0].{said}"]


@pytest.mark.parametrize(
    ("key", "value", "known"),
    [
        (CAPACITY_TYPE, "ondemand", "spot, on-demand, reserved"),
        (ARCH, "x86_64", "amd64, arm64"),
        (OS, "Linux", "linux, windows"),
        ("karpenter.k8s.aws/instance-tenancy", "host", "default, dedicated"),
    ],
)
@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_a_value_that_no_node_has_is_refused(operator, key, value, known):
    own = {"key": key, "operator": operator, "values": [known.split(", ")[1], value]}

    assert told(requirements=[own]) == [
        f'requirements[0].values[1]: no node has this {key}: choose of {known} (got "{value}")'
    ]


@pytest.mark.parametrize(
    ("short", "path"),
    [
        ({"instanceCategories": ["m5"]}, "instanceCategories[0]"),
        ({"excludeSizes": ["x-large"]}, "excludeSizes[0]"),
        ({"excludeSizes": []}, "excludeSizes"),
        ({"minGeneration": 0}, "minGeneration"),
        ({"minGeneration": "six"}, "minGeneration"),
    ],
)
def test_a_short_form_that_no_instance_type_has_is_refused(short, path):
    (said,) = told(**short)

    assert said.startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("karpenter.sh/provisioner-name", "by itself: drop it"),
        ("karpenter.k8s.aws/instance-pods", "is gone, and maxPods"),
        ("beta.kubernetes.io/arch", "is the old name of kubernetes.io/arch: write that"),
        (
            "failure-domain.beta.kubernetes.io/zone",
            "is the old name of topology.kubernetes.io/zone: write that",
        ),
    ],
)
def test_a_key_of_another_time_is_refused_with_its_present_name(own, said):
    (of_requirement,) = told(requirements=[{"key": own, "operator": "Exists"}])
    (of_label,) = told(labels={own: "x"})

    assert of_requirement.startswith("requirements[0].key: ")
    assert of_label.startswith(f"labels.{own}: ")
    assert said in of_requirement
    assert said in of_label


def test_a_node_takes_a_hundred_requirements_with_those_that_are_written_out():
    own = [{"key": f"example.com/k{i}", "operator": "Exists"} for i in range(95)]

    assert len(spec(requirements=own)["template"]["spec"]["requirements"]) == MOST
    assert told(requirements=own, labels={"intent": "apps"}, excludeSizes=["nano"]) == [
        "requirements: with labels, short forms and defaults there are 102, and a node takes 100: "
        "drop 2"
    ]


SPOT_ONLY = {"key": CAPACITY_TYPE, "operator": "NotIn", "values": ["on-demand", "reserved"]}


@pytest.mark.parametrize(
    ("settings", "spot", "on_demand"),
    [
        ({}, True, True),
        ({"capacityTypes": ["spot"]}, True, False),
        ({"capacityTypes": ["on-demand"]}, False, True),
        ({"capacityTypes": ["reserved"]}, False, False),
        ({"requirements": [SPOT_ONLY]}, True, False),
        ({"requirements": [SPOT_ONLY | {"operator": "In"}]}, False, True),
        ({"requirements": [{"key": CAPACITY_TYPE, "operator": "Exists"}]}, True, True),
        ({"requirements": [{"key": CAPACITY_TYPE, "operator": "DoesNotExist"}]}, False, False),
        ({"labels": {CAPACITY_TYPE: "spot"}}, True, False),
        (
            {"requirements": [SPOT_ONLY, {"key": CAPACITY_TYPE, "operator": "Exists"}]},
            True,
            False,
        ),
    ],
)
def test_a_pool_knows_what_it_may_launch(settings, spot, on_demand):
    pool = config(**settings)

    assert (pool.may_be_spot, pool.may_be_on_demand) == (spot, on_demand)
