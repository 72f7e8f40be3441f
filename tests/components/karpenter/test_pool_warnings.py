import re

import pytest

from components.ec2.offerings import known_regions
from components.karpenter.node_pools import NodePoolConfig
from components.karpenter.pool_warnings import (
    CHEAPER_SPOT_TYPES,
    FEWEST_SPOT_TYPES,
    pool_warnings,
    unmatched,
)

REGION = "eu-west-1"
AWS = "karpenter.k8s.aws/instance-"
FAMILY, TYPE = f"{AWS}family", "node.kubernetes.io/instance-type"
REFRESH = (
    f". EC2 was asked on {known_regions()[REGION]}; `python -m frugal_eks.dev.instance_types "
    f"--region {REGION}` "
    "asks again"
)
TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}
# Spot in all three zones; Karpenter's order of them is nobody's here.
SIXTEEN = [
    f"{family}.{size}"
    for family in ("m5", "m5a", "m5d", "c5")
    for size in ("large", "xlarge", "2xlarge", "4xlarge")
]

T2 = [f"t2.{size}" for size in ("nano", "micro", "small", "medium", "large", "xlarge", "2xlarge")]
M5 = [
    f"m5.{size}" for size in ("metal", "large", *(f"{n}xlarge" for n in ("", 2, 4, 8, 12, 16, 24)))
]


def asks(key, operator, *values, **more):
    """A requirement, as the file has it."""
    return {"key": key, "operator": operator, "values": list(values), **more}


def pool(*requirements, **given):
    """A pool; without requirements it has Karpenter's first defaults."""
    return NodePoolConfig.model_validate(
        {"nodeClass": "default", "requirements": requirements, **given}
    )


def warned(pools, classes=("default",), *, region=REGION, zones=3, spot_to_spot=False):
    """The warnings."""
    return pool_warnings(pools, classes, region=region, zones=zones, spot_to_spot=spot_to_spot)


def refused(zones=3, region=REGION, **pools):
    """The mistakes, as path, problem and value."""
    return [tuple(mistake) for mistake in unmatched(pools, region=region, zones=zones)]


@pytest.mark.parametrize("spot_to_spot", [False, True])
def test_a_wide_pool_that_names_its_class_is_fine(spot_to_spot):
    pools = {"default": pool(), "batch": pool(weight=10)}

    assert warned(pools, spot_to_spot=spot_to_spot) == []
    assert refused(**pools) == []


def test_nodes_of_a_short_life_are_told():
    pools = {"a": pool(expireAfter="23h59m"), "b": pool(expireAfter="24h", weight=1)}

    assert warned(pools | {"c": pool(expireAfter="Never", weight=2)}) == [
        "karpenter.nodePools.a.expireAfter is 23h59m: nodes of that age are replaced without "
        "regard to disruption budgets, and before a new one is there"
    ]


def test_classes_without_a_pool_are_told_in_the_order_of_the_file():
    told = warned({"default": pool()}, ["gpu", "default", "arm"])

    assert told == [
        f"karpenter.nodeClasses.{name}: no pool names it, so that it never has a node: drop it, or "
        "name it as the nodeClass of a pool"
        for name in ("gpu", "arm")
    ]


def test_a_handful_of_types_is_told_with_the_numbers_and_the_costliest_requirement():
    narrow = pool(asks(FAMILY, "In", "m5", "m5a"), asks(f"{AWS}size", "In", "large", "xlarge"))

    (told,) = warned({"narrow": narrow})

    # How many there would be changes with EC2.
    found = re.sub(r"there would be \d{3}:", "there would be some hundreds:", told)
    assert found == (
        "karpenter.nodePools.narrow: 4 instance types (12 offerings in 3 zones of eu-west-1) match "
        "as spot, fewer than 15: when EC2 runs short of them, most of its spot nodes go at once "
        "and few others come. Without requirements[0] (karpenter.k8s.aws/instance-family In m5, "
        "m5a) there would be some hundreds: drop or widen it"
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        # A short form and a label are told as such, and long lists are cut.
        (
            {"instanceCategories": ["inf"], "minGeneration": 2},
            "Without instanceCategories (karpenter.k8s.aws/instance-category In inf) there would ",
        ),
        (
            {"labels": {FAMILY: "inf1"}},
            "Without labels.karpenter.k8s.aws/instance-family (karpenter.k8s.aws/instance-family "
            "In inf1) there would be ",
        ),
        (
            {"requirements": [asks(TYPE, "In", *SIXTEEN[:8])]},
            "Without requirements[0] (node.kubernetes.io/instance-type In m5.large, m5.xlarge, "
            "m5.2xlarge, m5.4xlarge, m5a.large and 3 more) there would be ",
        ),
        (
            {
                "requirements": [
                    asks(FAMILY, "In", "m5"),
                    asks(f"{AWS}cpu", "Gt", "4"),
                    asks(f"{AWS}cpu", "Lt", "50"),
                    asks(FAMILY, "NotIn", "m4"),
                ]
            },
            "Without requirements[0] (karpenter.k8s.aws/instance-family In m5 and NotIn m4) there "
            "would be ",
        ),
        # Neither of these alone is what leaves so few.
        (
            {"requirements": [asks(FAMILY, "In", "m5"), asks(TYPE, "In", *M5)]},
            "Widen its requirements",
        ),
        # Without spot there would be one more, which is no spot.
        (
            {"requirements": [asks(FAMILY, "In", "t2"), asks(TYPE, "In", *T2)]},
            "Widen its requirements",
        ),
        (
            {
                "requirements": [
                    asks(f"{AWS}category", "In", "c", "m", "r"),
                    asks(f"{AWS}cpu", "In", "224", "1"),
                    asks("kubernetes.io/arch", "In", "amd64"),
                    asks(f"{AWS}generation", "Lt", "6"),
                ]
            },
            "Without requirements[1] (karpenter.k8s.aws/instance-cpu In 224, 1) there would be ",
        ),
    ],
)
def test_what_to_widen_is_named_as_the_file_has_it(given, told):
    (warning,) = warned({"narrow": pool(**given)})

    assert told in warning


@pytest.mark.parametrize(
    ("types", "told"), [(FEWEST_SPOT_TYPES - 1, True), (FEWEST_SPOT_TYPES, False)]
)
def test_fifteen_types_are_enough(types, told):
    narrow = pool(asks(TYPE, "In", *SIXTEEN[:types]))

    assert bool(warned({"narrow": narrow})) is told


def test_only_types_that_are_to_be_had_as_spot_count():
    # One of them is on demand alone.
    told = warned({"old": pool(asks(FAMILY, "In", "t2"))})

    assert told[0].startswith("karpenter.nodePools.old: 6 instance types (18 offerings in 3 zones")


@pytest.mark.parametrize(
    ("zones", "told"),
    [
        (None, "1 instance type (3 offerings in 3 zones of eu-west-1) match"),
        (["eu-west-1a"], "1 instance type (1 offerings in 1 zone of eu-west-1) match"),
    ],
)
def test_one_is_told_in_the_singular(zones, told):
    (warning,) = warned({"one": pool(asks(TYPE, "In", "m5.large"))}, zones=zones)

    assert told in warning


@pytest.mark.parametrize(
    "given",
    [
        {"capacityTypes": ["on-demand"]},
        {"capacityTypes": ["reserved", "on-demand"]},
        {"labels": {"karpenter.sh/capacity-type": "on-demand"}},
    ],
)
def test_a_pool_that_is_never_spot_may_be_narrow(given):
    narrow = pool(asks(FAMILY, "In", "m5"), **given)

    assert warned({"narrow": narrow}, spot_to_spot=True) == []


@pytest.mark.parametrize(
    ("types", "told"), [(CHEAPER_SPOT_TYPES, True), (CHEAPER_SPOT_TYPES + 1, False)]
)
def test_swapping_spot_for_spot_takes_fifteen_types_beside_the_one_that_runs(types, told):
    narrow = pool(asks(TYPE, "In", *SIXTEEN[:types]))

    warnings = warned({"narrow": narrow}, spot_to_spot=True)

    assert [each.partition(". Without ")[0] for each in warnings] == [
        "karpenter.nodePools.narrow: controller.spotToSpotConsolidation swaps no single spot node "
        "for a cheaper one: 15 instance types (45 offerings in 3 zones of eu-west-1) match as "
        "spot, and it takes 15 beside the one that runs, all of them cheaper"
    ] * told
    assert warned({"narrow": narrow}) == []


@pytest.mark.parametrize(
    "given",
    [
        {"disruption": {"consolidationPolicy": "WhenEmpty"}},
        {"disruption": {"consolidateAfter": "Never"}},
        {"replicas": 2},
    ],
)
def test_where_nothing_is_swapped_anyway_nothing_is_said_of_it(given):
    narrow = pool(asks(TYPE, "In", *SIXTEEN[:15]), **given)

    assert warned({"narrow": narrow}, spot_to_spot=True) == []


def test_a_region_that_the_list_has_not_is_told_once_and_nothing_is_counted():
    pools = {"a": pool(asks(FAMILY, "In", "m55"), expireAfter="1h"), "b": pool()}

    told = warned(pools, region="mars-1", spot_to_spot=True)

    assert [each.partition(":")[0] for each in told] == [
        "karpenter.nodePools.a.expireAfter is 1h",
        "karpenter.nodePools",
    ]
    assert told[1] == (
        "karpenter.nodePools: the list of EC2's offerings that ships has no mars-1, so that nobody "
        "counts what the pools match: `python -m frugal_eks.dev.instance_types --region mars-1` "
        "adds it"
    )
    assert refused(region="mars-1", **pools) == []


def overlaps(**pools):
    """Which pools are told to overlap with which, and in what keys."""
    found = [each for each in warned(pools) if " overlaps with " in each]
    return [each.partition(", and has the same ")[0] for each in found]


def test_two_pools_of_the_same_weight_and_taints_are_told_with_their_keys():
    common = asks(FAMILY, "In", "m5", "m5a", "c5")
    pools = {"a": pool(common), "b": pool(asks(FAMILY, "In", "m5", "c6i"), minGeneration=None)}

    (told,) = [each for each in warned(pools) if " overlaps with " in each]

    assert told == (
        "karpenter.nodePools.a overlaps with b (9 types) in kubernetes.io/arch, "
        "karpenter.sh/capacity-type, karpenter.k8s.aws/instance-family, and has the same taints "
        "and weight (0): a pod that fits more than one gets its node from b, whose name comes "
        "last. Give one another weight, or requirements or taints that keep them apart"
    )


KEYS = "in kubernetes.io/arch, karpenter.sh/capacity-type, karpenter.k8s.aws/instance-family"


@pytest.mark.parametrize(
    "apart",
    [
        {"weight": 1},
        {"taints": [TAINT]},
        {"taints": [{**TAINT, "value": "b"}]},
        {"capacityTypes": ["on-demand"]},
        {"architectures": ["arm64"]},
        {"replicas": 1},
        {"requirements": [asks(FAMILY, "In", "c5")]},
        {"requirements": [asks(FAMILY, "NotIn", "m5", "m5a")]},
        # Every key meets, and yet no type has both.
        {"requirements": [asks(FAMILY, "In", "m5"), asks(f"{AWS}local-nvme", "Exists")]},
        {"labels": {"team": "b"}},
        {"requirements": [asks(FAMILY, "In", "m5"), asks("team", "DoesNotExist")]},
    ],
)
def test_whatever_keeps_two_pools_apart_is_enough(apart):
    spot = {"capacityTypes": ["spot"], "labels": {"team": "a"}}
    one = pool(asks(FAMILY, "In", "m5", "m5a"), **spot)
    alike = {"requirements": [asks(FAMILY, "In", "m5")], "capacityTypes": ["spot"]}

    assert overlaps(a=one, b=pool(**{"labels": {"team": "a"}, **alike}))
    assert overlaps(a=one, b=pool(**{**alike, **apart})) == []


def test_taints_in_another_order_are_the_same():
    other = {"key": "gpu", "effect": "NoExecute"}

    assert overlaps(a=pool(taints=[TAINT, other]), b=pool(taints=[other, TAINT]))


def test_a_label_of_one_pool_alone_keeps_no_pod_from_either():
    assert overlaps(a=pool(labels={"intent": "apps"}), b=pool())


def test_labels_in_common_are_among_the_keys():
    labels = {"intent": "apps"}
    (told,) = overlaps(a=pool(labels=labels), b=pool(labels=labels))

    assert told.endswith(", intent")


def test_each_pool_tells_of_those_behind_it_and_keys_that_differ_are_told_apart():
    of_family = asks(FAMILY, "In", "m5")
    pools = {"c": pool(of_family), "a": pool(of_family), "b": pool(of_family), "d": pool()}

    assert overlaps(**pools) == [
        f"karpenter.nodePools.c overlaps with a (9 types) and b (9 types) {KEYS}",
        "karpenter.nodePools.c overlaps with d (9 types) in kubernetes.io/arch, "
        "karpenter.sh/capacity-type",
        f"karpenter.nodePools.a overlaps with b (9 types) {KEYS}",
        "karpenter.nodePools.a overlaps with d (9 types) in kubernetes.io/arch, "
        "karpenter.sh/capacity-type",
        "karpenter.nodePools.b overlaps with d (9 types) in kubernetes.io/arch, "
        "karpenter.sh/capacity-type",
    ]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            {"requirements": [asks(FAMILY, "In", "m55")]},
            "requirements[0] (karpenter.k8s.aws/instance-family In m55). Correct it",
        ),
        (
            {"requirements": [asks("topology.kubernetes.io/zone", "In", "eu-central-1a")]},
            "requirements[0] (topology.kubernetes.io/zone In eu-central-1a). Correct it",
        ),
        (
            {"labels": {f"{AWS}gpu-name": "h999"}, "instanceCategories": ["xyz"]},
            "instanceCategories (karpenter.k8s.aws/instance-category In xyz) and "
            "labels.karpenter.k8s.aws/instance-gpu-name (karpenter.k8s.aws/instance-gpu-name In "
            "h999). Correct it",
        ),
        (
            {"instanceCategories": ["inf"], "minGeneration": 3},
            "all requirements together: without instanceCategories "
            "(karpenter.k8s.aws/instance-category In inf) ",
        ),
        (
            {"requirements": [asks(FAMILY, "In", "m5"), asks(TYPE, "In", "c5.large")],
             "architectures": ["arm64"]},
            "all requirements together. Widen them",
        ),
    ],
)  # fmt: skip
def test_a_pool_that_no_type_fits_is_refused_with_what_keeps_them_out(given, problem):
    ((path, told, value),) = refused(narrow=pool(**given), fine=pool())

    assert path == "karpenter.nodePools.narrow.requirements"
    assert told.startswith(f"no instance type that EC2 offers in eu-west-1 fits {problem}")
    assert told.endswith(REFRESH)
    assert value is None
    assert warned({"narrow": pool(**given)}, spot_to_spot=True) == []


def test_the_default_that_keeps_gpus_out_is_named_by_its_short_form():
    ((_, told, _),) = refused(gpu=pool(asks(f"{AWS}gpu-count", "Gt", "0")))

    without = "without the default of instanceCategories (karpenter.k8s.aws/instance-category In "
    assert "(karpenter.k8s.aws/instance-gpu-count Gt 0) " in told.partition(without)[0]
    assert f"{without}c, m, r) " in told
    assert " would. Drop or widen one of them. " in told


def test_a_type_that_is_never_spot_is_refused_to_a_pool_that_is():
    ((_, told, _),) = refused(spot=pool(asks(TYPE, "In", "t2.nano"), capacityTypes=["spot"]))

    assert "without capacityTypes (karpenter.sh/capacity-type In spot) 1 would. " in told


def test_a_type_that_none_of_the_stacks_zones_has_is_refused():
    hpc = pool(asks(FAMILY, "In", "hpc7g"), architectures=["arm64"])

    assert refused(hpc=hpc, zones={"eu-west-1a": "euw1-az1"}) == []
    assert len(refused(hpc=hpc, zones={"eu-west-1a": "euw1-az2"})) == 1


def test_of_reserved_capacity_only_the_account_knows():
    assert refused(own=pool(asks(FAMILY, "In", "m55"), capacityTypes=["reserved"])) == []


def test_more_different_values_than_match_are_refused():
    families = asks(FAMILY, "In", "m5", "m5a", "m77", minValues=3)
    sizes = asks(f"{AWS}size", "In", "large", "xlarge", minValues=2)
    own = asks("team", "In", "a", "b", minValues=2)

    assert refused(choosy=pool(sizes, families, own)) == [
        (
            "karpenter.nodePools.choosy.requirements[1].minValues",
            "what matches has 2 values of karpenter.k8s.aws/instance-family, and with fewer than "
            "this Karpenter launches nothing: lower it, or widen the requirements",
            3,
        )
    ]


@pytest.mark.parametrize("weights", [[None] * 20, range(1, 21)])
def test_of_twenty_pools_that_overlap_each_is_told_with_one_other(weights):
    pools = {f"pool-{n:02}": pool(weight=weight) for n, weight in enumerate(weights)}

    assert len(warned(pools, spot_to_spot=True)) == (0 if all(weights) else 19)
    assert refused(**pools) == []
