"""Overprovisioning: room that is kept free, so that the next pod need not wait for a node."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from ... import versions
from ...compatibility import Headroom
from ...kubernetes.charts import ChartSource
from ...kubernetes.kubernetes_object import KubernetesObject
from .capacity_buffer import capacity_buffer, pod_template
from .config import OverprovisioningConfig
from .pause_pods import (
    IMAGE,
    default_priority,
    deployment,
    namespace_manifest,
    pause_priority,
)


@dataclass(frozen=True, kw_only=True)
class OverprovisioningArgs:
    """The stack file's part, and what gives the pods their nodes."""

    config: OverprovisioningConfig
    """The stack file's part."""
    by: Headroom = "pausePods"
    """What keeps the room."""
    charts: ChartSource
    """Where the pause pods' image comes from."""
    needs: Sequence[pulumi.Resource]
    """In a destroy the pods go first, while there is somebody to take nodes: else a pending one
    would bring a node in the midst of it."""
    provider: pulumi.ProviderResource | None = None
    """The provider of the cluster; absent: by opts."""


class Overprovisioning(pulumi.ComponentResource):
    """Pause pods and the priority by which they make room, or a buffer of Karpenter's."""

    def __init__(
        self, name: str, args: OverprovisioningArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Overprovisioning", name, None, opts)
        in_cluster = pulumi.ResourceOptions(parent=self, provider=args.provider)
        # Value and preemption policy cannot be changed, and the names are the same.
        fixed = pulumi.ResourceOptions(
            parent=self, provider=args.provider, delete_before_replace=True
        )
        if args.config.default_priority_class:
            KubernetesObject(f"{name}-default", default_priority(), opts=fixed)
        namespace = KubernetesObject(name, namespace_manifest(), opts=in_cluster)
        image = f"{args.charts.image(IMAGE)}:{versions.PAUSE_PODS}@{versions.PAUSE_PODS_DIGEST}"
        if args.by == "capacityBuffer":
            template = KubernetesObject(
                name,
                pod_template(args.config, image=image),
                opts=pulumi.ResourceOptions.merge(
                    in_cluster, pulumi.ResourceOptions(depends_on=namespace)
                ),
            )
            kept, needs = capacity_buffer(args.config), [template]
        else:
            priority = KubernetesObject(name, pause_priority(), opts=fixed)
            kept, needs = deployment(args.config, image=image), [namespace, priority]
        KubernetesObject(
            name,
            kept,
            opts=pulumi.ResourceOptions(
                parent=self, provider=args.provider, depends_on=[*needs, *args.needs]
            ),
        )
        self.register_outputs({})
