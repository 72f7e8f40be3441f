"""IAM policy of Cluster Autoscaler."""

from collections.abc import Sequence
from typing import Any

from ...location import Location
from ...nodes.spot_tags import discovery_tags


def iam_policy(*, location: Location, cluster: str, groups: Sequence[str] = ()) -> dict[str, Any]:
    """Upstream's full policy (its cloudprovider/aws/README.md), limited to this cluster.

    `groups` are names of Auto Scaling groups; without them the policy covers groups with the
    cluster's tags.
    """
    see = {
        "Sid": "SeeGroupsAndInstanceTypes",
        "Effect": "Allow",
        "Action": [
            "autoscaling:DescribeAutoScalingGroups",
            "autoscaling:DescribeAutoScalingInstances",
            "autoscaling:DescribeLaunchConfigurations",
            "autoscaling:DescribeScalingActivities",
            "ec2:DescribeImages",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeLaunchTemplateVersions",
            "ec2:GetInstanceTypesFromInstanceRequirements",
        ],
        # Auto Scaling and EC2 cannot narrow these actions to one thing.
        "Resource": "*",
    }
    # The autoscaler reads here the labels and taints of a managed group that has no nodes.
    see_managed = {
        "Sid": "SeeManagedNodeGroups",
        "Effect": "Allow",
        "Action": "eks:DescribeNodegroup",
        "Resource": location.arn("eks", f"nodegroup/{cluster}/*/*"),
    }
    # Between the colons stands an id that EC2 gives the group.
    scale: dict[str, Any] = {
        "Sid": "ScaleGroups",
        "Effect": "Allow",
        "Action": [
            "autoscaling:SetDesiredCapacity",
            "autoscaling:TerminateInstanceInAutoScalingGroup",
        ],
        "Resource": [
            location.arn("autoscaling", f"autoScalingGroup:*:autoScalingGroupName/{group}")
            for group in groups or ("*",)
        ],
    }
    if not groups:
        # Discovery looks at the tags' keys only; here their values count.
        tags = discovery_tags(cluster)
        equal = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
        scale["Condition"] = {"StringEquals": equal}
    return {"Version": "2012-10-17", "Statement": [see, see_managed, scale]}
