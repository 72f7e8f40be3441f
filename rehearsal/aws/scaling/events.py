"""Events of EC2 and Auto Scaling, sent through moto's EventBridge to its rules and queues."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import json
import logging
from collections.abc import Iterable
from typing import Any

from moto.events.models import events_backends
from moto.utilities.utils import get_partition

TERMINATING = "autoscaling:EC2_INSTANCE_TERMINATING"


def lifecycle_action(group: Any, hook: Any, instance_id: str, token: str) -> None:
    """Event of an instance that waits for the end of a hook's action."""
    detail = {
        "LifecycleActionToken": token,
        "AutoScalingGroupName": group.name,
        "LifecycleHookName": hook.name,
        "EC2InstanceId": instance_id,
        "LifecycleTransition": TERMINATING,
        "Origin": "AutoScalingGroup",
        "Destination": "EC2",
    }
    if metadata := getattr(hook, "notification_metadata", None):
        detail["NotificationMetadata"] = metadata
    where = (group.account_id, group.region)
    kind = "EC2 Instance-terminate Lifecycle Action"
    _send(where, "aws.autoscaling", kind, [group.arn], detail)


def state_changes(instance: Any, states: Iterable[str]) -> None:
    """Events of an instance that passed through these states."""
    ec2 = instance.ec2_backend
    account, region = ec2.account_id, ec2.region_name
    arn = f"arn:{get_partition(region)}:ec2:{region}:{account}:instance/{instance.id}"
    for state in states:
        _send(
            (account, region),
            "aws.ec2",
            "EC2 Instance State-change Notification",
            [arn],
            {"instance-id": instance.id, "state": state},
        )


def _send(
    where: tuple[str, str], source: str, kind: str, resources: list[str], detail: dict[str, Any]
) -> None:
    account, region = where
    event = {
        "Source": source,
        "DetailType": kind,
        "Resources": resources,
        "Detail": json.dumps(detail),
    }
    try:
        events_backends[account][region].put_events([event])
    except Exception as error:  # moto's own, one a service: a target that is gone
        # EventBridge drops what a target does not take.
        logging.getLogger(__name__).warning("%s of %s not delivered: %s", kind, resources, error)
