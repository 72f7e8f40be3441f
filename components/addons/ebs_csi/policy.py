"""IAM policies of the EBS CSI driver."""

from typing import Any

POLICY = "AmazonEBSCSIDriverPolicyV2"
"""Name of AWS's managed policy, without `service-role/`: IAM answers that with NoSuchEntity, though
the EKS user guide prints it. The policy allows changing and deleting only volumes with the driver's
tag; the older `AmazonEBSCSIDriverPolicy` allows all volumes (aws-ebs-csi-driver#2918).
"""


def kms_policy(*, key_arn: str) -> dict[str, Any]:
    """Permissions that EC2 requires of the caller to encrypt volumes with the account's own key."""
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
