"""Fargate profiles, created one after the other, and the logs of their pods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from ..kubernetes.kubernetes_object import KubernetesObject
from ..location import Location
from .fargate_config import FargateConfig
from .log_group import adopted_log_group

LOGGING_NAMESPACE = "aws-observability"
"""Namespace of the ConfigMap `aws-logging`, from which EKS reads Fargate's log settings."""

DELETE_MINUTES = 30
"""Time limit for deleting a profile. The provider's default is 10; deletions have taken more than
20 (aws/containers-roadmap#1211).
"""


@dataclass(frozen=True, kw_only=True)
class FargateProfilesArgs:
    """The stack file's settings of Fargate, and the cluster of the pods."""

    config: FargateConfig
    """The stack file's settings of Fargate."""
    first: str | None
    """Name of the profile that others wait for, which is created first."""
    cluster: ClusterRef
    """The cluster of the profiles."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets: Fargate refuses subnets with a route to an internet gateway."""


class FargateProfiles(pulumi.ComponentResource):
    """All Fargate profiles, and the role that starts their pods."""

    profiles: Mapping[str, aws.eks.FargateProfile]
    """The profiles by name. A pod must wait for its profile: one that is scheduled earlier stays
    without it.
    """

    def __init__(
        self, name: str, args: FargateProfilesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:FargateProfiles", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        location, cluster = args.cluster.location, args.cluster.name

        policies: dict[str, pulumi.Input[Mapping[str, Any]]] = {}
        needs: list[pulumi.Resource] = []
        if args.config.logs:
            logs = adopted_log_group(
                f"{name}-logs",
                name=log_group(cluster),
                retention_days=args.config.logs.retention_days,
                parent=self,
            )
            needs.append(logs)
            policies["logs"] = log_policy(location=location, group=log_group(cluster))
        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service="eks-fargate-pods.amazonaws.com",
                condition=source_condition(location=location, cluster=cluster),
                managed_policies={
                    "execution": location.managed_policy("AmazonEKSFargatePodExecutionRolePolicy")
                },
                policies=policies,
            ),
            opts=child,
        )
        if args.config.logs:
            needs.append(self._log_settings(name, args))

        self.profiles = {}
        # EKS makes and deletes one profile at a time; chained, it never has to refuse one.
        for profile in in_order(list(args.config.profiles), first=args.first):
            self.profiles[profile] = aws.eks.FargateProfile(
                # Pulumi names it: all but its tags forces a replacement, and the new one must be
                # there when the old one's pods are deleted with it.
                f"{name}-{profile}",
                cluster_name=args.cluster.live_name,
                pod_execution_role_arn=role.role_arn,
                subnet_ids=list(args.subnet_ids),
                selectors=[
                    {"namespace": selector.namespace, "labels": dict(selector.labels)}
                    if selector.labels
                    else {"namespace": selector.namespace}
                    for selector in args.config.profiles[profile]
                ],
                opts=pulumi.ResourceOptions(
                    parent=self,
                    depends_on=[role, *needs, *self.profiles.values()],
                    custom_timeouts=pulumi.CustomTimeouts(delete=f"{DELETE_MINUTES}m"),
                ),
            )
        self.register_outputs({})

    def _log_settings(self, name: str, args: FargateProfilesArgs) -> pulumi.Resource:
        """Fargate's log settings. EKS reads them when a pod starts, so they are created before the
        profiles.
        """
        in_cluster = pulumi.ResourceOptions(parent=self, provider=args.cluster.provider)
        namespace = KubernetesObject(
            f"{name}-logs",
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {
                    "name": LOGGING_NAMESPACE,
                    "labels": {"aws-observability": "enabled"},
                },
            },
            opts=in_cluster,
        )
        region, group = args.cluster.location.region, log_group(args.cluster.name)
        return KubernetesObject(
            f"{name}-logs",
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "aws-logging", "namespace": LOGGING_NAMESPACE},
                "data": log_settings(region=region, group=group),
            },
            opts=pulumi.ResourceOptions(
                parent=self, provider=args.cluster.provider, depends_on=[namespace]
            ),
        )


def in_order(profiles: Sequence[str], *, first: str | None) -> list[str]:
    """The profiles in the given order, except that `first` comes first."""
    return sorted(profiles, key=lambda profile: profile != first)


def source_condition(*, location: Location, cluster: str) -> dict[str, Any]:
    """Condition that only this cluster's profiles may use the role (EKS user guide, confused
    deputy).
    """
    profiles = location.arn("eks", f"fargateprofile/{cluster}/*")
    return {"ArnLike": {"aws:SourceArn": profiles}}


def log_group(cluster: str) -> str:
    """Name of the log group of Fargate pods."""
    return f"/aws/eks/{cluster}/fargate"


def log_policy(*, location: Location, group: str) -> dict[str, Any]:
    """Policy that allows writing into this log group. The group already exists, so creating is not
    allowed.
    """
    statement = {
        "Sid": "WriteLogsOfFargatePods",
        "Effect": "Allow",
        "Action": ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
        "Resource": [
            location.arn("logs", f"log-group:{group}"),
            location.arn("logs", f"log-group:{group}:*"),
        ],
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def log_settings(*, region: str, group: str) -> dict[str, str]:
    """Output settings of Fluent Bit; Fargate's copy of it reads the metadata of pods by itself."""
    output = {
        "Name": "cloudwatch_logs",
        "Match": "*",
        "region": region,
        "log_group_name": group,
        "log_stream_prefix": "fargate-",
        "auto_create_group": "false",
    }
    lines = "\n".join(f"    {key} {value}" for key, value in output.items())
    return {"flb_log_cw": "false", "output.conf": f"[OUTPUT]\n{lines}\n"}
