"""What the real provider waits for at an Auto Scaling group: its capacity, and its end."""

import re
import time

from rehearsal.aws.provider.account import AwsError
from rehearsal.aws.provider.plain import as_list
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import Values

PART = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>ms|h|m|s)")
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def seconds(duration: str) -> float:
    """Seconds of a duration in Go's notation: 10m, 1m30s, 0. Raises ValueError for anything
    else.
    """
    if duration == "0":
        return 0.0
    parts = list(PART.finditer(duration))
    if not parts or "".join(part[0] for part in parts) != duration:
        raise ValueError(f"{duration!r} is no duration such as 10m or 1m30s")
    return sum(float(part["number"]) * SECONDS[part["unit"]] for part in parts)


def wait_for_capacity(running: Running) -> None:
    """Waits until the desired capacity is in service. Raises AwsError after
    waitForCapacityTimeout.
    """
    patience = seconds(str(running.inputs.get("waitForCapacityTimeout") or "0"))
    if not patience:
        return
    end = time.monotonic() + patience
    while running.refresh() and (there := _in_service(running.description)) < (
        wanted := _wanted(running)
    ):
        if time.monotonic() > end:
            raise AwsError(
                "Timeout",
                f"waiting for Auto Scaling Group ({running.id}) capacity satisfied: want at least "
                f"{wanted} healthy instance(s) in Auto Scaling Group, have {there}",
            )
        running.pause()


def empty(running: Running) -> None:
    """Ends all instances of the group and waits until they are gone, hooks included."""
    if running.inputs.get("forceDelete"):
        return
    nothing = dict.fromkeys(("MinSize", "MaxSize", "DesiredCapacity"), 0)
    running.api("UpdateAutoScalingGroup", AutoScalingGroupName=running.id, **nothing)
    end = time.monotonic() + running.timeout_seconds
    while running.refresh() and (left := as_list(running.description.get("Instances"))):
        if time.monotonic() > end:
            raise AwsError(
                "Timeout",
                f"waiting for Auto Scaling Group ({running.id}) drain: {len(left)} instance(s) are "
                f"still there after {running.timeout_seconds:.0f} s",
            )
        running.pause()


def _wanted(running: Running) -> int:
    desired = running.inputs.get("desiredCapacity")
    return int(running.inputs["minSize"] if desired is None else desired)


def _in_service(group: Values) -> int:
    return sum(
        int(instance.get("WeightedCapacity") or 1)
        for instance in as_list(group.get("Instances"))
        if instance["LifecycleState"] == "InService" and instance["HealthStatus"] == "Healthy"
    )
