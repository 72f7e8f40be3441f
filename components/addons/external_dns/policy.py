"""IAM policy of ExternalDNS."""

from collections.abc import Sequence
from typing import Any


def iam_policy(*, partition: str, zone_ids: Sequence[str]) -> dict[str, Any]:
    """Upstream's policy without `ListTagsForResources`, which only `--aws-zone-tags` needs."""
    write = {
        "Effect": "Allow",
        "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
        "Resource": [f"arn:{partition}:route53:::hostedzone/{zone_id}" for zone_id in zone_ids],
    }
    # Route 53 cannot narrow this action to a zone.
    find = {"Effect": "Allow", "Action": "route53:ListHostedZones", "Resource": "*"}
    return {"Version": "2012-10-17", "Statement": [write, find]}
