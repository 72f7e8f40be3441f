import pytest

import versions
from components.charts import ChartSource

UPSTREAM = "oci://public.ecr.aws/karpenter"
RELEASE = "kubernetes:helm.sh/v3:Release"


@pytest.mark.parametrize(
    ("mirror", "address"),
    [
        (None, "oci://public.ecr.aws/karpenter/karpenter-crd"),
        ("oci://registry.example.com/charts", "oci://registry.example.com/charts/karpenter-crd"),
        ("oci://registry.example.com/charts/", "oci://registry.example.com/charts/karpenter-crd"),
        ("./charts", "./charts/karpenter-crd"),
    ],
)
def test_a_chart_comes_from_upstream_or_from_the_one_mirror(mirror, address):
    assert ChartSource(mirror=mirror).locate("karpenter-crd", UPSTREAM) == address


def test_every_chart_of_the_platform_comes_from_the_mirror_of_the_stack_file(platform, another):
    mirrored = another.every(RELEASE)
    assert sorted(release.inputs["chart"] for release in mirrored) == [
        "oci://registry.example.com/eks/karpenter",
        "oci://registry.example.com/eks/karpenter-crd",
    ]
    assert sorted(release.inputs["chart"] for release in platform().every(RELEASE)) == [
        f"{UPSTREAM}/karpenter",
        f"{UPSTREAM}/karpenter-crd",
    ]


@pytest.mark.feature("B-18")
def test_the_version_of_every_chart_is_the_pin_of_the_one_file(platform):
    releases = platform().every(RELEASE)

    assert {release.inputs["name"]: release.inputs["version"] for release in releases} == {
        "karpenter": versions.KARPENTER,
        "karpenter-crd": versions.KARPENTER,
    }
