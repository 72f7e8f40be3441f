"""The rights of the EBS CSI driver in AWS."""

from typing import Any

POLICY = "AmazonEBSCSIDriverPolicyV2"
"""Without `service-role/`, which IAM answers with NoSuchEntity, though the EKS user guide prints
it. It changes and deletes only volumes with the driver's tag; the older `AmazonEBSCSIDriverPolicy`
those of everybody (aws-ebs-csi-driver#2918)."""


def kms_policy(*, key_arn: str) -> dict[str, Any]:
    """What EC2 needs of the caller to encrypt volumes with a key of the account's own."""
    use = {
        "Sid": "EncryptVolumes",
        "Effect": "Allow",
        "Action": ["kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext"],
        "Resource": key_arn,
    }
    # A grant outlives the call: only AWS's services may get one.
    grant = {
        "Sid": "GrantTheKeyToEc2",
        "Effect": "Allow",
        "Action": "kms:CreateGrant",
        "Resource": key_arn,
        "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
    }
    return {"Version": "2012-10-17", "Statement": [use, grant]}
