"""Ends instances of groups: at once, or after the group's hooks."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import logging
import time
import uuid
from typing import Any

from moto.autoscaling.exceptions import ValidationError

from rehearsal.aws.scaling import events
from rehearsal.aws.scaling.model import WAITING, Action, Member, members, terminating_hooks

GONE = ("shutting-down", "terminated")


def end(group: Any, state: Any) -> None:
    """Begins an instance's end; does nothing if it is ending already."""
    if state.lifecycle_state == WAITING:
        return
    hooks = list(terminating_hooks(group)) if isinstance(state, Member) else []
    if not hooks or state.instance.state in GONE:
        finish(group, state)
        return
    state.lifecycle_state = WAITING
    for hook in hooks:
        seconds = float(hook.heartbeat_timeout)
        action = Action(str(uuid.uuid4()), seconds, time.monotonic() + seconds)
        state.actions[hook.name] = action
        events.lifecycle_action(group, hook, state.instance.id, action.token)


def finish(group: Any, state: Any) -> None:
    """Ends an instance for good, and forgets it."""
    if state.instance.state not in GONE:
        group.ec2_backend.terminate_instances([state.instance.id])
    group.instance_states = [other for other in group.instance_states if other is not state]


def complete(group: Any, hook: str, *, token: str, instance: str, result: str) -> None:
    """CompleteLifecycleAction, by the token or by the instance's id. Raises ValidationError."""
    member, _ = _waiting(group, hook, token=token, instance=instance)
    # Whatever the result: what ends, ends. ABANDON leaves the other hooks out.
    if result == "ABANDON":
        member.actions.clear()
    member.actions.pop(hook, None)
    if not member.actions:
        finish(group, member)


def prolong(group: Any, hook: str, *, token: str, instance: str) -> None:
    """RecordLifecycleActionHeartbeat: the hook's time begins anew. Raises ValidationError."""
    _, action = _waiting(group, hook, token=token, instance=instance)
    action.deadline = time.monotonic() + action.seconds


def settle(group: Any, now: float) -> None:
    """Ends the instances whose hooks have timed out."""
    for member in members(group):
        if member.lifecycle_state != WAITING:
            continue
        for name in [n for n, action in member.actions.items() if action.deadline <= now]:
            seconds = member.actions.pop(name).seconds
            logging.getLogger(__name__).warning(
                "%s: nobody completed hook %s for %s within %.0f s",
                group.name,
                name,
                member.instance.id,
                seconds,
            )
        if not member.actions or member.instance.state in GONE:
            finish(group, member)


def _waiting(group: Any, hook: str, *, token: str, instance: str) -> tuple[Member, Action]:
    for member in members(group):
        action = member.actions.get(hook)
        if action and (action.token == token or member.instance.id == instance):
            return member, action
    raise ValidationError(
        f"No active Lifecycle Action found with instance ID {instance}"
        if instance
        else f"No active Lifecycle Action found with token {token}"
    )
