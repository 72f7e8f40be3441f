"""A queue that hears of nodes before AWS takes them away."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.names import QUEUE_NAME_LIMIT, fitted

RETENTION_SECONDS = 300
"""A warning that is older is of no use: spot gives two minutes."""

EVENT_PATTERNS: Mapping[str, Mapping[str, list[str]]] = {
    "scheduled-change": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
    "spot-interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Spot Instance Interruption Warning"],
    },
    # Karpenter only reports it, as an event of the node.
    "rebalance": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Instance Rebalance Recommendation"],
    },
    "instance-state-change": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Instance State-change Notification"],
    },
    "capacity-reservation-interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}
"""What Karpenter listens to, by the rule's name: upstream's five rules of 1.14."""


@dataclass(frozen=True, kw_only=True)
class InterruptionQueueArgs:
    """Whose nodes it is about."""

    queue_name: str
    """Known in advance, usually the cluster's name: rights and charts name it."""


class InterruptionQueue(pulumi.ComponentResource):
    """The queue, who may write to it, and the rules that do. One reader only: it deletes all."""

    queue_name: pulumi.Output[str]
    """Known once every rule delivers."""
    queue_arn: pulumi.Output[str]

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
        policy = aws.sqs.QueuePolicy(
            name,
            queue_url=queue.url,
            policy=pulumi.Output.json_dumps(queue.arn.apply(queue_policy)),
            opts=child,
        )
        targets: list[aws.cloudwatch.EventTarget] = []
        for noun, pattern in EVENT_PATTERNS.items():
            rule = aws.cloudwatch.EventRule(
                f"{name}-{noun}",
                description=f"{noun} to the queue {args.queue_name}",
                event_pattern=pulumi.Output.json_dumps(pattern),
                opts=child,
            )
            target = aws.cloudwatch.EventTarget(
                f"{name}-{noun}",
                rule=rule.name,
                arn=queue.arn,
                # A rule must not deliver to a queue that refuses it.
                opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
            )
            targets.append(target)
        delivering = pulumi.Output.all(*(target.id for target in targets))
        self.queue_name = pulumi.Output.all(queue.name, delivering).apply(lambda known: known[0])
        self.register_outputs({"queueName": self.queue_name, "queueArn": self.queue_arn})


def queue_policy(queue_arn: str) -> dict[str, Any]:
    """Upstream's: AWS's event services may send, and nobody may come without TLS."""
    send = {
        "Effect": "Allow",
        "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
        "Action": "sqs:SendMessage",
        "Resource": queue_arn,
    }
    deny = {
        "Sid": "DenyHTTP",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:*",
        "Resource": queue_arn,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return {"Version": "2012-10-17", "Id": "EC2InterruptionPolicy", "Statement": [send, deny]}
