"""The share of what may run that is on spot."""

import pytest

from tests.frugal_eks.plans.policy.cases import GROUP, MANAGED, POOL
from tests.frugal_eks.plans.policy.programs import resource, told

REMEDY = "allow spot in a pool, shrink what is on demand, or lower `policy.minSpotShare`."


def pool(*capacity_types, cpu="100", operator="In", name="pool"):
    """A NodePool; without types it says nothing of them, without cpu it has no limit."""
    requirement = {
        "key": "karpenter.sh/capacity-type",
        "operator": operator,
        "values": list(capacity_types),
    }
    spec = {"template": {"spec": {"requirements": [requirement] if capacity_types else []}}}
    return resource(POOL, {"spec": spec | ({"limits": {"cpu": cpu}} if cpu else {})}, name)


def managed(size, types=("m5.large",), capacity_type="ON_DEMAND", name="base"):
    inputs = {"scalingConfig": {"maxSize": size}, "capacityType": capacity_type}
    return resource(MANAGED, inputs | {"instanceTypes": list(types)}, name)


def group(size, base, percent, *overrides):
    policy = {
        "instancesDistribution": {
            "onDemandBaseCapacity": base,
            "onDemandPercentageAboveBaseCapacity": percent,
        },
        "launchTemplate": {"overrides": list(overrides) or [{"instanceType": "m5.large"}]},
    }
    return resource(GROUP, {"maxSize": size, "mixedInstancesPolicy": policy}, "group")


@pytest.mark.feature("C-17")
@pytest.mark.parametrize(
    ("least", "resources", "finding"),
    [
        (0.5, [pool("spot"), managed(4)], None),
        (0.95, [pool("spot"), managed(4)], "93% may run on spot, less than 95% (100 of 108 vCPUs"),
        (0.1, [pool("on-demand")], "0% may run on spot, less than 10% (0 of 100 vCPUs, on demand"),
        (1.0, [pool("spot", "on-demand")], None),
        (1.0, [pool()], None),
        (0.1, [pool("spot", operator="NotIn")], "0% may run on spot"),
        (0.5, [pool("spot", cpu="1k"), pool("on-demand", cpu="500000m", name="other")], None),
        (0.7, [pool("spot", cpu="1k"), pool("on-demand", cpu="500000m", name="other")], "67% may"),
        (0.6, [managed(2, capacity_type="SPOT"), managed(2, name="b")], "50% may run on spot"),
        (0.5, [group(4, 1, 50)], "38% may run on spot, less than 50% (3 of 8 vCPUs, on demand 5"),
        (0.5, [group(4, 0, 0)], None),
        (0.5, [group(4, 0, 0, {"instanceRequirements": {"vcpuCount": {"max": 8}}})], None),
        (0.5, [group(4, 4, 0, {"instanceRequirements": {"vcpuCount": {"max": 8}}})], "0% may"),
        (
            0.9,
            [pool("spot", cpu=None, name="a"), pool("on-demand", cpu=None, name="b"), managed(9)],
            "50% may run on spot, less than 90% (pools without a limit: a, b)",
        ),
        (0.9, [pool("spot", cpu=None), managed(50)], None),
        (
            0.5,
            [managed(2, ["m99.huge"]), pool("spot")],
            "the share on spot cannot be told: no vCPUs of base",
        ),
        (0.5, [], None),
        (0.5, [resource("aws:ec2/vpc:Vpc", {})], None),
    ],
)
def test_less_on_spot_than_is_asked_for_is_told_with_its_parts(least, resources, finding):
    texts = told("spot-share", *resources, min_spot_share=least)

    assert [text[: len(finding or "")] for text in texts] == ([finding] if finding else [])
    assert all(text.endswith(f": {REMEDY}") for text in texts)


def test_nothing_is_asked_for_until_the_stack_file_does():
    assert told("spot-share", pool("on-demand")) == []
