"""IAM policy of the EFS CSI driver."""

from typing import Any

from ...location import Location
from .efs_file_system import cluster_tag

DRIVER_TAG = "efs.csi.aws.com/cluster"
"""Tag that the driver puts on every access point, with the value `true`."""


def iam_policy(*, location: Location, cluster: str, file_system_id: str) -> dict[str, Any]:
    """AWS's `AmazonEFSCSIDriverPolicy`, limited to the access points of this cluster.

    The managed policy lets each controller of an account delete the access points of all clusters,
    and refuses every tag but the driver's, so that nobody could tell the clusters apart.
    """
    points = location.arn("elasticfilesystem", "access-point/*")
    tags = {DRIVER_TAG: "true", **cluster_tag(cluster)}
    in_request = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    on_resource = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AllowDescribe",
                "Effect": "Allow",
                "Action": [
                    "elasticfilesystem:DescribeAccessPoints",
                    "elasticfilesystem:DescribeFileSystems",
                    "elasticfilesystem:DescribeMountTargets",
                    "ec2:DescribeAvailabilityZones",
                ],
                "Resource": "*",
            },
            {
                "Sid": "AllowCreateAccessPoint",
                "Effect": "Allow",
                "Action": "elasticfilesystem:CreateAccessPoint",
                "Resource": location.arn("elasticfilesystem", f"file-system/{file_system_id}"),
                "Condition": {"StringEquals": in_request},
            },
            {
                "Sid": "AllowTagNewAccessPoints",
                "Effect": "Allow",
                "Action": "elasticfilesystem:TagResource",
                "Resource": points,
                "Condition": {
                    "StringEquals": {
                        "elasticfilesystem:CreateAction": "CreateAccessPoint",
                        **in_request,
                    }
                },
            },
            {
                "Sid": "AllowDeleteAccessPoint",
                "Effect": "Allow",
                "Action": "elasticfilesystem:DeleteAccessPoint",
                "Resource": points,
                "Condition": {"StringEquals": on_resource},
            },
        ],
    }
