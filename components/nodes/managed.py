"""Managed node groups: EC2 nodes that EKS launches, drains and replaces."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..ec2.image_families import Family, architecture_of, family_of
from ..ec2.image_releases import ImagePin, ImageSeries, published_image
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from ..names import NODE_GROUP_STEM_LIMIT, fitted
from .managed_config import ManagedNodeGroupConfig
from .nodes import block_devices, metadata_options, node_policies
from .scaling import scaling
from .user_data import kubelet_user_data

FEWEST_SPOT_TYPES = 4
"""Fewest spot types without a warning. Each type in each zone is a pool of its own: with fewer, one
pool that runs dry takes most nodes.
"""

_NAME = "nodeGroupName"
"""The group's name, which Pulumi generates, so that a replacement exists before the old group goes.
Changes of it are ignored: release 0.2 used the group's key as its name, which stays until something
else replaces the group.
"""

_UNFINISHED = "#initerror"
"""The engine's name for the state of a resource whose creation an earlier run did not finish."""

_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}


@dataclass(frozen=True, kw_only=True)
class ManagedNodeGroupArgs:
    """The stack file's settings of a managed node group, and the cluster it joins."""

    config: ManagedNodeGroupConfig
    """The stack file's settings of the group."""
    cluster: ClusterRef
    """The cluster that the nodes join."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets for the nodes."""
    autoscaled: bool
    """True if an autoscaler sets the number of nodes once the group exists; else the stack file
    does.
    """
    needs: Sequence[pulumi.Resource]
    """Resources that must exist first: the network add-on, and the way to the internet."""
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Security groups of the nodes. They replace the group that EKS makes for the cluster; absent:
    that group.
    """


class ManagedNodeGroup(pulumi.ComponentResource):
    """An EKS managed node group with its role and its launch template.

    EKS gives the role access to the cluster by itself, and drains spot nodes that AWS takes back:
    they need no termination handler.
    """

    def __init__(
        self, name: str, args: ManagedNodeGroupArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:ManagedNodeGroup", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config
        if config.capacity_type == "SPOT" and len(config.instance_types) < FEWEST_SPOT_TYPES:
            pulumi.log.warn(
                f"Spot group {name} has {len(config.instance_types)} instance types: when spot "
                "runs short of them, most of its nodes go at once and no others come. List at "
                f"least {FEWEST_SPOT_TYPES} of like size in instanceTypes",
                self,
            )

        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service=f"ec2.{args.cluster.location.dns_suffix}",
                managed_policies=node_policies(args.cluster.location),
            ),
            opts=child,
        )
        family = family_of(config.ami_type)
        user_data = kubelet_user_data(family, config.kubelet)
        template = aws.ec2.LaunchTemplate(
            name,
            update_default_version=True,
            vpc_security_group_ids=list(args.security_group_ids) or None,
            metadata_options=metadata_options(config.metadata),
            block_device_mappings=block_devices(family, config.volume_gib),
            user_data=user_data and base64.b64encode(user_data.encode()).decode(),
            opts=child,
        )
        version = group_version(config, args.cluster.version)
        pin = ImagePin(
            key=f"managedNodeGroups.{name}.releaseVersion",
            value=config.release_version,
            series=ImageSeries(
                family=family,
                architecture=architecture_of(config.ami_type),
                kubernetes=version,
            ),
        )
        image = published_image(pin, pulumi.InvokeOutputOptions(parent=self))
        desired, ignored = config.size.initial, [_NAME]
        if args.autoscaled:
            now = scaling(args.cluster.name, name, config.size, pulumi.InvokeOptions(parent=self))
            desired = now.desired
            ignored += ["scalingConfig.desiredSize"] if now.keeps_desired else []
        stem = fitted(name, NODE_GROUP_STEM_LIMIT)
        aws.eks.NodeGroup(
            stem,
            cluster_name=args.cluster.live_name,
            version=version,
            node_role_arn=role.role_arn,
            subnet_ids=list(args.subnet_ids),
            ami_type=config.ami_type,
            # EKS itself refuses a release that is not there, but only once the cluster is made.
            release_version=image.apply(lambda _: config.release_version),
            capacity_type=config.capacity_type,
            instance_types=list(config.instance_types),
            scaling_config={
                "min_size": config.size.min,
                "max_size": config.size.max,
                "desired_size": desired,
            },
            labels=dict(config.labels),
            taints=[
                {"key": t.key, "value": t.value or "", "effect": _EFFECTS[t.effect]}
                for t in config.taints
            ],
            update_config=config.update.update_config(),
            force_update_version=config.force_update or None,
            # Sent even when off: a group keeps a setting that the request leaves out.
            node_repair_config={"enabled": config.node_repair},
            launch_template={
                "id": template.id,
                "version": template.latest_version.apply(str),
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[role, *args.needs],
                ignore_changes=ignored,
                aliases=[pulumi.Alias(name=name)] if stem != name else None,
                # Also for a group that an earlier release named: its replacement has another name.
                delete_before_replace=False,
                replace_on_changes=_replacing(family),
            ),
        )
        self.register_outputs({})


def group_version(config: ManagedNodeGroupConfig, kubernetes_version: str) -> str:
    """Kubernetes minor version that the group is created with. For AL2023 it is that of the image
    release; Bottlerocket's releases have an image for each minor, so it is the cluster's.
    """
    if family_of(config.ami_type) == "bottlerocket":
        return kubernetes_version
    return ".".join(config.release_version.split(".")[:2])


def _replacing(family: Family) -> list[str]:
    """Properties whose change replaces the group although EKS could update it in place.

    The provider sends the release only if it changes. EKS then takes the latest one
    (hashicorp/terraform-provider-aws#40902), and cannot go back to the pinned one. A group whose
    creation failed cannot be repaired either.
    """
    replacing = ["launchTemplate", _UNFINISHED]
    return [*replacing, "version"] if family == "bottlerocket" else replacing
