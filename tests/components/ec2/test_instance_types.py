import pytest
from pydantic import TypeAdapter, ValidationError

import stack_config
from components.ec2.instance_types import (
    FILE,
    InstanceType,
    TypeFacts,
    is_graviton,
    known_types,
    mixed_architectures,
    read,
    type_facts,
)

REFRESH = (
    "Where it is newer than the list that ships, `python -m frugal_eks.dev.instance_types` fetches "
    "a new one"
)
MOST_OF_THEM = 1000
# The spot group of the first seed.
SEVEN = [f"{family}.large" for family in ("m5", "m4", "m5d", "m5a", "m5ad", "m5n", "m5dn")]


def told(name):
    """What is said of a name that is no type; one thing."""
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(InstanceType).validate_python(name)
    (error,) = refused.value.errors()
    return error["msg"]


@pytest.mark.parametrize(
    "arm",
    [
        "m7g.large",
        "c6gn.xlarge",
        "t4g.nano",
        "im4gn.large",
        "x2gd.4xlarge",
        "g5g.xlarge",
        "hpc7g.4xlarge",
        "a1.medium",
    ],
)
def test_graviton_is_known(arm):
    assert is_graviton(arm)


@pytest.mark.parametrize(
    "intel_or_amd",
    [
        "m7i.large",
        "m7i-flex.large",
        "g4dn.xlarge",
        "g6.xlarge",
        "gr6.4xlarge",
        "p5.48xlarge",
        "m7a.large",
        "trn1.2xlarge",
        "t2.micro",
    ],
)
def test_a_g_elsewhere_in_the_name_is_no_graviton(intel_or_amd):
    assert not is_graviton(intel_or_amd)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("m5.large", TypeFacts(2, 8192, "x86_64")),
        ("c7g.4xlarge", TypeFacts(16, 32768, "arm64")),
        ("t4g.nano", TypeFacts(2, 512, "arm64")),
        ("x1e.32xlarge", TypeFacts(128, 3997696, "x86_64")),
        ("mac2.metal", TypeFacts(8, 16384, "arm64_mac")),
    ],
)
def test_the_list_says_what_a_type_has(name, facts):
    assert type_facts(name) == facts


def test_the_list_that_ships_is_whole_and_says_where_it_comes_from():
    known = read(FILE.read_text())

    assert len(known.types) > MOST_OF_THEM
    assert known.origin
    assert known.date
    architectures = {facts.architecture for facts in known.types.values()}
    assert architectures == {"x86_64", "arm64", "x86_64_mac", "arm64_mac"}
    assert [name for name, facts in known.types.items() if min(facts[:2]) <= 0] == []


def test_a_stack_that_names_no_type_does_not_read_it(stack_file):
    # Karpenter's pools are compared with it.
    sections = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
    sections["fargate"] = {"profiles": {"kube-system": [{"namespace": "kube-system"}]}}
    known_types.cache_clear()
    stack_config.parsed({k: sections[k] for k in ("cluster", "network", "fargate")})

    assert known_types.cache_info().currsize == 0


@pytest.mark.parametrize("name", SEVEN)
def test_the_types_that_the_seed_asks_for_are_known(name):
    assert TypeAdapter(InstanceType).validate_python(name) == name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("m5.lrage", "did you mean m5.large or "),
        ("M5.Large", "did you mean m5.large or "),
        ("m5large", "did you mean m5.large or "),
    ],
)
def test_a_misspelt_type_is_told_with_the_ones_that_look_like_it(name, meant):
    message = told(name)

    assert message.startswith(f"EC2 has no such type: {meant}")
    assert message.endswith(REFRESH)


@pytest.mark.parametrize("name", ["", "?!"])
def test_what_looks_like_no_type_is_told_without_a_guess(name):
    assert told(name) == f"EC2 has no such type: {REFRESH}"


def test_a_mac_is_no_node():
    assert told("mac2.metal") == "runs macOS alone: choose another type"


@pytest.mark.parametrize(
    ("types", "problem"),
    [
        ([], None),
        (SEVEN, None),
        (["m7g.large", "c7g.large"], None),
        (
            ["m7g.large", "m5.large", "c7g.large"],
            "mixes architectures, and a group has one image: m7g.large, c7g.large (arm64) and "
            "m5.large (x86_64); make a group of each",
        ),
    ],
)
def test_a_group_is_of_one_architecture(types, problem):
    assert mixed_architectures(types) == problem
