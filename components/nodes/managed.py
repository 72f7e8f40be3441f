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
"""Each type in each zone is a pool of its own: with fewer, one that runs dry takes most nodes."""

_NAME = "nodeGroupName"
"""Pulumi makes it, so that the group's successor is there before it goes. Ignored, because release
0.2 gave the group its key as its name: that stays until it has to be another group."""

_UNFINISHED = "#initerror"
"""The engine's name for what an earlier run made and did not bring to its end."""

_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}


@dataclass(frozen=True, kw_only=True)
class ManagedNodeGroupArgs:
    """The stack file's part, and the cluster to join."""

    config: ManagedNodeGroupConfig
    """The stack file's part."""
    cluster: ClusterRef
    """The cluster that the nodes join."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones."""
    autoscaled: bool
    """Whether an autoscaler owns the number of nodes once the group is made; else the file does."""
    needs: Sequence[pulumi.Resource]
    """The network add-on, and the way to the internet."""
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Security groups of the nodes, in place of the one that EKS makes for the cluster; absent:
    that one."""


class ManagedNodeGroup(pulumi.ComponentResource):
    """The group, its role and its launch template. EKS lets its role join by itself, and drains
    spot nodes that are taken back: no termination handler looks after them."""

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
            # Said also when off: a group keeps what it is not told.
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
                # Also of a group that an earlier release gave a name: its next one has another.
                delete_before_replace=False,
                replace_on_changes=_replacing(family),
            ),
        )
        self.register_outputs({})


def group_version(config: ManagedNodeGroupConfig, kubernetes_version: str) -> str:
    """The minor that the group is told: of AL2023 the release's own, of Bottlerocket, whose
    releases have an image for each minor, the cluster's."""
    if family_of(config.ami_type) == "bottlerocket":
        return kubernetes_version
    return ".".join(config.release_version.split(".")[:2])


def _replacing(family: Family) -> list[str]:
    """What makes a new group though EKS could update the old one.

    The provider sends the release only where it changes. EKS then takes the latest one
    (hashicorp/terraform-provider-aws#40902), and has no way back to the one that is pinned.
    Nor can a group be mended whose creation failed.
    """
    replacing = ["launchTemplate", _UNFINISHED]
    return [*replacing, "version"] if family == "bottlerocket" else replacing
