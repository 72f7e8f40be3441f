"""Plays tags of everything that has an ARN in EKS."""

from collections.abc import Iterable
from itertools import chain

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params

LIMIT = 50
ARNS = (
    "arn", "fargateProfileArn", "addonArn", "nodegroupArn", "accessEntryArn", "associationArn"
)  # fmt: skip
"""Key of the ARN in each kind of description."""


def tag_resource(eks: Eks, params: Params) -> Answer:
    """TagResource."""
    tags = _tagged(eks, params["resourceArn"])
    if len({**tags, **params["tags"]}) > LIMIT:
        raise AwsError("BadRequestException", f"A resource can have at most {LIMIT} tags")
    tags.update(params["tags"])
    return {}


def untag_resource(eks: Eks, params: Params) -> Answer:
    """UntagResource. Absent keys are ignored."""
    tags = _tagged(eks, params["resourceArn"])
    for key in params["tagKeys"]:
        tags.pop(key, None)
    return {}


def list_tags_for_resource(eks: Eks, params: Params) -> Answer:
    """ListTagsForResource."""
    return {"tags": _tagged(eks, params["resourceArn"])}


def _tagged(eks: Eks, arn: str) -> dict[str, str]:
    for cluster in eks.clusters.values():
        for described in _everything(cluster):
            if arn in (described.get(key) for key in ARNS):
                return described.setdefault("tags", {})
    raise AwsError("NotFoundException", f"No resource found for ARN: {arn}")


def _everything(cluster: Cluster) -> Iterable[Answer]:
    managed = chain(
        [cluster],
        cluster.fargate_profiles.values(),
        cluster.addons.values(),
        cluster.nodegroups.values(),
    )
    described = (resource.described for resource in managed)
    return chain(described, cluster.access_entries.values(), cluster.pod_identities.values())


HANDLERS = {
    "TagResource": tag_resource,
    "UntagResource": untag_resource,
    "ListTagsForResource": list_tags_for_resource,
}
