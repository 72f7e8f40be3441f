"""Rules about deletions of data. The engine asks a policy pack only about resources that stay or
come, never about deleted ones: these rules need a preview file.
"""

from collections.abc import Iterator

from frugal_eks.plans.policy.rule import ChangeRule, Finding
from frugal_eks.plans.policy.rules.access import CLUSTER
from frugal_eks.plans.previews import Change, Preview

KEPT = frozenset(
    {
        CLUSTER,
        "aws:cloudwatch/logGroup:LogGroup",
        "aws:dynamodb/table:Table",
        "aws:ebs/volume:Volume",
        "aws:ecr/repository:Repository",
        "aws:efs/fileSystem:FileSystem",
        "aws:kms/key:Key",
        "aws:rds/cluster:Cluster",
        "aws:rds/instance:Instance",
        "aws:route53/zone:Zone",
        "aws:s3/bucket:Bucket",
        "aws:secretsmanager/secret:Secret",
        "kubernetes:core/v1:Namespace",
        "kubernetes:core/v1:PersistentVolumeClaim",
    }
)
"""Types that hold data, or that hold what others have put into them."""
_HOW = {"delete": "is deleted", "replace": "is replaced"}


def _goes(preview: Preview) -> Iterator[Finding]:
    for change in preview.changes:
        if _is_lost(change):
            because = ", ".join(change.replace_reasons)
            why = f" because of {because}" if because else ""
            yield Finding(change.urn, f"{change.type} {_HOW[change.operation]}{why}")


def _is_lost(change: Change) -> bool:
    old = change.old
    if change.operation not in _HOW or old is None or old.retain_on_delete:
        return False
    return old.protect or change.type in KEPT


RULES = (
    ChangeRule(
        name="deletes-protected",
        level="mandatory",
        reason="What it holds is gone, and no `pulumi up` brings it back.",
        remedy="keep it, or except it by its name for this one change",
        check=_goes,
    ),
)
