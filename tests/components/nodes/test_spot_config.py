import json

import pytest
from pydantic import ValidationError

from components.nodes.spot_config import (
    Share,
    SpotNodeGroupConfig,
    group_names,
    shares,
    spread_problem,
    zone_problem,
)
from stack_config.mistakes import mistakes

TYPES = ["m5.large", "m4.large", "m5d.large", "m5a.large"]
FEWEST = {
    "instanceTypes": TYPES,
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 5},
}
ASKED = {"vCpu": {"min": 2}, "memoryMib": {"min": 4096}}
BY_ATTRIBUTES = {key: FEWEST[key] for key in ("releaseVersion", "size")}
BY_ATTRIBUTES |= {"instanceRequirements": ASKED}


def parsed(settings):
    """As `load` reads a stack file."""
    text = json.dumps(settings)
    return SpotNodeGroupConfig.model_validate_json(text, by_alias=True, by_name=False)


def config(**settings):
    return parsed(FEWEST | settings)


def told(settings):
    """Paths and problems, in the file's own words."""
    with pytest.raises(ValidationError) as refused:
        parsed(settings)
    found = [m for e in refused.value.errors() for m in mistakes(e, SpotNodeGroupConfig)]
    return {mistake.path: mistake.problem for mistake in found}


def taint(key, effect="NoSchedule"):
    return {"key": key, "effect": effect}


ONE_OF = "say which types: give instanceTypes or instanceRequirements, one of them"
NO_ORDER = "needs an order, and instanceRequirements has none: choose another one"
NO_WEIGHT = "has no weight, and others have one: give all types one, or none"


@pytest.mark.feature("B-25", "A0-08")
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (BY_ATTRIBUTES | {"instanceRequirements": None, "instanceTypes": []}, {}),
        (FEWEST | {"instanceTypes": []}, {"instanceTypes": ONE_OF}),
        (FEWEST | {"instanceRequirements": ASKED}, {"instanceTypes": ONE_OF}),
        (
            FEWEST | {"instanceTypes": ["m5.large", "m6g.large", "m7g.large"]},
            {
                f"instanceTypes[{number}]": (
                    "is arm64, and instanceTypes[0] is x86_64: a group has one image, "
                    "so make a group of each"
                )
                for number in (1, 2)
            },
        ),
        (
            FEWEST | {"instanceTypes": [*TYPES, "m5.large"]},
            {"instanceTypes[4]": "is instanceTypes[0] too: drop one of them"},
        ),
        (
            FEWEST | {"instanceTypes": ["m5.large", {"type": "m5.xlarge", "weight": 2}]},
            {"instanceTypes[0]": NO_WEIGHT},
        ),
        (
            FEWEST | {"instanceTypes": [{"type": "m5.xlarge", "weight": 1000}]},
            {"instanceTypes[0].weight": "Input should be less than or equal to 999: lower it"},
        ),
        (
            FEWEST | {"distribution": {"spotInstancePools": 3}},
            {
                "distribution.spotInstancePools": (
                    "is not read where spotAllocationStrategy is price-capacity-optimized: drop it"
                )
            },
        ),
        (
            FEWEST | {"distribution": {"onDemandPercentageAboveBaseCapacity": 101}},
            {
                "distribution.onDemandPercentageAboveBaseCapacity": (
                    "Input should be less than or equal to 100: lower it"
                )
            },
        ),
        (
            FEWEST | {"distribution": {"onDemandPercentageAboveBaseCapacity": -1}},
            {
                "distribution.onDemandPercentageAboveBaseCapacity": (
                    "Input should be greater than or equal to 0: raise it"
                )
            },
        ),
        (
            FEWEST | {"distribution": {"spotAllocationStrategy": "diversified"}},
            {
                "distribution.spotAllocationStrategy": (
                    "Input should be 'price-capacity-optimized', 'capacity-optimized', "
                    "'capacity-optimized-prioritized' or 'lowest-price': choose one of these"
                )
            },
        ),
        (
            FEWEST | {"distribution": {"maxPrice": 0.0009}},
            {"distribution.maxPrice": "Input should be greater than or equal to 0.001: raise it"},
        ),
        (
            BY_ATTRIBUTES
            | {
                "distribution": {
                    "spotAllocationStrategy": "capacity-optimized-prioritized",
                    "onDemandAllocationStrategy": "prioritized",
                }
            },
            {
                "distribution.spotAllocationStrategy": NO_ORDER,
                "distribution.onDemandAllocationStrategy": NO_ORDER,
            },
        ),
        (
            FEWEST | {"refresh": {"minHealthyPercentage": 50, "maxHealthyPercentage": 151}},
            {
                "refresh.maxHealthyPercentage": (
                    "is 101 above minHealthyPercentage, and AWS allows 100: lower it, or raise the "
                    "other"
                )
            },
        ),
        (
            FEWEST | {"size": {"min": 3, "max": 2}},
            {"size.min": "is above max 2: lower it or raise max"},
        ),
        (FEWEST | {"warmPool": {}}, {"warmPool": "unknown key: correct or drop it"}),
        (
            FEWEST | {"releaseVersion": "1.66.0-1ad6b4a4"},
            {
                "releaseVersion": (
                    "is no release of AL2023: write kubelet's version and a date, for example "
                    "1.35.8-20260930 (https://github.com/awslabs/amazon-eks-ami/releases)"
                )
            },
        ),
        (
            FEWEST | {"taints": [taint("a"), taint("b"), taint("a", "NoExecute")]},
            {
                "taints[2]": (
                    "has the key of taints[0], and the tag that tells the Cluster Autoscaler has "
                    "room for one effect: use another key"
                )
            },
        ),
        (
            FEWEST | {"taints": [taint("a"), taint("a")]},
            {"taints[1]": "has key and effect of taints[0]: drop one of them"},
        ),
        (
            FEWEST | {"labels": {f"{'a' * 60}.example.com/{'b' * 11}": ""}},
            {
                f"labels.{'a' * 60}.example.com/{'b' * 11}": (
                    "does not fit into the tag that tells the Cluster Autoscaler: "
                    "shorten it to 82 characters"
                )
            },
        ),
        (
            FEWEST | {"taints": [taint(f"{'a' * 60}.example.com/{'b' * 11}")]},
            {
                "taints[0]": (
                    "does not fit into the tag that tells the Cluster Autoscaler: "
                    "shorten it to 82 characters"
                )
            },
        ),
        (
            FEWEST | {"labels": {"node-role.kubernetes.io/spot": ""}},
            {
                "labels.node-role.kubernetes.io/spot": (
                    "is one of Kubernetes' own, with which kubelet does not start: use a prefix of "
                    "your own, for example example.com/spot, or node.kubernetes.io/spot"
                )
            },
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_place_and_a_remedy(settings, expected):
    settings = {key: value for key, value in settings.items() if value is not None}

    assert told(settings) == (expected or {"instanceTypes": ONE_OF})


def test_all_that_is_wrong_is_told_at_once():
    settings = FEWEST | {
        "instanceTypes": ["m5.large", "m6g.large", {"type": "m5.xlarge", "weight": 2}],
        "releaseVersion": "1.66.0-1ad6b4a4",
        "labels": {"kubernetes.io/role": "spot"},
    }

    assert set(told(settings)) == {
        "labels.kubernetes.io/role",
        "releaseVersion",
        "instanceTypes[0]",
        "instanceTypes[1]",
    }


@pytest.mark.parametrize("entry", ["m5.larg", {"type": "m5.larg"}])
def test_an_unknown_type_is_told_where_the_file_has_it(entry):
    found = told(FEWEST | {"instanceTypes": [*TYPES, entry]})

    place = "instanceTypes[4]" if isinstance(entry, str) else "instanceTypes[4].type"
    assert list(found) == [place]
    assert found[place].startswith("EC2 has no such type: did you mean m5.large")


def test_a_type_may_be_a_name_or_have_a_weight():
    weighted = [{"type": name, "weight": 2} for name in TYPES]

    assert [each.type for each in config().instance_types] == TYPES
    assert not config().is_weighted
    assert config(instanceTypes=weighted).is_weighted
    assert config(instanceTypes=[{"type": name} for name in TYPES]) == config()


def test_a_group_of_forty_types_is_possible_and_one_more_is_not():
    sizes = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
    families = ("m5", "m5a", "m5d", "m5ad", "m6i", "m7i")
    names = [f"{family}.{size}" for family in families for size in sizes]

    assert len(config(instanceTypes=names[:40]).instance_types) == 40  # noqa: PLR2004
    assert list(told(FEWEST | {"instanceTypes": names[:41]})) == ["instanceTypes"]


@pytest.mark.parametrize(("count", "fits"), [(40, True), (41, False)])
def test_labels_and_taints_fit_into_fifty_tags(count, fits):
    # Three of a node's resources, and seven that each group has.
    labels = {f"label-{number}": "" for number in range(count - 1)}
    settings = FEWEST | {"labels": labels, "taints": [taint("only")]}

    if fits:
        assert len(parsed(settings).labels) == count - 1
    else:
        assert told(settings) == {"labels": "and taints make 51 tags, and AWS allows 50: drop some"}


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ({}, "x86_64"),
        ({"cpuManufacturers": ["amd"]}, "x86_64"),
        ({"cpuManufacturers": ["amazon-web-services"]}, "arm64"),
        ({"architecture": "arm64"}, "arm64"),
    ],
)
def test_attributes_say_the_architecture_of_the_image(requirements, expected):
    asked = parsed(BY_ATTRIBUTES | {"instanceRequirements": ASKED | requirements})

    assert asked.architecture == expected
    builders = {"x86_64": ["intel", "amd"], "arm64": ["amazon-web-services"]}[expected]
    sent = asked.instance_requirements.requirements()
    assert sent["cpu_manufacturers"] == requirements.get("cpuManufacturers", builders)
    assert "architecture" not in sent


@pytest.mark.parametrize(("types", "expected"), [(TYPES, "x86_64"), (["m6g.large"], "arm64")])
def test_a_list_says_the_architecture_of_the_image(types, expected):
    assert config(instanceTypes=types).architecture == expected


MIXED = "builds no {}, and a group has one image: drop it, or make a group of each architecture"


@pytest.mark.feature("B-25")
@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        (
            {"cpuManufacturers": ["intel", "amazon-web-services"]},
            {"cpuManufacturers[1]": MIXED.format("x86_64")},
        ),
        (
            {"architecture": "arm64", "cpuManufacturers": ["intel"]},
            {"cpuManufacturers[0]": MIXED.format("arm64")},
        ),
        (
            {"allowedInstanceTypes": ["m5.*"], "excludedInstanceTypes": ["t*"]},
            {"excludedInstanceTypes": "does not go with allowedInstanceTypes: keep one of them"},
        ),
        (
            {
                "spotMaxPricePercentageOverLowestPrice": 50,
                "maxSpotPriceAsPercentageOfOptimalOnDemandPrice": 60,
            },
            {
                "maxSpotPriceAsPercentageOfOptimalOnDemandPrice": (
                    "does not go with spotMaxPricePercentageOverLowestPrice: keep one of them"
                )
            },
        ),
        (
            {"localStorage": "excluded", "localStorageTypes": ["ssd"]},
            {"localStorageTypes": "asks for what localStorage excludes: drop one of them"},
        ),
        (
            {"localStorage": "excluded", "totalLocalStorageGb": {"min": 100}},
            {"totalLocalStorageGb": "asks for what localStorage excludes: drop one of them"},
        ),
        (
            {"vCpu": {"min": 4, "max": 2}},
            {"vCpu.max": "is less than min, 4: correct one of them"},
        ),
        (
            {"memoryGibPerVCpu": {"min": 4, "max": 2.5}},
            {"memoryGibPerVCpu.max": "is less than min, 4.0: correct one of them"},
        ),
        (
            {"allowedInstanceTypes": ["M5.large"]},
            {
                "allowedInstanceTypes[0]": (
                    "String should match pattern '^[a-z0-9*][a-z0-9.*-]*$': write it in this form"
                )
            },
        ),
    ],
)
def test_attributes_that_no_type_can_have_are_refused(requirements, expected):
    found = told(BY_ATTRIBUTES | {"instanceRequirements": ASKED | requirements})

    assert found == {f"instanceRequirements.{path}": text for path, text in expected.items()}


@pytest.mark.feature("A0-05", "C-08")
def test_names_are_known_in_advance():
    assert group_names("spot", "ng-spot", config(), 3) == ["spot-ng-spot"]
    assert group_names("spot", "ng-spot", config(perZone=True), 2) == [
        "spot-ng-spot-1",
        "spot-ng-spot-2",
    ]


@pytest.mark.feature("C-08")
@pytest.mark.parametrize("zones", [1, 2, 3, 5, 6])
def test_zones_share_everything_evenly_and_lose_nothing(zones):
    settings = config(
        size={"min": 3, "desired": 5, "max": 8},
        distribution={"onDemandBaseCapacity": 4},
        perZone=True,
    )
    parts = shares(settings, zones)

    assert len(parts) == zones
    assert tuple(map(sum, zip(*parts, strict=True))) == (3, 5, 8, 4)
    for column in zip(*parts, strict=True):
        assert max(column) - min(column) <= 1
    assert all(part.min <= part.initial <= part.max for part in parts)


def test_one_group_has_it_all():
    assert shares(config(size={"min": 1, "desired": 2, "max": 4}), 3) == [Share(1, 2, 4, 0)]


def test_a_group_in_each_zone_needs_a_node_for_each():
    assert zone_problem(config(perZone=True), 5) is None
    assert zone_problem(config(), 6) is None
    assert zone_problem(config(perZone=True), 6) == (
        "perZone makes 6 groups of 5 nodes at most in all: raise size.max to 6 or more"
    )


def test_four_types_or_attributes_are_wide_enough_and_on_demand_needs_no_spread():
    narrow = config(instanceTypes=TYPES[:1])
    on_demand = {"onDemandPercentageAboveBaseCapacity": 100}

    assert spread_problem(config(), 3) is None
    assert spread_problem(parsed(BY_ATTRIBUTES), 3) is None
    assert spread_problem(config(instanceTypes=TYPES[:1], distribution=on_demand), 3) is None
    assert spread_problem(narrow, 2) == (
        "instanceTypes lists 1, which makes 2 pools of spot capacity in 2 zones, and AWS takes "
        "nodes of one pool back together: list 4 or more, or choose by instanceRequirements"
    )
