"""What node classes need of the cluster and its network."""

import pytest

from components.section import Mistake
from stack_config.model import StackConfig
from stack_config.rules.node_classes import (
    images_of_node_classes_fit_kubernetes,
    roles_of_node_classes_reach_iam,
)

AL2 = "al2@v20250101"
WINDOWS = {"amiAlias": "windows2025@latest", "allowLatest": True}
NO_IAM = (
    "the network has no way to the internet, and from there Karpenter cannot reach IAM to make an "
    "instance profile: name one that is there, as instanceProfile with instanceProfileRole"
)


@pytest.fixture
def config(stack_file):
    """The shipped stack with this node class, and other changes."""
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}

    def run(node_class, **changes):
        classes = {"default": {"amiAlias": "al2023@v20260930"}, "own": node_class}
        karpenter = shipped["karpenter"] | {"nodeClasses": classes}
        sections = shipped | {"karpenter": karpenter} | changes
        return StackConfig.model_validate(sections, by_alias=True, by_name=False)

    return run


@pytest.fixture
def on_kubernetes(config, stack_file):
    """The same on a minor of Kubernetes."""
    cluster = stack_file("nodeless")["frugal-eks:cluster"]

    def extended(version):
        return {"version": version, "supportType": "EXTENDED"}

    return lambda version, node_class: config(node_class, cluster=cluster | extended(version))


@pytest.mark.parametrize(
    ("version", "node_class", "place", "problem"),
    [
        (
            "1.33",
            {"amiAlias": AL2},
            "amiAlias",
            "AWS publishes no Amazon Linux 2 for Kubernetes 1.33: take al2023",
        ),
        (
            "1.35",
            {"amiSelectorTerms": [{"alias": AL2}], "amiFamily": "Custom"},
            "amiSelectorTerms[0].alias",
            "AWS publishes no Amazon Linux 2 for Kubernetes 1.35: take al2023",
        ),
        (
            "1.34",
            WINDOWS,
            "amiAlias",
            "AWS publishes no Windows 2025 for Kubernetes 1.34: take windows2022",
        ),
    ],
)
def test_an_image_that_aws_has_not_for_the_cluster_is_refused(
    on_kubernetes, version, node_class, place, problem
):
    alias = node_class.get("amiAlias", AL2)

    assert [*images_of_node_classes_fit_kubernetes(on_kubernetes(version, node_class))] == [
        Mistake(f"karpenter.nodeClasses.own.{place}", problem, alias)
    ]


@pytest.mark.parametrize(
    ("version", "node_class"),
    [
        ("1.35", WINDOWS),
        # An image of one's own is what one made it for.
        ("1.35", {"amiFamily": "AL2", "amiSelectorTerms": [{"id": "ami-1"}]}),
    ],
)
def test_an_image_that_aws_has_for_the_cluster_is_taken(on_kubernetes, version, node_class):
    assert [*images_of_node_classes_fit_kubernetes(on_kubernetes(version, node_class))] == []


def test_of_an_existing_cluster_the_version_is_not_known(config):
    whole = config({"amiAlias": AL2}, cluster={"existing": "shared"}, network=None)

    assert [*images_of_node_classes_fit_kubernetes(whole)] == []


@pytest.mark.parametrize(
    ("way_out", "node_class", "mistakes"),
    [
        (
            "none",
            {"role": "theirs"},
            [Mistake("karpenter.nodeClasses.own.role", NO_IAM, "theirs")],
        ),
        ("none", {"instanceProfile": "theirs", "instanceProfileRole": "inside"}, []),
        ("single", {"role": "theirs"}, []),
    ],
)
def test_without_internet_a_role_has_to_lie_in_a_profile(
    config, stack_file, way_out, node_class, mistakes
):
    network = stack_file("nodeless")["frugal-eks:network"] | {"natGateways": way_out}
    image = {"amiAlias": "al2023@v20260930"}

    whole = config(image | node_class, network=network)

    assert [*roles_of_node_classes_reach_iam(whole)] == mistakes


@pytest.mark.parametrize(
    "rule", [images_of_node_classes_fit_kubernetes, roles_of_node_classes_reach_iam]
)
def test_without_karpenter_there_is_no_class(config, rule):
    assert [*rule(config({"amiAlias": AL2}, karpenter=None))] == []
