"""IAM policies of Karpenter's controller: upstream's six policies of 1.14, Sid by Sid.

Source: karpenter-provider-aws 1.14.1, its CloudFormation template for getting started. Policies,
CRDs and event rules belong to one minor: an older controller can fail under newer policies.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..location import Location
from .node_classes import ExtraRights

_LAUNCHED = (
    "fleet",
    "instance",
    "volume",
    "network-interface",
    "launch-template",
    "spot-instances-request",
)
"""Kinds of EC2 resources that a launch makes and tags."""
_ANY_POOL = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
_OF_A_POOL = {"aws:ResourceTag/karpenter.sh/nodepool": "*"}
_TEMPLATE_NAMES = {
    "node-lifecycle": "KarpenterControllerNodeLifecyclePolicy",
    "iam-integration": "KarpenterControllerIAMIntegrationPolicy",
    "eks-integration": "KarpenterControllerEKSIntegrationPolicy",
    "interruption": "KarpenterControllerInterruptionPolicy",
    "zonal-shift": "KarpenterControllerZonalShiftPolicy",
    "resource-discovery": "KarpenterControllerResourceDiscoveryPolicy",
}

Statement = dict[str, Any]


def policy_name(noun: str, cluster: str) -> str:
    """Upstream's name of a policy, before it is shortened to IAM's limit."""
    return f"{_TEMPLATE_NAMES[noun]}-{cluster}"


def controller_policies(
    *,
    location: Location,
    cluster: str,
    node_role_arn: str,
    queue_arn: str,
    extra: ExtraRights | None = None,
) -> Mapping[str, dict[str, Any]]:
    """The six policy documents by a short name. Each stays under the 6,144 characters of one
    policy.
    """
    extra = extra or ExtraRights()
    passed = [node_role_arn, *extra.role_arns(location)]
    statements = {
        "node-lifecycle": _node_lifecycle(location, cluster),
        "iam-integration": _iam_integration(location, cluster, passed),
        "eks-integration": _eks_integration(location, cluster),
        "interruption": _interruption(queue_arn),
        "zonal-shift": _zonal_shift(location, cluster),
        "resource-discovery": _resource_discovery(location, extra.parameter_arns(location)),
    }
    return {noun: {"Version": "2012-10-17", "Statement": s} for noun, s in statements.items()}


def _ec2(location: Location, kind: str, account: str = "*") -> str:
    return f"arn:{location.partition}:ec2:{location.region}:{account}:{kind}/*"


def _owned(cluster: str, *, of: str) -> dict[str, str]:
    """A condition that the cluster owns the resource; `of` is the condition key's prefix,
    `aws:ResourceTag` or `aws:RequestTag`.
    """
    return {f"{of}/kubernetes.io/cluster/{cluster}": "owned"}


def _one_or_all(arns: Sequence[str]) -> str | list[str]:
    return arns[0] if len(arns) == 1 else list(arns)


def _node_lifecycle(location: Location, cluster: str) -> list[Statement]:
    launched = [_ec2(location, kind) for kind in _LAUNCHED]
    requested = _owned(cluster, of="aws:RequestTag") | {
        "aws:RequestTag/eks:eks-cluster-name": cluster
    }
    owned = _owned(cluster, of="aws:ResourceTag")
    return [
        {
            "Sid": "AllowScopedEC2InstanceAccessActions",
            "Effect": "Allow",
            "Resource": [
                _ec2(location, "image", account=""),
                _ec2(location, "snapshot", account=""),
                _ec2(location, "security-group"),
                _ec2(location, "subnet"),
                _ec2(location, "capacity-reservation"),
                _ec2(location, "placement-group"),
            ],
            "Action": ["ec2:RunInstances", "ec2:CreateFleet"],
        },
        {
            "Sid": "AllowScopedEC2LaunchTemplateAccessActions",
            "Effect": "Allow",
            "Resource": _ec2(location, "launch-template"),
            "Action": ["ec2:RunInstances", "ec2:CreateFleet"],
            "Condition": {"StringEquals": owned, "StringLike": _OF_A_POOL},
        },
        {
            "Sid": "AllowScopedEC2InstanceActionsWithTags",
            "Effect": "Allow",
            "Resource": launched,
            "Action": ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
            "Condition": {"StringEquals": requested, "StringLike": _ANY_POOL},
        },
        {
            "Sid": "AllowScopedResourceCreationTagging",
            "Effect": "Allow",
            "Resource": launched,
            "Action": "ec2:CreateTags",
            "Condition": {
                "StringEquals": requested
                | {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]},
                "StringLike": _ANY_POOL,
            },
        },
        {
            "Sid": "AllowScopedResourceTagging",
            "Effect": "Allow",
            "Resource": _ec2(location, "instance"),
            "Action": "ec2:CreateTags",
            "Condition": {
                "StringEquals": owned,
                "StringLike": _OF_A_POOL,
                "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": cluster},
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        },
        {
            "Sid": "AllowScopedDeletion",
            "Effect": "Allow",
            "Resource": [_ec2(location, "instance"), _ec2(location, "launch-template")],
            "Action": ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            "Condition": {"StringEquals": owned, "StringLike": _OF_A_POOL},
        },
    ]


def _iam_integration(
    location: Location, cluster: str, node_role_arns: Sequence[str]
) -> list[Statement]:
    profiles = location.iam_arn("instance-profile/*")
    region = {"topology.kubernetes.io/region": location.region}
    on_resource = _owned(cluster, of="aws:ResourceTag") | {
        f"aws:ResourceTag/{key}": value for key, value in region.items()
    }
    in_request = (
        _owned(cluster, of="aws:RequestTag")
        | {"aws:RequestTag/eks:eks-cluster-name": cluster}
        | {f"aws:RequestTag/{key}": value for key, value in region.items()}
    )
    class_on_resource = {"aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    class_in_request = {"aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    return [
        {
            "Sid": "AllowPassingInstanceRole",
            "Effect": "Allow",
            "Resource": _one_or_all(node_role_arns),
            "Action": "iam:PassRole",
            "Condition": {
                "StringEquals": {
                    "iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]
                }
            },
        },
        {
            "Sid": "AllowScopedInstanceProfileCreationActions",
            "Effect": "Allow",
            "Resource": profiles,
            "Action": ["iam:CreateInstanceProfile"],
            "Condition": {"StringEquals": in_request, "StringLike": class_in_request},
        },
        {
            "Sid": "AllowScopedInstanceProfileTagActions",
            "Effect": "Allow",
            "Resource": profiles,
            "Action": ["iam:TagInstanceProfile"],
            "Condition": {
                "StringEquals": on_resource | in_request,
                "StringLike": class_on_resource | class_in_request,
            },
        },
        {
            "Sid": "AllowScopedInstanceProfileActions",
            "Effect": "Allow",
            "Resource": profiles,
            "Action": [
                "iam:AddRoleToInstanceProfile",
                "iam:RemoveRoleFromInstanceProfile",
                "iam:DeleteInstanceProfile",
            ],
            "Condition": {"StringEquals": on_resource, "StringLike": class_on_resource},
        },
    ]


def _eks_integration(location: Location, cluster: str) -> list[Statement]:
    return [
        {
            "Sid": "AllowAPIServerEndpointDiscovery",
            "Effect": "Allow",
            "Resource": location.arn("eks", f"cluster/{cluster}"),
            "Action": "eks:DescribeCluster",
        }
    ]


def _interruption(queue_arn: str) -> list[Statement]:
    return [
        {
            "Sid": "AllowInterruptionQueueActions",
            "Effect": "Allow",
            "Resource": queue_arn,
            "Action": ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
        }
    ]


def _zonal_shift(location: Location, cluster: str) -> list[Statement]:
    resource = {"arc-zonal-shift:ResourceIdentifier": location.arn("eks", f"cluster/{cluster}")}
    return [
        {
            "Sid": "AllowZonalShiftStatusReadOnly",
            "Effect": "Allow",
            # The action knows no resource; the condition names the cluster.
            "Resource": "*",
            "Action": ["arc-zonal-shift:GetManagedResource"],
            "Condition": {"StringEquals": resource},
        }
    ]


def _resource_discovery(location: Location, own_parameters: Sequence[str]) -> list[Statement]:
    described = (
        "CapacityReservations",
        "Images",
        "Instances",
        "InstanceStatus",
        "InstanceTypeOfferings",
        "InstanceTypes",
        "LaunchTemplates",
        "PlacementGroups",
        "SecurityGroups",
        "SpotPriceHistory",
        "Subnets",
    )
    of_aws = f"arn:{location.partition}:ssm:{location.region}::parameter/aws/service/*"
    return [
        {
            "Sid": "AllowRegionalReadActions",
            "Effect": "Allow",
            # EC2's Describe actions know no resource.
            "Resource": "*",
            "Action": [f"ec2:Describe{noun}" for noun in described],
            "Condition": {"StringEquals": {"aws:RequestedRegion": location.region}},
        },
        {
            "Sid": "AllowSSMReadActions",
            "Effect": "Allow",
            "Resource": _one_or_all([of_aws, *own_parameters]),
            "Action": "ssm:GetParameter",
        },
        # The price list knows no resource.
        {
            "Sid": "AllowPricingReadActions",
            "Effect": "Allow",
            "Resource": "*",
            "Action": "pricing:GetProducts",
        },
        # Listing knows no resource; without it a node class never finishes its deletion
        # (karpenter-provider-aws#9185).
        {
            "Sid": "AllowUnscopedInstanceProfileListAction",
            "Effect": "Allow",
            "Resource": "*",
            "Action": "iam:ListInstanceProfiles",
        },
        {
            "Sid": "AllowInstanceProfileReadActions",
            "Effect": "Allow",
            "Resource": location.iam_arn("instance-profile/*"),
            "Action": "iam:GetInstanceProfile",
        },
    ]
