"""Exceptions: what they cover, and that they are told."""

import pytest

from frugal_eks.plans.policy.enforcing import PLATFORM, Enforcement, section
from frugal_eks.plans.policy.rule import Settings
from tests.frugal_eks.plans.policy.cases import CLUSTER, DEPLOYMENT, cluster, pods
from tests.frugal_eks.plans.policy.programs import found, resource

LATEST = [resource(DEPLOYMENT, pods("app:latest"), name) for name in ("web-1", "web-2", "job")]
WHY = "until the next release"


def names(key):
    enforcement = Enforcement(Settings(exceptions={key: WHY}))
    told = found("unpinned-image", LATEST, enforcement)
    return [one.urn.rpartition("::")[2] for one in told], [*enforcement.exceptions()]


@pytest.mark.feature("C-17")
@pytest.mark.parametrize(
    ("key", "left", "exceptions"),
    [
        ("unpinned-image", [], ["unpinned-image covers 3 findings: until the next release"]),
        (
            "unpinned-image/job",
            ["web-1", "web-2"],
            ["unpinned-image/job covers 1 finding: until the next release"],
        ),
        (
            "unpinned-image/web-*",
            ["job"],
            ["unpinned-image/web-* covers 2 findings: until the next release"],
        ),
        (
            "unpinned-image/gone",
            ["web-1", "web-2", "job"],
            ["unpinned-image/gone covers nothing any more: drop it from policy.except"],
        ),
        (
            "unpinned-chart",
            ["web-1", "web-2", "job"],
            ["unpinned-chart covers nothing any more: drop it from policy.except"],
        ),
    ],
)
def test_an_exception_covers_its_rule_or_resources_of_a_name_and_is_told(key, left, exceptions):
    assert names(key) == (left, exceptions)


def test_what_is_looked_at_twice_is_counted_once():
    enforcement = Enforcement(Settings(exceptions={"unpinned-image": WHY}))

    found("unpinned-image", LATEST, enforcement)
    found("unpinned-image", LATEST, enforcement)

    assert [*enforcement.exceptions()] == [f"unpinned-image covers 3 findings: {WHY}"]


def test_the_platform_tells_what_its_stack_file_says():
    policy = {
        "except": {"untagged": WHY},
        "requiredTags": ["team"],
        "minSpotShare": 0.5,
        "monthlyBudgetUsd": 500,
    }
    enforcement = Enforcement()
    enforcement.at("eu-west-1")
    enforcement.meet(resource(PLATFORM, {"policy": policy}))

    assert enforcement.settings == Settings(
        exceptions={"untagged": WHY},
        required_tags=("team",),
        min_spot_share=0.5,
        monthly_budget_usd=500.0,
        region="eu-west-1",
    )


@pytest.mark.parametrize("value", [None, "text", {}, {"except": None, "requiredTags": None}])
def test_a_stack_that_says_nothing_asks_for_nothing(value):
    assert section(value) == Settings()


def test_the_stack_files_word_counts_before_the_packs_own_configuration():
    enforcement = Enforcement(Settings(required_tags=("team",)))
    own = Settings(required_tags=("owner",), exceptions={"missing-tags/y": WHY})
    vpcs = [resource("aws:ec2/vpc:Vpc", {}, name) for name in ("x", "y")]
    rule = next(v.rule for v in found("missing-tags", vpcs, enforcement))

    told = [v for one in vpcs for v in enforcement.of_resource(rule, one, own)]
    assert [(v.urn[-1], v.text[:15]) for v in told] == [("x", "tags lacks team")]


def test_all_that_is_broken_in_one_resource_is_told():
    one = resource(CLUSTER, cluster({"publicAccessCidrs": ["0.0.0.0/0", "::/0"]}))

    told = [violation.text.partition(": ")[0] for violation in found("open-cluster-api", [one])]
    assert told == [
        "vpcConfig.publicAccessCidrs has 0.0.0.0/0",
        "vpcConfig.publicAccessCidrs has ::/0",
    ]
