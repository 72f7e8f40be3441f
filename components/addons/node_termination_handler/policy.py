"""IAM policy of the handler in mode queue; mode imds needs no permissions."""

from collections.abc import Sequence
from typing import Any

from ...location import Location


def iam_policy(
    *, location: Location, groups: Sequence[str], queue_arn: str, heartbeats: bool
) -> dict[str, Any]:
    """Permissions for the calls of version 1.25 (pkg/monitor/sqsevent), limited to these groups and
    this queue.
    """
    actions = ["autoscaling:CompleteLifecycleAction"]
    see_hooks: list[dict[str, Any]] = []
    if heartbeats:
        # Not in the README's policy.
        actions.append("autoscaling:RecordLifecycleActionHeartbeat")
        # Before the first heartbeat it compares its interval with the hook's time-out
        # (checkHeartbeatTimeout in asg-lifecycle-event.go), and logs where it does not fit.
        see_hooks.append(
            {
                "Sid": "SeeHooks",
                "Effect": "Allow",
                "Action": "autoscaling:DescribeLifecycleHooks",
                # Auto Scaling cannot narrow it to one thing.
                "Resource": "*",
            }
        )
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "ReadQueue",
                "Effect": "Allow",
                "Action": ["sqs:DeleteMessage", "sqs:ReceiveMessage"],
                "Resource": queue_arn,
            },
            {
                "Sid": "SeeInstances",
                "Effect": "Allow",
                "Action": "ec2:DescribeInstances",
                # EC2 cannot narrow it to one thing.
                "Resource": "*",
            },
            {
                "Sid": "AnswerHooks",
                "Effect": "Allow",
                "Action": actions,
                # Between the colons stands an id that EC2 gives the group.
                "Resource": [
                    location.arn("autoscaling", f"autoScalingGroup:*:autoScalingGroupName/{group}")
                    for group in groups
                ],
            },
            *see_hooks,
        ],
    }
