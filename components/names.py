"""Physical names that fit AWS's limits and stay the same from run to run."""

import hashlib

ROLE_NAME_LIMIT = 64
"""Most characters in the name of an IAM role (IAM and STS quotas)."""
ROLE_STEM_LIMIT = ROLE_NAME_LIMIT - 8
"""Most characters in the logical name of a role that Pulumi names: it adds a dash and seven digits,
and refuses a longer name.
"""
EVENT_STEM_LIMIT = 64 - 8
"""Most characters in the logical name of an event rule or target that Pulumi names: EventBridge
allows 64.
"""
NODE_GROUP_STEM_LIMIT = 63 - 8
"""Most characters in the logical name of a managed node group that Pulumi names: EKS allows 63."""
POLICY_NAME_LIMIT = 128
"""Most characters in the name of a managed policy (IAM and STS quotas)."""
QUEUE_NAME_LIMIT = 80
"""Most characters in the name of an SQS queue."""
TAG_KEY_LIMIT = 128
"""Most characters in the key of a tag."""

_DIGITS = 8


def fitted(name: str, limit: int) -> str:
    """The name if it fits, else its beginning and a hash of the whole.

    The hash tells apart two long names that begin alike, and depends on nothing but the name: the
    next run, and another machine, get the same result.
    """
    if len(name) <= limit:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGITS]
    return f"{name[: limit - _DIGITS - 1].rstrip('-')}-{digest}"
