"""Overprovisioning: headroom, so that the next pod need not wait for a node."""

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
    """The stack file's settings of headroom, and the resources that launch nodes."""

    config: OverprovisioningConfig
    """The stack file's settings of headroom."""
    by: Headroom = "pausePods"
    """What keeps the headroom: pause pods or a CapacityBuffer."""
    charts: ChartSource
    """Source of the pause pods' image."""
    needs: Sequence[pulumi.Resource]
    """Resources that launch nodes. A destroy deletes the pods before them: otherwise a pending pod
    would cause the launch of a node during the destroy.
    """
    provider: pulumi.ProviderResource | None = None
    """The cluster's Kubernetes provider; absent: the one in opts."""


class Overprovisioning(pulumi.ComponentResource):
    """Pause pods with a priority below all others, or a CapacityBuffer of Karpenter's."""

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
