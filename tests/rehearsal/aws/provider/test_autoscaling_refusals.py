"""What AWS refuses in Auto Scaling groups is refused before anything is made."""

from typing import Any

import pytest

from rehearsal.aws.resource_types.autoscaling_waits import seconds

GROUP = "aws:autoscaling/group:Group"
HOOK = {
    "name": "drain",
    "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
    "defaultResult": "CONTINUE",
    "heartbeatTimeout": 300,
    "notificationMetadata": "why",
}


def test_durations_are_go_s():
    assert [seconds(text) for text in ("0", "10m", "1m30s", "1.5h")] == [0, 600, 90, 5400]
    with pytest.raises(ValueError, match="10 minutes"):
        seconds("10 minutes")


def distribution(**given: Any) -> dict[str, Any]:
    return {"mixedInstancesPolicy": policy(given, [{"instanceType": "m6g.large"}])}


def policy(distribution: dict[str, Any], overrides: list[dict[str, Any]]) -> dict[str, Any]:
    launched = {
        "launchTemplateSpecification": {"launchTemplateId": "lt-0123456789abcdef0"},
        "overrides": overrides,
    }
    return {"launchTemplate": launched, "instancesDistribution": distribution}


def overrides(*given: dict[str, Any]) -> dict[str, Any]:
    return {"mixedInstancesPolicy": policy({}, list(given))}


@pytest.mark.parametrize(
    ("props", "reason"),
    [
        (distribution(spotAllocationStrategy="cheapest"), "price-capacity-optimized (got cheap"),
        (distribution(onDemandPercentageAboveBaseCapacity=101), "from 0 to 100 (got 101"),
        (
            distribution(spotInstancePools=2, spotAllocationStrategy="capacity-optimized"),
            "only available with the lowest-price",
        ),
        (distribution(spotInstancePools=21), "spotInstancePools must be from 1 to 20"),
        (
            overrides({"instanceType": "a", "weightedCapacity": "1"}, {"instanceType": "b"}),
            "for every override or for none",
        ),
        (overrides({"instanceType": "a", "weightedCapacity": "1000"}), "from 1 to 999"),
        (overrides({"weightedCapacity": "1"}), "needs InstanceType or InstanceRequirements"),
        (overrides({"instanceType": "a"}, {"instanceType": "a"}), "type a is in two overrides"),
        ({"initialLifecycleHooks": [HOOK | {"heartbeatTimeout": 29}]}, "from 30 to 7200 seconds"),
        ({"initialLifecycleHooks": [HOOK | {"defaultResult": "STOP"}]}, "CONTINUE or ABANDON"),
        ({"initialLifecycleHooks": [HOOK | {"lifecycleTransition": "x"}]}, "must be one of"),
        ({"instanceRefresh": {"preferences": {"speed": 1}}}, "unknown property instanceRefresh"),
        (
            {
                "instanceMaintenancePolicy": {
                    "minHealthyPercentage": 50,
                    "maxHealthyPercentage": 160,
                }
            },
            "must be at most 100 (got 160",
        ),
        (
            {"instanceRefresh": {"preferences": {"maxHealthyPercentage": 90}}},
            "maxHealthyPercentage must be from 100 to 200",
        ),
        ({"suspendedProcesses": ["Lunch"]}, "Lunch is no scaling process"),
        ({"maxInstanceLifetime": 60}, "must be 0 or from 86400 to 31536000"),
        ({"waitForCapacityTimeout": "soon"}, "'soon' is no duration"),
    ],
)
def test_what_aws_would_refuse_is_refused_before_anything_is_made(
    engine: Any, props: dict[str, Any], reason: str
):
    good = {"minSize": 0, "maxSize": 1, "vpcZoneIdentifiers": ["subnet-0123456789abcdef0"]}
    inputs = good | overrides({"instanceType": "m6g.large"}) | props

    with pytest.raises(engine.Refusal) as refused:
        engine.check(GROUP, "bad", inputs)

    assert reason in str(refused.value)
