"""A queue that hears of nodes before AWS takes them away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from ..names import EVENT_STEM_LIMIT, QUEUE_NAME_LIMIT, fitted

RETENTION_SECONDS = 300
"""A warning that is older is of no use: spot gives two minutes."""

Pattern = Mapping[str, list[str] | Mapping[str, list[str]]]
"""What EventBridge compares an event with: of each key one of the values."""

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
"""What Karpenter listens to, by the rule's name: upstream's five rules of 1.14."""


def termination_handler_patterns(
    groups: Sequence[str], *, spot: bool, rebalance: bool, scheduled: bool, state_change: bool
) -> Mapping[str, Pattern]:
    """What the Node Termination Handler listens to, by the rule's name: it drains for each.

    `groups` are names of Auto Scaling groups. Only the lifecycle action tells its group; all other
    events name an instance, and the handler looks at the tags of that.
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
    return {noun: pattern for noun, (asked, pattern) in wanted.items() if asked}


@dataclass(frozen=True, kw_only=True)
class InterruptionQueueArgs:
    """Whose nodes it is about."""

    queue_name: str
    """Known in advance, usually the cluster's name: rights and charts name it."""
    patterns: Mapping[str, Pattern] = field(default_factory=lambda: KARPENTER_PATTERNS)
    """Patterns of the events that arrive, by a noun that names the rule; absent: Karpenter's."""
    own_rules_only: bool = False
    """Whether nobody else's rules may send. Karpenter's queue has upstream's policy, without."""


class InterruptionQueue(pulumi.ComponentResource):
    """The queue, who may write to it, and the rules that do. One reader only: it deletes all."""

    queue_name: pulumi.Output[str]
    """Known once every rule delivers."""
    queue_url: pulumi.Output[str]
    """Known once every rule delivers."""
    queue_arn: pulumi.Output[str]
    """Known once there is a queue."""

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
    """Who may send, and nobody may come without TLS.

    Upstream's lets all rules send that are anywhere in AWS. With `senders`, ARNs of rules, those
    alone (EventBridge user guide, resource-based policies for SQS).
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
