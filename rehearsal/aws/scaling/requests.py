"""Answers requests about Auto Scaling groups that moto lacks, or answers differently from AWS."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from typing import Any, cast

from moto.autoscaling.exceptions import AutoscalingClientError, ValidationError
from moto.autoscaling.models import (
    AutoScalingBackend,
    FakeAutoScalingGroup,
    TerminateInstanceActivity,
)
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult, EmptyResult

from rehearsal.aws.scaling import endings, launches, refreshes
from rehearsal.aws.scaling.settings import (
    create_group,
    own_template,
    update_group,
    update_settings,
)


def install() -> None:
    """Makes moto answer this way, in the whole process. Safe to call again."""
    group, backend, response = (
        cast("Any", patched)
        for patched in (FakeAutoScalingGroup, AutoScalingBackend, AutoScalingResponse)
    )
    group.set_desired_capacity = launches.set_desired_capacity
    group.update = update_settings
    group.launch_template = property(own_template)
    backend.set_desired_capacity = _set_desired_capacity
    backend.delete_auto_scaling_group = _delete_at_once
    backend.terminate_instance = _terminate
    backend.notify_terminate_instances = _notice_later
    response.create_auto_scaling_group = create_group
    response.update_auto_scaling_group = update_group
    response.delete_auto_scaling_group = _delete
    response.complete_lifecycle_action = _complete
    response.record_lifecycle_action_heartbeat = _heartbeat
    response.start_instance_refresh = _start_refresh
    response.cancel_instance_refresh = _cancel_refresh
    response.describe_instance_refreshes = _describe_refreshes


def group_named(backend: Any, name: str) -> Any:
    """The group of that name. Raises ValidationError."""
    if name not in backend.autoscaling_groups:
        raise ValidationError(f"AutoScalingGroup name not found - {name}")
    return backend.autoscaling_groups[name]


def _set_desired_capacity(backend: Any, group_name: str, desired_capacity: int | None) -> None:
    group = group_named(backend, group_name)
    if desired_capacity is not None:
        for bound, limit, beyond in (
            ("above max", group.max_size, desired_capacity > group.max_size),
            ("below min", group.min_size, desired_capacity < group.min_size),
        ):
            if beyond:
                raise ValidationError(
                    f"New SetDesiredCapacity value {desired_capacity} is {bound} value {limit} "
                    "for the AutoScalingGroup."
                )
    group.set_desired_capacity(desired_capacity)


def _delete_at_once(backend: Any, group_name: str) -> None:
    """Deletes without waiting for hooks, as ForceDelete does."""
    group = group_named(backend, group_name)
    for state in list(group.instance_states):
        endings.finish(group, state)
    for hook in backend.describe_lifecycle_hooks(group_name):
        backend.delete_lifecycle_hook(group_name, hook.name)
    del backend.autoscaling_groups[group_name]


def _delete(response: Any) -> EmptyResult:
    backend, name = response.autoscaling_backend, response._get_param("AutoScalingGroupName")
    if group_named(backend, name).instance_states and not response._get_bool_param(
        "ForceDelete", False
    ):
        raise AutoscalingClientError(
            "ResourceInUse",
            "You cannot delete an AutoScalingGroup while there are instances or pending Spot "
            "instance request(s) still in the group.",
        )
    backend.delete_auto_scaling_group(name)
    return EmptyResult()


def _terminate(backend: Any, instance_id: str, should_decrement: bool) -> Any:
    for group in backend.autoscaling_groups.values():
        for state in group.instance_states:
            if state.instance.id == instance_id:
                return _end_one(group, state, smaller=should_decrement)
    raise ValidationError(
        f"Instance Id not found - No managed instance found for instance ID: {instance_id}"
    )


def _end_one(group: Any, state: Any, *, smaller: bool) -> TerminateInstanceActivity:
    before = group.desired_capacity
    if smaller and before <= group.min_size:
        raise ValidationError(
            f"Currently, desiredSize equals minSize ({group.min_size}). Terminating instance "
            "without replacement will violate group's min size constraint. Either set "
            "shouldDecrementDesiredCapacity flag to false or lower group's min size."
        )
    endings.end(group, state)
    if smaller:
        group.desired_capacity = before - 1
    else:
        launches.fill(group)
    return TerminateInstanceActivity(state.instance, before)


def _notice_later(backend: Any, instance_ids: list[str]) -> None:
    """A group finds out by its health checks that an instance is gone."""


def _complete(response: Any) -> EmptyResult:
    group, hook, whose = _action_of(response)
    result = response._get_param("LifecycleActionResult")
    endings.complete(group, hook, result=result, **whose)
    return EmptyResult()


def _heartbeat(response: Any) -> EmptyResult:
    group, hook, whose = _action_of(response)
    endings.prolong(group, hook, **whose)
    return EmptyResult()


def _action_of(response: Any) -> tuple[Any, str, dict[str, str]]:
    group = group_named(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    whose = {
        "token": response._get_param("LifecycleActionToken") or "",
        "instance": response._get_param("InstanceId") or "",
    }
    return group, response._get_param("LifecycleHookName"), whose


def _start_refresh(response: Any) -> ActionResult:
    group = group_named(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    refresh = refreshes.start(group, response._get_param("Preferences", {}))
    return ActionResult({"InstanceRefreshId": refresh.instance_refresh_id})


def _cancel_refresh(response: Any) -> ActionResult:
    group = group_named(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    return ActionResult({"InstanceRefreshId": refreshes.cancel(group).instance_refresh_id})


def _describe_refreshes(response: Any) -> ActionResult:
    group = group_named(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    ids = response._get_param("InstanceRefreshIds", [])
    known = [
        refresh
        for refresh in reversed(refreshes.of_group(group))
        if not ids or refresh.instance_refresh_id in ids
    ]
    return ActionResult({"InstanceRefreshes": known})
