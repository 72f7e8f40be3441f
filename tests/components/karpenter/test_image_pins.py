import pytest

from components.karpenter.image_pins import image_pins
from components.karpenter.node_classes import NodeClassConfig
from components.karpenter.node_pools import NodePoolConfig

ARCH = "kubernetes.io/arch"
ALIAS = "al2023@v20260930"
BOTH = ["x86_64", "arm64"]


def pins(node_class, *pools):
    found = image_pins(
        "default",
        NodeClassConfig.model_validate(node_class),
        [NodePoolConfig.model_validate({"nodeClass": "default", **pool}) for pool in pools],
        kubernetes="1.35",
    )
    assert {pin.series.kubernetes for pin in found} <= {"1.35"}
    return [(pin.key, pin.value, pin.series.family, pin.series.architecture) for pin in found]


def requirement(operator, *values):
    return {"requirements": [{"key": ARCH, "operator": operator, "values": list(values)}]}


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    ("pools", "architectures"),
    [
        ([{}], ["x86_64"]),  # a pool's default
        ([{"architectures": ["arm64"]}], ["arm64"]),
        ([{"architectures": ["amd64", "arm64"]}], BOTH),
        ([{}, {"architectures": ["arm64"]}], BOTH),
        ([requirement("In", "arm64")], ["arm64"]),
        ([requirement("NotIn", "arm64")], ["x86_64"]),
        ([requirement("Exists")], BOTH),
        ([], BOTH),
    ],
)
def test_an_alias_has_to_lead_to_an_image_for_each_architecture_of_its_pools(pools, architectures):
    key = "karpenter.nodeClasses.default.amiAlias"

    assert pins({"amiAlias": ALIAS}, *pools) == [
        (key, ALIAS, "al2023", architecture) for architecture in architectures
    ]


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    ("node_class", "found"),
    [
        (
            {"amiSelectorTerms": [{"alias": ALIAS}]},
            [("amiSelectorTerms[0].alias", ALIAS, "al2023")],
        ),
        *(
            ({"amiAlias": alias}, [("amiAlias", alias, alias.partition("@")[0])])
            for alias in ("bottlerocket@v1.66.0", "bottlerocket@1.66.0", "al2@v20250101")
        ),
        ({"amiAlias": "al2023@latest", "allowLatest": True}, []),
        ({"amiAlias": "windows2022@latest", "allowLatest": True}, []),
        ({"amiSelectorTerms": [{"id": "ami-0123456789abcdef0"}], "amiFamily": "AL2023"}, []),
    ],
)
def test_of_a_class_the_pinned_alias_is_looked_up_and_nothing_else(node_class, found):
    assert pins(node_class, {}) == [
        (f"karpenter.nodeClasses.default.{key}", value, family, "x86_64")
        for key, value, family in found
    ]
