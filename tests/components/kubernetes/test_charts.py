import pytest

from components import versions
from components.kubernetes.charts import Chart, ChartSource

UPSTREAM = "oci://public.ecr.aws/karpenter"
CHART = Chart(name="karpenter-crd", repository=UPSTREAM, version="1.0.0")
PINS = {
    "karpenter": versions.KARPENTER,
    "karpenter-crd": versions.KARPENTER,
    "aws-load-balancer-controller": versions.AWS_LOAD_BALANCER_CONTROLLER_CHART,
    "external-dns": versions.EXTERNAL_DNS_CHART,
    "aws-efs-csi-driver": versions.EFS_CSI_CHART,
    "metrics-server": versions.METRICS_SERVER_CHART,
    "kube-ops-view": versions.KUBE_OPS_VIEW_CHART,
}
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
    assert ChartSource(mirror=mirror).locate(CHART) == {"chart": address}


def test_a_chart_of_an_http_repository_is_found_by_name_in_its_index():
    chart = Chart(name="metrics-server", repository="https://example.com/charts/", version="1.0.0")

    assert ChartSource().locate(chart) == {
        "chart": "metrics-server",
        "repository_opts": {"repo": "https://example.com/charts"},
    }
    assert ChartSource(mirror="/charts").locate(chart) == {"chart": "/charts/metrics-server"}


@pytest.mark.parametrize(
    ("images", "repository"),
    [
        (None, "public.ecr.aws/eks/controller"),
        ("registry.example.com/mirror", "registry.example.com/mirror/eks/controller"),
        ("registry.example.com/mirror/", "registry.example.com/mirror/eks/controller"),
    ],
)
def test_an_image_comes_from_upstream_or_from_the_one_mirror(images, repository):
    assert ChartSource(images=images).image("public.ecr.aws/eks/controller") == repository


def test_every_chart_of_the_platform_comes_from_the_mirror_of_the_stack_file(platform, another):
    mirrored = another.every(RELEASE)
    assert {release.inputs["name"]: release.inputs["chart"] for release in mirrored} == {
        name: f"oci://registry.example.com/eks/{name}" for name in PINS
    }
    assert not any("repositoryOpts" in release.inputs for release in mirrored)
    from_upstream = {
        release.inputs["name"]: release.inputs.get("repositoryOpts", {}).get("repo")
        or release.inputs["chart"]
        for release in platform().every(RELEASE)
    }
    assert from_upstream == {
        "karpenter": f"{UPSTREAM}/karpenter",
        "karpenter-crd": f"{UPSTREAM}/karpenter-crd",
        "aws-load-balancer-controller": "https://aws.github.io/eks-charts",
        "external-dns": "https://kubernetes-sigs.github.io/external-dns",
        "aws-efs-csi-driver": "https://kubernetes-sigs.github.io/aws-efs-csi-driver",
        "metrics-server": "https://kubernetes-sigs.github.io/metrics-server",
        "kube-ops-view": "https://geek-cookbook.github.io/charts",
    }


@pytest.mark.feature("B-18")
def test_the_version_of_every_chart_is_the_pin_of_the_one_file(platform):
    releases = platform().every(RELEASE)

    assert {release.inputs["name"]: release.inputs["version"] for release in releases} == PINS
