"""What AWS refuses in an Auto Scaling group, beyond its published model."""

from collections.abc import Iterator

from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.resource_types.autoscaling_waits import seconds
from rehearsal.aws.resource_types.entry import Values

STRATEGIES = {
    "onDemandAllocationStrategy": ("lowest-price", "prioritized"),
    "spotAllocationStrategy": (
        "lowest-price",
        "capacity-optimized",
        "capacity-optimized-prioritized",
        "price-capacity-optimized",
    ),
}
PREFERENCES = {
    "alarmSpecification",
    "autoRollback",
    "checkpointDelay",
    "checkpointPercentages",
    "instanceWarmup",
    "maxHealthyPercentage",
    "minHealthyPercentage",
    "scaleInProtectedInstances",
    "skipMatching",
    "standbyInstances",
}
"""All preferences of an instance refresh that the SDK knows."""
PROCESSES = (
    "Launch",
    "Terminate",
    "AddToLoadBalancer",
    "AlarmNotification",
    "AZRebalance",
    "HealthCheck",
    "InstanceRefresh",
    "ReplaceUnhealthy",
    "ScheduledActions",
)
TRANSITIONS = ("autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING")
POOLS, HEARTBEAT, LIFETIME, WEIGHT = range(1, 21), range(30, 7201), range(86400, 31536001), 999


def _sizes(inputs: Values) -> str | None:
    low, wanted, high = (inputs.get(n) for n in ("minSize", "desiredCapacity", "maxSize"))
    if low is None or high is None or low <= (low if wanted is None else wanted) <= high:
        return None
    return (
        "ValidationError: minSize <= desiredCapacity <= maxSize must hold "
        f"(got {low}, {wanted}, {high})"
    )


def _distribution(inputs: Values) -> str | None:
    distribution = as_object(
        as_object(inputs.get("mixedInstancesPolicy")).get("instancesDistribution")
    )
    return next(_distribution_refusals(distribution), None)


def _distribution_refusals(distribution: Values) -> Iterator[str]:
    for name, allowed in STRATEGIES.items():
        if (given := distribution.get(name)) is not None and given not in allowed:
            yield f"ValidationError: {name} must be one of {', '.join(allowed)} (got {given})"
    share = distribution.get("onDemandPercentageAboveBaseCapacity")
    if share is not None and not 0 <= share <= 100:  # noqa: PLR2004
        yield (
            "ValidationError: onDemandPercentageAboveBaseCapacity must be from 0 to 100 "
            f"(got {share})"
        )
    pools = distribution.get("spotInstancePools")
    if pools and distribution.get("spotAllocationStrategy", "lowest-price") != "lowest-price":
        yield (
            "ValidationError: SpotInstancePools option is only available with the lowest-price "
            "allocation strategy"
        )
    if pools and pools not in POOLS:
        yield f"ValidationError: spotInstancePools must be from 1 to 20 (got {pools})"


def _overrides(inputs: Values) -> str | None:
    policy = as_object(inputs.get("mixedInstancesPolicy"))
    overrides = as_list(as_object(policy.get("launchTemplate")).get("overrides"))
    weights = [override.get("weightedCapacity") for override in overrides]
    if any(weights) and not all(weights):
        return "ValidationError: WeightedCapacity must be given for every override or for none"
    if odd := [w for w in weights if w and not (str(w).isdigit() and 1 <= int(w) <= WEIGHT)]:
        return f"ValidationError: WeightedCapacity must be from 1 to {WEIGHT} (got {odd[0]})"
    if any(
        ("instanceType" in override) == ("instanceRequirements" in override)
        for override in overrides
    ):
        return "ValidationError: each override needs InstanceType or InstanceRequirements"
    types = [override.get("instanceType") for override in overrides if override.get("instanceType")]
    if twice := sorted({name for name in types if types.count(name) > 1}):
        return f"ValidationError: the instance type {twice[0]} is in two overrides"
    return None


def _hooks(inputs: Values) -> str | None:
    for hook in as_list(inputs.get("initialLifecycleHooks")):
        if hook.get("lifecycleTransition") not in TRANSITIONS:
            return f"ValidationError: lifecycleTransition must be one of {', '.join(TRANSITIONS)}"
        if hook.get("defaultResult", "ABANDON") not in {"CONTINUE", "ABANDON"}:
            return "ValidationError: defaultResult must be CONTINUE or ABANDON"
        if int(hook.get("heartbeatTimeout", 3600)) not in HEARTBEAT:
            return (
                "ValidationError: heartbeatTimeout must be from 30 to 7200 seconds "
                f"(got {hook['heartbeatTimeout']})"
            )
    return None


def _refresh(inputs: Values) -> str | None:
    preferences = as_object(as_object(inputs.get("instanceRefresh")).get("preferences"))
    if odd := sorted(preferences.keys() - PREFERENCES):
        return f"unknown property instanceRefresh.preferences.{odd[0]}"
    low, high = preferences.get("minHealthyPercentage"), preferences.get("maxHealthyPercentage")
    return _healthy("instanceRefresh.preferences", low, high)


def _maintenance(inputs: Values) -> str | None:
    policy = as_object(inputs.get("instanceMaintenancePolicy"))
    low, high = policy.get("minHealthyPercentage"), policy.get("maxHealthyPercentage")
    return None if low == high == -1 else _healthy("instanceMaintenancePolicy", low, high)


def _healthy(where: str, low: float | None, high: float | None) -> str | None:
    if low is not None and not 0 <= low <= 100:  # noqa: PLR2004
        return f"ValidationError: {where}.minHealthyPercentage must be from 0 to 100 (got {low})"
    if high is not None and not 100 <= high <= 200:  # noqa: PLR2004
        return f"ValidationError: {where}.maxHealthyPercentage must be from 100 to 200 (got {high})"
    if low is not None and high is not None and high - low > 100:  # noqa: PLR2004
        return (
            f"ValidationError: {where}: maxHealthyPercentage - minHealthyPercentage must be at "
            f"most 100 (got {high} and {low})"
        )
    return None


def _others(inputs: Values) -> str | None:
    if odd := [p for p in as_list(inputs.get("suspendedProcesses")) if p not in PROCESSES]:
        return f"ValidationError: suspendedProcesses: {odd[0]} is no scaling process"
    lifetime = inputs.get("maxInstanceLifetime")
    if lifetime and int(lifetime) not in LIFETIME:
        return (
            "ValidationError: maxInstanceLifetime must be 0 or from 86400 to 31536000 seconds "
            f"(got {lifetime})"
        )
    try:
        seconds(str(inputs.get("waitForCapacityTimeout") or "0"))
    except ValueError as error:
        return f"waitForCapacityTimeout: {error}"
    return None


RULES = (_sizes, _distribution, _overrides, _hooks, _refresh, _maintenance, _others)
