import pytest
from pydantic import ValidationError

from components.nodes.managed_config import ManagedNodeGroupConfig

FEWEST = {
    "instanceTypes": ["m7i.large", "m6i.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 1, "max": 3},
}


def config(**settings):
    return ManagedNodeGroupConfig.model_validate(FEWEST | settings)


def told(**settings):
    """What is said of these settings."""
    with pytest.raises(ValidationError) as refused:
        config(**settings)
    (error,) = refused.value.errors()
    return error["msg"]


@pytest.mark.parametrize("update", [{}, {"maxUnavailable": 1, "maxUnavailablePercentage": 33}])
def test_an_update_is_bounded_in_one_way(update):
    assert told(update=update) == (
        ": give either maxUnavailable or maxUnavailablePercentage: exactly one of them"
    )


@pytest.mark.parametrize(
    ("update", "key"),
    [
        ({"maxUnavailable": 0}, "maxUnavailable"),
        ({"maxUnavailablePercentage": 101}, "maxUnavailablePercentage"),
    ],
)
def test_an_update_takes_at_least_one_node_and_at_most_all(update, key):
    with pytest.raises(ValidationError) as refused:
        config(update=update)

    assert [error["loc"] for error in refused.value.errors()] == [("update", key)]


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("release", [None, "latest", "1.35", "1.35.3", "1.35.3-latest", ""])
def test_an_image_that_is_not_pinned_is_refused(release):
    settings = {k: v for k, v in FEWEST.items() if k != "releaseVersion"}
    settings |= {} if release is None else {"releaseVersion": release}

    with pytest.raises(ValidationError) as refused:
        ManagedNodeGroupConfig.model_validate(settings)
    assert [error["loc"] for error in refused.value.errors()] == [("releaseVersion",)]


ARM = {"instanceTypes": ["m7g.large", "c7g.large"]}


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            {"instanceTypes": ["m7i.large", "m7g.large", "m6i.large"]},
            "instanceTypes: mixes architectures, and a group has one image: m7i.large, m6i.large "
            "(x86_64) and m7g.large (arm64); make a group of each",
        ),
        (
            ARM,
            "amiType: is x86_64, and all of instanceTypes are arm64: set AL2023_ARM_64_STANDARD, "
            "or change the types",
        ),
        (
            {"amiType": "BOTTLEROCKET_ARM_64", "releaseVersion": "1.66.0-1ad6b4a4"},
            "amiType: is arm64, and all of instanceTypes are x86_64: set BOTTLEROCKET_x86_64, or "
            "change the types",
        ),
        (
            {"releaseVersion": "1.66.0-1ad6b4a4"},
            "releaseVersion: is no release of AL2023: write kubelet's version and a date, for "
            "example 1.35.8-20260930 (https://github.com/awslabs/amazon-eks-ami/releases)",
        ),
        (
            {"labels": {"kubernetes.io/role": "spot"}},
            "labels.kubernetes.io/role: is one of Kubernetes' own, with which kubelet does not "
            "start: use a prefix of your own, for example example.com/role, or "
            "node.kubernetes.io/role",
        ),
    ],
)
def test_what_does_not_fit_together_is_told_with_what_to_do(settings, problem):
    assert told(**settings) == problem


def test_all_mistakes_of_a_group_are_told_at_once():
    problem = told(**ARM, releaseVersion="1.66.0-1ad6b4a4", labels={"k8s.io/a": "b"})

    assert [each.partition(":")[0] for each in problem.split("; ")] == [
        "labels.k8s.io/a",
        "amiType",
        "releaseVersion",
    ]


def test_graviton_with_an_image_for_it_is_accepted():
    assert config(**ARM, amiType="AL2023_ARM_64_STANDARD").instance_types[0] == "m7g.large"
