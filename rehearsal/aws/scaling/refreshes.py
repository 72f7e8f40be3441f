"""Instance refreshes: all instances of a group are replaced, a few at a time.

Warm-up and checkpoints take no time here: the next few are due as soon as those before are gone.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import datetime
import math
import uuid
from dataclasses import dataclass, field
from typing import Any

from moto.autoscaling.exceptions import AutoscalingClientError

from rehearsal.aws.scaling import endings, launches
from rehearsal.aws.scaling.model import WAITING, capacity, in_service, weight_of

ACTIVE = ("Pending", "InProgress")
ALL = 100  # per cent
DEFAULT_MIN, DEFAULT_MAX = 90, ALL  # healthy, where neither group nor refresh says


@dataclass
class Refresh:
    """One refresh, in the names of DescribeInstanceRefreshes."""

    auto_scaling_group_name: str
    preferences: dict[str, Any]
    targets: set[str]
    """Ids of the instances to be replaced."""
    instance_refresh_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    status: str = "InProgress"
    start_time: datetime.datetime = field(
        default_factory=lambda: datetime.datetime.now(datetime.UTC)
    )
    end_time: datetime.datetime | None = None
    total: int = 0
    instances_to_update: int = 0

    @property
    def percentage_complete(self) -> int:
        """Progress from 0 to 100."""
        done = self.total - self.instances_to_update
        return 100 if self.status == "Successful" else done * 100 // max(self.total, 1)


def start(group: Any, preferences: dict[str, Any]) -> Refresh:
    """Starts replacing what does not come from the group's current template."""
    if active(group):
        raise AutoscalingClientError(
            "InstanceRefreshInProgress",
            f"An Instance Refresh is already in progress and blocks the execution of this "
            f"Instance Refresh: {group.name}",
        )
    current = group.ec2_launch_template.get_version(group.launch_template_version).number
    skip = preferences.get("SkipMatching") in {True, "true"}
    targets = {
        state.instance.id
        for state in in_service(group)
        if not (skip and getattr(state, "version", None) == current)
    }
    refresh = Refresh(group.name, preferences, targets, total=len(targets))
    of_group(group).append(refresh)
    advance(group, refresh)
    return refresh


def cancel(group: Any) -> Refresh:
    """Stops replacing; ending instances still end. Raises AutoscalingClientError."""
    refresh = active(group)
    if refresh is None:
        raise AutoscalingClientError(
            "ActiveInstanceRefreshNotFound",
            f"No in progress or pending Instance Refresh found for Auto Scaling group {group.name}",
        )
    _close(refresh, "Cancelled")
    return refresh


def active(group: Any) -> Refresh | None:
    """The refresh that is under way; None if there is none."""
    return next((refresh for refresh in of_group(group) if refresh.status in ACTIVE), None)


def of_group(group: Any) -> list[Refresh]:
    """All refreshes of a group, oldest first."""
    if not hasattr(group, "refreshes"):
        group.refreshes = []
    return group.refreshes


def settle(group: Any) -> None:
    """Advances the refreshes that are under way."""
    if refresh := active(group):
        advance(group, refresh)


def advance(group: Any, refresh: Refresh) -> None:
    """Replace the next few, unless the ones before are still in their hooks."""
    old = _old(group, refresh)
    if old and not _leaving(group, refresh):
        low, high = _bounds(group, refresh)
        desired = group.desired_capacity or 0
        more = max(math.floor(desired * high / ALL) - desired, 1) if high > ALL else 0
        launches.fill(group, min(more, sum(map(weight_of, old))))
        _end_some(group, old, math.ceil(desired * low / ALL))
        if not _leaving(group, refresh):
            launches.fill(group)
    left = len(_old(group, refresh))
    refresh.instances_to_update = left + len(_leaving(group, refresh))
    if not refresh.instances_to_update:
        _close(refresh, "Successful")


def _end_some(group: Any, old: list[Any], least: int) -> None:
    """Ends as many instances as may be missing; one at a time if none may be."""
    for number, state in enumerate(old):
        too_few = capacity(group) - weight_of(state) < least
        if too_few and (number or capacity(group) > (group.desired_capacity or 0)):
            break
        endings.end(group, state)
        if too_few:
            break


def _bounds(group: Any, refresh: Refresh) -> tuple[int, int]:
    """Least and greatest percentage in service: the refresh's own, else the group's."""
    policy = getattr(group, "instance_maintenance_policy", None) or {}
    low = refresh.preferences.get("MinHealthyPercentage", policy.get("MinHealthyPercentage"))
    high = refresh.preferences.get("MaxHealthyPercentage", policy.get("MaxHealthyPercentage"))
    return (
        DEFAULT_MIN if low is None else int(low),
        DEFAULT_MAX if high is None else int(high),
    )


def _old(group: Any, refresh: Refresh) -> list[Any]:
    return [state for state in in_service(group) if state.instance.id in refresh.targets]


def _leaving(group: Any, refresh: Refresh) -> list[Any]:
    return [
        state
        for state in group.instance_states
        if state.lifecycle_state == WAITING and state.instance.id in refresh.targets
    ]


def _close(refresh: Refresh, status: str) -> None:
    refresh.status = status
    refresh.end_time = datetime.datetime.now(datetime.UTC)
