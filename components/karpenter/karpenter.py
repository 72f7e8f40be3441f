"""Karpenter as a whole: the queue and the controller, then node classes, then node pools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..ec2.image_releases import published_image
from ..ec2.offerings import Zones
from ..kubernetes.kubernetes_object import KubernetesObject
from ..kubernetes.quantities import seconds
from ..nodes.interruption import InterruptionQueue, InterruptionQueueArgs
from ..placement import ON_ANY_NODE, Placement
from .config import KarpenterConfig
from .controller import Controller, ControllerArgs
from .image_pins import image_pins
from .manifests import manifest
from .node_classes import extra_rights, node_class_spec
from .node_pools import NodePoolConfig, node_pool_spec
from .pool_warnings import pool_warnings

DELETE_SECONDS = 3600
"""Time limit for deleting a node class or pool, which includes draining its nodes. Pulumi's own 10
minutes would leave instances behind.
"""


@dataclass(frozen=True, kw_only=True)
class KarpenterArgs:
    """The stack file's settings of Karpenter, and the resources that it needs."""

    config: KarpenterConfig
    """The stack file's settings of Karpenter."""
    cluster: ClusterRef
    """The cluster that Karpenter launches nodes for."""
    placement: Placement = ON_ANY_NODE
    """Place of the controller's pods, which cannot be a node that Karpenter launches, and the
    resources that they need there.
    """
    node_needs: Sequence[pulumi.Resource] = ()
    """Resources that must exist before the first node and until after the last."""
    zones: Zones = None
    """Zones where nodes may be, as far as known in advance; the warnings count offerings in
    these.
    """
    capacity_buffers: bool = False
    """True if the stack has CapacityBuffers, which need a feature gate."""


class Karpenter(pulumi.ComponentResource):
    """Karpenter with its queue, controller, node classes and node pools. A destroy deletes pools
    first and waits for each step, so that no instance keeps running.
    """

    queue_name: pulumi.Output[str]
    """Name of the interruption queue."""
    node_role_name: pulumi.Output[str]
    """Name of the nodes' role."""

    def __init__(
        self, name: str, args: KarpenterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:karpenter:Karpenter", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config

        queue = InterruptionQueue(
            f"{name}-interruption", InterruptionQueueArgs(queue_name=args.cluster.name), opts=child
        )
        self.queue_name = queue.queue_name
        controller = Controller(
            f"{name}-controller",
            ControllerArgs(
                config=config.controller,
                version=config.version,
                namespace=config.namespace,
                cluster=args.cluster,
                placement=args.placement,
                queue=queue,
                extra_rights=extra_rights(config.node_classes),
                static_capacity=config.has_static_pools,
                capacity_buffers=args.capacity_buffers,
            ),
            opts=child,
        )
        self.node_role_name = controller.node_role_name
        profile = None
        if config.own_instance_profile:
            profile = aws.iam.InstanceProfile(
                f"{name}-node", role=controller.node_role_name, opts=child
            )

        # The release waits for all else of the controller, a class for all of this, and a pool for
        # its class alone: a hundred pools then do not carry a hundred copies of the list.
        needs = [controller.release, *args.node_needs]
        classes = {
            key: _object(
                key,
                "EC2NodeClass",
                self._published(
                    key,
                    args,
                    node_class_spec(
                        node_class,
                        cluster=args.cluster.name,
                        role=None if profile else controller.node_role_name,
                        instance_profile=profile.name if profile else None,
                        security_group_id=(
                            None if args.cluster.discoverable else args.cluster.security_group_id
                        ),
                    ),
                ),
                pulumi.ResourceOptions(
                    parent=self,
                    provider=args.cluster.provider,
                    depends_on=needs,
                    custom_timeouts=_delete_within(DELETE_SECONDS),
                ),
            )
            for key, node_class in config.node_classes.items()
        }
        for warning in pool_warnings(
            config.node_pools,
            config.node_classes,
            region=args.cluster.location.region,
            zones=args.zones,
            spot_to_spot=config.controller.spot_to_spot_consolidation,
        ):
            pulumi.log.warn(warning, self)
        for key, pool in config.node_pools.items():
            _object(
                key,
                "NodePool",
                node_pool_spec(pool, config.disruption_window),
                pulumi.ResourceOptions(
                    parent=self,
                    provider=args.cluster.provider,
                    depends_on=[classes[pool.node_class]],
                    custom_timeouts=_delete_within(delete_seconds(pool)),
                ),
            )
        self.register_outputs({"queueName": self.queue_name, "nodeRoleName": self.node_role_name})

    def _published(self, key: str, args: KarpenterArgs, spec: dict[str, Any]) -> dict[str, Any]:
        """The spec of a class, which resolves once its alias is known to lead to images: otherwise
        Karpenter would only log that it finds none, and launch no node.
        """
        pools = [pool for pool in args.config.node_pools.values() if pool.node_class == key]
        pins = image_pins(
            key, args.config.node_classes[key], pools, kubernetes=args.cluster.version
        )
        if not pins:
            return spec
        opts = pulumi.InvokeOutputOptions(parent=self)
        images = pulumi.Output.all(*(published_image(pin, opts) for pin in pins))
        return spec | {"amiSelectorTerms": images.apply(lambda _: spec["amiSelectorTerms"])}


def _object(
    name: str, kind: str, spec: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> KubernetesObject:
    return KubernetesObject(f"{kind.lower()}-{name}", manifest(kind, name, spec), opts=opts)


def _delete_within(limit: int) -> pulumi.CustomTimeouts:
    return pulumi.CustomTimeouts(delete=f"{limit}s")


def delete_seconds(pool: NodePoolConfig) -> int:
    """Time limit in seconds for deleting a pool: the drain's own limit, and time to end
    instances.
    """
    return max(DELETE_SECONDS, seconds(pool.termination_grace_period) + DELETE_SECONDS // 2)
