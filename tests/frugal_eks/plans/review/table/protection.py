"""What no longer protects."""

from tests.frugal_eks.plans.review.made import step
from tests.frugal_eks.plans.review.table.case import Case

DATABASE, KEY = "aws:rds/instance:Instance", "aws:kms/key:Key"
GONE = "Protection is removed"


def _same(type_, *, before, after):
    """Pulumi's own options: no property changes, so the engine calls it the same."""
    made = step("same", type_)
    made["oldState"] |= before
    made["newState"] |= after
    return made


CASES = [
    Case(
        "Pulumi's protect",
        [_same(KEY, before={"protect": True}, after={})],
        [f"{GONE}: kms.Key one is no longer protected from deletion (protect)"],
        [_same(KEY, before={}, after={"protect": True})],
    ),
    Case(
        "Pulumi's retainOnDelete",
        [_same(KEY, before={"retainOnDelete": True}, after={})],
        [f"{GONE}: kms.Key one would now be deleted with the stack (retainOnDelete)"],
        [_same(KEY, before={}, after={"retainOnDelete": True})],
    ),
    Case(
        "deletion protection, off or absent",
        [
            step("update", DATABASE, old={"deletionProtection": True}, new={}),
            step(
                "update",
                "aws:lb/loadBalancer:LoadBalancer",
                "two",
                old={"enableDeletionProtection": True},
                new={"enableDeletionProtection": False},
            ),
        ],
        [
            f"{GONE}: lb.LoadBalancer two has enableDeletionProtection false instead of true: it "
            "is protected no more",
            f"{GONE}: rds.Instance one has deletionProtection no longer: it is protected no more",
        ],
        [step("update", DATABASE, old={}, new={"deletionProtection": True})],
    ),
    Case(
        "termination protection",
        [
            step(
                "update",
                "aws:ec2/instance:Instance",
                old={"disableApiTermination": True},
                new={"disableApiTermination": False},
            )
        ],
        [
            f"{GONE}: ec2.Instance one has disableApiTermination false instead of true: it is "
            "protected no more"
        ],
        [
            step(
                "update",
                "aws:ec2/instance:Instance",
                old={"disableApiTermination": False},
                new={"disableApiTermination": False, "tags": {"a": "1"}},
            )
        ],
    ),
    Case(
        "what takes more along when it goes",
        [
            step(
                "update",
                "aws:s3/bucket:Bucket",
                old={"forceDestroy": False},
                new={"forceDestroy": True},
            )
        ],
        [
            f"{GONE}: s3.Bucket one has forceDestroy true instead of false: it takes more along "
            "when it goes, or may do more"
        ],
        [step("update", "aws:s3/bucket:Bucket", old={"forceDestroy": True}, new={})],
    ),
    Case(
        "a shorter window of deletion, of which none is 30 days",
        [step("update", KEY, old={}, new={"deletionWindowInDays": 7})],
        [f"{GONE}: kms.Key one has deletionWindowInDays 7: less is kept"],
        [step("update", KEY, old={"deletionWindowInDays": 7}, new={"deletionWindowInDays": 14})],
    ),
    Case(
        "logs kept for less long, of which none is for ever",
        [
            step(
                "update",
                "aws:cloudwatch/logGroup:LogGroup",
                old={"retentionInDays": 0},
                new={"retentionInDays": 3},
            )
        ],
        [f"{GONE}: cloudwatch.LogGroup one has retentionInDays 3 instead of 0: less is kept"],
        [step("update", "aws:cloudwatch/logGroup:LogGroup", old={"retentionInDays": 3}, new={})],
    ),
    Case(
        "encryption, deep within",
        [
            step(
                "update",
                "aws:ec2/launchConfiguration:LaunchConfiguration",
                old={"ebsBlockDevices": [{"deviceName": "a", "encrypted": "true"}]},
                new={"ebsBlockDevices": [{"deviceName": "a", "encrypted": "false"}]},
            )
        ],
        [
            f"{GONE}: ec2.LaunchConfiguration one has ebsBlockDevices[0].encrypted false instead "
            "of true: it is protected no more"
        ],
        [
            step(
                "update",
                "aws:ec2/launchConfiguration:LaunchConfiguration",
                old={"ebsBlockDevices": [{"deviceName": "a", "encrypted": "true"}]},
                new={"ebsBlockDevices": []},
            )
        ],
    ),
    Case(
        "instance metadata without a token",
        [
            step(
                "update",
                "aws:ec2/instance:Instance",
                old={"metadataOptions": {"httpTokens": "required"}},
                new={"metadataOptions": {"httpTokens": "optional"}},
            )
        ],
        [
            f"{GONE}: ec2.Instance one has metadataOptions.httpTokens optional instead of "
            "required: it is protected no more"
        ],
        [
            step(
                "update",
                "aws:ec2/instance:Instance",
                old={"metadataOptions": {"httpTokens": "optional"}},
                new={"metadataOptions": {"httpTokens": "required"}},
            )
        ],
    ),
    Case(
        "versions of a bucket's objects",
        [
            step(
                "update",
                "aws:s3/bucketVersioning:BucketVersioning",
                old={"versioningConfiguration": {"status": "Enabled"}},
                new={"versioningConfiguration": {"status": "Suspended"}},
            )
        ],
        [
            f"{GONE}: s3.BucketVersioning one has versioningConfiguration.status Suspended instead "
            "of Enabled: it is protected no more"
        ],
        [
            step("update", "a:b:C", old={"status": "Enabled"}, new={"status": "Suspended"}),
            step("update", "a:b:C", "two", old={"minAvailable": 2}, new={"minAvailable": 1}),
        ],
    ),
]
