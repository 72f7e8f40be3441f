"""Fargate profiles: which pods run without a node, one profile after the other."""

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
"""EKS reads Fargate's log settings from the ConfigMap `aws-logging` in it, and from no other."""

DELETE_MINUTES = 30
"""The provider gives up after 10; deleting a profile has taken more than 20
(aws/containers-roadmap#1211)."""


@dataclass(frozen=True, kw_only=True)
class FargateProfilesArgs:
    """The stack file's part, and the cluster whose pods they are."""

    config: FargateConfig
    """The stack file's part."""
    first: str | None
    """The profile that something waits for; it is made before the others."""
    cluster: ClusterRef
    """The cluster that gets the profiles."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones: Fargate refuses subnets with a route to an internet gateway."""


class FargateProfiles(pulumi.ComponentResource):
    """All profiles and the role that starts their pods."""

    profiles: Mapping[str, aws.eks.FargateProfile]
    """By name. A pod must wait for its profile: one that is scheduled before stays without it."""

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
        """EKS reads them when a pod starts, so they come before the profiles."""
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
    """The given order, with the profile in front that something waits for."""
    return sorted(profiles, key=lambda profile: profile != first)


def source_condition(*, location: Location, cluster: str) -> dict[str, Any]:
    """Only this cluster's profiles may use the role (EKS user guide, confused deputy)."""
    profiles = location.arn("eks", f"fargateprofile/{cluster}/*")
    return {"ArnLike": {"aws:SourceArn": profiles}}


def log_group(cluster: str) -> str:
    """Where the pods' output goes."""
    return f"/aws/eks/{cluster}/fargate"


def log_policy(*, location: Location, group: str) -> dict[str, Any]:
    """Write into the one log group. It exists already, so nothing may be created."""
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
    """Fluent Bit's output; Fargate's copy of it reads the metadata of pods by itself."""
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
