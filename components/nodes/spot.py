"""Spot groups: Auto Scaling groups that the stack owns, with many instance types."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..ec2.image_releases import ImagePin, ImageSeries, published_image
from ..iam.service_role import ServiceRole, ServiceRoleArgs
from .nodes import block_devices, metadata_options, node_policies
from .spot_config import (
    Share,
    SpotNodeGroupConfig,
    group_names,
    shares,
    spread_problem,
    zone_problem,
)
from .spot_policy import (
    instance_refresh,
    mixed_instances_policy,
    termination_hook,
)
from .spot_tags import group_tags, node_tags
from .user_data import NodeStart, node_user_data

HOOK = "drain"
"""Name of the lifecycle hook that holds an instance while its node is drained."""


@dataclass(frozen=True, kw_only=True)
class SpotNodeGroupArgs:
    """The stack file's settings of a spot group, and the cluster it joins."""

    config: SpotNodeGroupConfig
    """The stack file's settings of the group."""
    cluster: ClusterRef
    """The cluster that the nodes join."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets, one for each zone."""
    autoscaled: bool
    """True if an autoscaler sets the number of nodes."""
    handler_tag: str | None
    """Key of the tag by which the Node Termination Handler, in queue mode, recognises the nodes
    that it may drain.
    """
    hook_seconds: int | None
    """Longest time in seconds that a terminating instance waits for its drain; None if nobody
    drains it.
    """
    needs: Sequence[pulumi.Resource]
    """Resources that must exist first and outlive the nodes: the network add-on, the way to the
    internet, and the program that drains the nodes.
    """
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Security groups of the nodes. They replace the group that EKS makes for the cluster; absent:
    that group.
    """


class SpotNodeGroup(pulumi.ComponentResource):
    """A spot group: one Auto Scaling group or one for each zone, a launch template, and the role by
    which nodes join.

    The component does not wait for nodes. Raises RunError, which Pulumi prints without a traceback,
    if the image does not exist, or if size.max is smaller than the number of zones that need a
    group each.
    """

    group_names: pulumi.Output[Sequence[str]]
    """Names of the Auto Scaling groups; resolves once they exist."""

    def __init__(
        self, name: str, args: SpotNodeGroupArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:SpotNodeGroup", name, None, opts)
        config, zones = args.config, len(args.subnet_ids)
        if problem := zone_problem(config, zones):
            raise pulumi.RunError(f"spotNodeGroups.{name}: {problem}")
        if problem := spread_problem(config, zones):
            pulumi.log.warn(f"spotNodeGroups.{name}: {problem}", self)

        role, joins = self._role(name, args)
        template = self._template(name, args, role)
        subnets = [[each] for each in args.subnet_ids] if config.per_zone else [args.subnet_ids]
        names = group_names(args.cluster.name, name, config, zones)
        groups = [
            self._group(
                _Part(
                    key=name,
                    resource=f"{name}-{number}" if config.per_zone else name,
                    group=group,
                    share=share,
                    subnet_ids=subnet_ids,
                ),
                args,
                template,
                needs=[*joins, *args.needs],
            )
            for number, (group, share, subnet_ids) in enumerate(
                zip(names, shares(config, zones), subnets, strict=True), start=1
            )
        ]
        self.group_names = pulumi.Output.all(*(group.name for group in groups))
        self.register_outputs({"groupNames": self.group_names})

    def _role(
        self, name: str, args: SpotNodeGroupArgs
    ) -> tuple[ServiceRole, Sequence[pulumi.Resource]]:
        """The nodes' role, and the resources that must exist before a node can join."""
        role = ServiceRole(
            f"{name}-role",
            ServiceRoleArgs(
                service=f"ec2.{args.cluster.location.dns_suffix}",
                managed_policies=node_policies(args.cluster.location),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        # EC2_LINUX, not STANDARD: nodes cannot join by the latter (karpenter-provider-aws#7558).
        entry = aws.eks.AccessEntry(
            name,
            cluster_name=args.cluster.live_name,
            principal_arn=role.role_arn,
            type="EC2_LINUX",
            opts=pulumi.ResourceOptions(parent=self),
        )
        return role, [role, entry]

    def _template(
        self, name: str, args: SpotNodeGroupArgs, role: ServiceRole
    ) -> aws.ec2.LaunchTemplate:
        """Launch template of all instances, of whatever type and in whatever zone."""
        config, child = args.config, pulumi.ResourceOptions(parent=self)
        profile = aws.iam.InstanceProfile(name, role=role.role_name, opts=child)
        pin = ImagePin(
            key=f"spotNodeGroups.{name}.releaseVersion",
            value=config.release_version,
            series=ImageSeries(
                family=config.family,
                architecture=config.architecture,
                kubernetes=args.cluster.version,
            ),
        )
        tags = node_tags(cluster=args.cluster.name, key=name, name=f"{args.cluster.name}-{name}")
        # The group gives it to its instances too. Here it makes a new template, and so new nodes,
        # where the handler comes later: it would let those without the tag go undrained.
        handled = {args.handler_tag: "true"} if args.handler_tag else {}
        return aws.ec2.LaunchTemplate(
            name,
            update_default_version=True,
            image_id=published_image(pin, pulumi.InvokeOutputOptions(parent=self)),
            iam_instance_profile={"name": profile.name},
            vpc_security_group_ids=list(args.security_group_ids)
            or [args.cluster.security_group_id],
            metadata_options=metadata_options(config.metadata),
            block_device_mappings=block_devices(config.family, config.volume_gib),
            tag_specifications=[
                {"resource_type": "instance", "tags": tags | handled},
                {"resource_type": "volume", "tags": tags},
                {"resource_type": "network-interface", "tags": tags},
            ],
            tags=tags,
            user_data=user_data(args),
            opts=child,
        )

    def _group(
        self,
        part: "_Part",
        args: SpotNodeGroupArgs,
        template: aws.ec2.LaunchTemplate,
        *,
        needs: Sequence[pulumi.Resource],
    ) -> aws.autoscaling.Group:
        """One Auto Scaling group with its lifecycle hook."""
        config = args.config
        tags = group_tags(
            cluster=args.cluster.name,
            key=part.key,
            name=part.group,
            node_template=config.node_template(),
            handler=args.handler_tag,
        )
        hooks = [termination_hook(args.hook_seconds)] if args.hook_seconds else []
        group = aws.autoscaling.Group(
            part.resource,
            name=part.group,
            min_size=part.share.min,
            max_size=part.share.max,
            desired_capacity=part.share.initial,
            vpc_zone_identifiers=list(part.subnet_ids),
            health_check_type="EC2",
            mixed_instances_policy=mixed_instances_policy(
                config, template, on_demand_base=part.share.on_demand_base
            ),
            capacity_rebalance=config.capacity_rebalance,
            instance_refresh=instance_refresh(config.refresh),
            # Else AWS ends nodes to even out the zones, and the autoscaler, which ended others for
            # want of pods, starts them again.
            suspended_processes=["AZRebalance"] if args.autoscaled else None,
            initial_lifecycle_hooks=[
                aws.autoscaling.GroupInitialLifecycleHookArgs(name=HOOK, **each) for each in hooks
            ]
            or None,
            # Spot may be short for a while. AWS goes on trying, so an update need not wait or fail;
            # and an instance that runs is no node yet.
            wait_for_capacity_timeout="0",
            tags=[
                {"key": key, "value": value, "propagate_at_launch": True}
                for key, value in tags.items()
            ],
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=list(needs),
                # A change of the first hooks would replace the group: see below.
                ignore_changes=["initialLifecycleHooks"]
                + (["desiredCapacity"] if args.autoscaled else []),
                # Each instance is drained, and may wait for all of its hook.
                custom_timeouts=pulumi.CustomTimeouts(delete="20m"),
            ),
        )
        for hook in hooks:
            # The same hook once more: this one can be changed, taken away, and put on a group that
            # began without. It goes with the group, not before: the last nodes are drained too.
            aws.autoscaling.LifecycleHook(
                part.resource,
                name=HOOK,
                autoscaling_group_name=group.name,
                **hook,
                opts=pulumi.ResourceOptions(parent=self, deleted_with=group),
            )
        return group


class _Part(NamedTuple):
    """One of the Auto Scaling groups that make up a spot group."""

    key: str
    """The spot group's key in the stack file."""
    resource: str
    """Name of this group in Pulumi."""
    group: str
    """Name of this group in AWS."""
    share: Share
    subnet_ids: Sequence[pulumi.Input[str]]


def user_data(args: SpotNodeGroupArgs) -> pulumi.Output[str]:
    """User data of the nodes in base64, as a launch template takes it."""
    config = args.config

    def encoded(known: dict[str, str]) -> str:
        start = NodeStart(
            labels=config.labels, taints=config.taints, kubelet=config.kubelet, **known
        )
        return base64.b64encode(node_user_data(config.family, start).encode()).decode()

    return pulumi.Output.all(
        cluster=args.cluster.live_name,
        endpoint=args.cluster.endpoint,
        certificate_authority=args.cluster.certificate_authority,
        service_cidr=args.cluster.service_cidr,
    ).apply(encoded)
