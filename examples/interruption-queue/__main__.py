"""The interruption queue alone, for a Karpenter that Helm or GitOps installs."""

import pulumi
from frugal_eks.components.nodes.interruption import InterruptionQueue, InterruptionQueueArgs

name = pulumi.Config().require("queueName")
args = InterruptionQueueArgs(queue_name=name, own_rules_only=True)
queue = InterruptionQueue("interruption", args)

# The chart's `settings.interruptionQueue`; the ARN is for its role's policy.
pulumi.export("queueName", queue.queue_name)
pulumi.export("queueArn", queue.queue_arn)
