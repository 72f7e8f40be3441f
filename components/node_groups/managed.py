"""Managed node groups: EC2 nodes that EKS launches, drains and replaces."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_aws as aws
from pydantic import Field

from components.instance_types import InstanceType, is_graviton
from components.karpenter.node_pools import LabelKey, LabelValue
from components.location import Location
from components.node_groups.nodes import NodeTaintConfig, SizeConfig, node_policies
from components.section import Mistake, Section
from components.service_role import ServiceRole, ServiceRoleArgs

_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}

AmiType = Literal[
    "AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64"
]


class ManagedNodeGroupConfig(Section):
    """Nodes of one kind."""

    capacity_type: Literal["ON_DEMAND", "SPOT"] = "ON_DEMAND"
    instance_types: tuple[InstanceType, ...] = Field(min_length=1, max_length=20)
    """In the order of preference; all of one architecture."""
    ami_type: AmiType = "AL2023_x86_64_STANDARD"
    release_version: str = Field(pattern=r"^\d+\.\d+\.\d+-(\d{8}|[0-9a-f]{8})$")
    """The image, pinned, for example `1.35.0-20261101`: AWS's next one changes nothing here."""
    size: SizeConfig
    volume_gib: int = Field(default=20, ge=20)
    labels: Mapping[LabelKey, LabelValue] = {}
    taints: tuple[NodeTaintConfig, ...] = Field(default=(), max_length=50)

    def mistakes(self) -> Iterator[Mistake]:
        """All types are of the image's architecture."""
        arm = "ARM_64" in self.ami_type
        for number, instance_type in enumerate(self.instance_types):
            if is_graviton(instance_type) != arm:
                problem = f"does not run amiType {self.ami_type}: change one of them"
                yield Mistake(f"instanceTypes[{number}]", problem, instance_type)


@dataclass(frozen=True, kw_only=True)
class ManagedNodeGroupArgs:
    """The stack file's part, and the cluster to join."""

    config: ManagedNodeGroupConfig
    cluster_name: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones."""
    location: Location
    needs: Sequence[pulumi.Resource]
    """The network add-on, and the way to the internet."""
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Of the nodes, in place of the one that EKS makes for the cluster; absent: that one."""


class ManagedNodeGroup(pulumi.ComponentResource):
    """The group, its role and its launch template. EKS lets its role join by itself."""

    def __init__(
        self, name: str, args: ManagedNodeGroupArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ManagedNodeGroup", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config

        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service=f"ec2.{args.location.dns_suffix}",
                managed_policies=node_policies(args.location),
            ),
            opts=child,
        )
        template = aws.ec2.LaunchTemplate(
            name,
            update_default_version=True,
            vpc_security_group_ids=list(args.security_group_ids) or None,
            metadata_options={
                "http_endpoint": "enabled",
                "http_tokens": "required",
                # Pods stay away from the node's role.
                "http_put_response_hop_limit": 1,
            },
            block_device_mappings=[
                {
                    "device_name": data_device(config.ami_type),
                    "ebs": {
                        "volume_size": config.volume_gib,
                        "volume_type": "gp3",
                        "encrypted": "true",
                        "delete_on_termination": "true",
                    },
                }
            ],
            opts=child,
        )
        aws.eks.NodeGroup(
            name,
            node_group_name=name,
            cluster_name=args.cluster_name,
            node_role_arn=role.role_arn,
            subnet_ids=list(args.subnet_ids),
            ami_type=config.ami_type,
            release_version=config.release_version,
            capacity_type=config.capacity_type,
            instance_types=list(config.instance_types),
            scaling_config={
                "min_size": config.size.min,
                "max_size": config.size.max,
                "desired_size": config.size.initial,
            },
            labels=dict(config.labels),
            taints=[
                {"key": t.key, "value": t.value or "", "effect": _EFFECTS[t.effect]}
                for t in config.taints
            ],
            update_config={"max_unavailable_percentage": 33},
            launch_template={
                "id": template.id,
                "version": template.latest_version.apply(str),
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[role, *args.needs],
                ignore_changes=["scalingConfig.desiredSize"],
            ),
        )
        self.register_outputs({})


def data_device(ami_type: str) -> str:
    """The volume that holds pods and images: Bottlerocket keeps its own system apart."""
    return "/dev/xvdb" if ami_type.startswith("BOTTLEROCKET") else "/dev/xvda"
