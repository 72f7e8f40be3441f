"""An SQS queue that receives EC2's notices about nodes before AWS takes the nodes away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from ..names import EVENT_STEM_LIMIT, QUEUE_NAME_LIMIT, fitted

RETENTION_SECONDS = 300
"""How long the queue keeps a notice. An older one is of no use: spot gives two minutes."""

Pattern = Mapping[str, list[str] | Mapping[str, list[str]]]
"""An EventBridge event pattern: for each key, the values of which an event must have one."""

_SPOT_INTERRUPTION: Pattern = {
    "source": ["aws.ec2"],
    "detail-type": ["EC2 Spot Instance Interruption Warning"],
}
_REBALANCE: Pattern = {
    "source": ["aws.ec2"],
    "detail-type": ["EC2 Instance Rebalance Recommendation"],
}
_STATE_CHANGE: Pattern = {
    "source": ["aws.ec2"],
    "detail-type": ["EC2 Instance State-change Notification"],
}
_HEALTH: Pattern = {"source": ["aws.health"], "detail-type": ["AWS Health Event"]}

KARPENTER_PATTERNS: Mapping[str, Pattern] = {
    "scheduled-change": _HEALTH,
    "spot-interruption": _SPOT_INTERRUPTION,
    # Karpenter only reports it, as an event of the node.
    "rebalance": _REBALANCE,
    "instance-state-change": _STATE_CHANGE,
    "capacity-reservation-interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}
"""Event patterns for Karpenter by rule name: upstream's five rules of 1.14."""


def termination_handler_patterns(
    groups: Sequence[str], *, spot: bool, rebalance: bool, scheduled: bool, state_change: bool
) -> Mapping[str, Pattern]:
    """Event patterns for the Node Termination Handler by rule name; each makes it drain a node.

    `groups` are names of Auto Scaling groups. Only the lifecycle action names its group; all other
    events name an instance, whose tags the handler reads.
    """
    wanted: dict[str, tuple[bool, Pattern]] = {
        "lifecycle-action": (
            True,
            {
                "source": ["aws.autoscaling"],
                "detail-type": ["EC2 Instance-terminate Lifecycle Action"],
                "detail": {"AutoScalingGroupName": list(groups)},
            },
        ),
        "spot-interruption": (spot, _SPOT_INTERRUPTION),
        "rebalance": (rebalance, _REBALANCE),
        "instance-state-change": (
            state_change,
            # The handler drops `pending` and `running`.
            {
                **_STATE_CHANGE,
                "detail": {"state": ["stopping", "stopped", "shutting-down", "terminated"]},
            },
        ),
        "scheduled-change": (
            scheduled,
            {**_HEALTH, "detail": {"service": ["EC2"], "eventTypeCategory": ["scheduledChange"]}},
        ),
    }
    return {noun: pattern for noun, (enabled, pattern) in wanted.items() if enabled}


@dataclass(frozen=True, kw_only=True)
class InterruptionQueueArgs:
    """Name of the queue, and the events that it receives."""

    queue_name: str
    """The queue's name, known in advance and usually the cluster's: IAM policies and charts refer
    to it.
    """
    patterns: Mapping[str, Pattern] = field(default_factory=lambda: KARPENTER_PATTERNS)
    """Event patterns by rule name; absent: Karpenter's."""
    own_rules_only: bool = False
    """If true, only this component's rules may send (aws:SourceArn); false keeps upstream's open
    policy.
    """


class InterruptionQueue(pulumi.ComponentResource):
    """The queue, its resource policy and the rules that send to it. Only one program may read it,
    because a reader deletes what it reads.
    """

    queue_name: pulumi.Output[str]
    """Name of the queue; resolves once every rule delivers to it."""
    queue_url: pulumi.Output[str]
    """URL of the queue; resolves once every rule delivers to it."""
    queue_arn: pulumi.Output[str]
    """ARN of the queue; resolves once the queue exists."""

    def __init__(
        self, name: str, args: InterruptionQueueArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:InterruptionQueue", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        queue = aws.sqs.Queue(
            name,
            name=fitted(args.queue_name, QUEUE_NAME_LIMIT),
            message_retention_seconds=RETENTION_SECONDS,
            # The key of SQS: EventBridge could not use the AWS-managed key of KMS.
            sqs_managed_sse_enabled=True,
            opts=child,
        )
        self.queue_arn = queue.arn
        # The provider refuses a name that is too long, and the preview with it.
        names = {noun: fitted(f"{name}-{noun}", EVENT_STEM_LIMIT) for noun in args.patterns}
        rules = {
            noun: aws.cloudwatch.EventRule(
                names[noun],
                description=f"{noun} to the queue {args.queue_name}",
                event_pattern=pulumi.Output.json_dumps(pattern),
                opts=child,
            )
            for noun, pattern in args.patterns.items()
        }
        senders = [rule.arn for rule in rules.values()] if args.own_rules_only else []
        policy = aws.sqs.QueuePolicy(
            name,
            queue_url=queue.url,
            policy=pulumi.Output.json_dumps(
                pulumi.Output.all(queue.arn, *senders).apply(
                    lambda arns: queue_policy(arns[0], senders=arns[1:])
                )
            ),
            opts=child,
        )
        targets = [
            aws.cloudwatch.EventTarget(
                names[noun],
                rule=rule.name,
                arn=queue.arn,
                # A rule must not deliver to a queue that refuses it.
                opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
            )
            for noun, rule in rules.items()
        ]
        delivering = pulumi.Output.all(*(target.id for target in targets))
        self.queue_name = pulumi.Output.all(queue.name, delivering).apply(lambda known: known[0])
        self.queue_url = pulumi.Output.all(queue.url, delivering).apply(lambda known: known[0])
        self.register_outputs({"queueName": self.queue_name, "queueArn": self.queue_arn})


def queue_policy(queue_arn: str, *, senders: Sequence[str] = ()) -> dict[str, Any]:
    """Resource policy of the queue: who may send, and TLS only.

    Upstream's policy lets every rule in AWS send, in whatever account. With `senders`, ARNs of
    rules, only those may (EventBridge user guide, resource-based policies for SQS).
    """
    send: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
        "Action": "sqs:SendMessage",
        "Resource": queue_arn,
    }
    if senders:
        send["Principal"] = {"Service": "events.amazonaws.com"}
        send["Condition"] = {"ArnEquals": {"aws:SourceArn": list(senders)}}
    deny = {
        "Sid": "DenyHTTP",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:*",
        "Resource": queue_arn,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return {"Version": "2012-10-17", "Id": "EC2InterruptionPolicy", "Statement": [send, deny]}
