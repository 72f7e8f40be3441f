"""The stack file's settings of Karpenter: controller, node classes and node pools."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from .. import versions
from ..kubernetes.quantities import Quantity
from ..section import Mistake, Section
from .disruption import DisruptionWindowConfig
from .node_classes import NodeClassConfig
from .node_pools import NodePoolConfig

POD_LABELS = {"app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter"}
"""Labels that the chart puts on the controller's pods; a Fargate selector must match them."""


class ControllerConfig(Section):
    """Karpenter's controller pods. On Fargate each is billed as 1 vCPU and 2 GB, 0.05 USD per
    hour.
    """

    replicas: int | None = Field(default=None, ge=1, le=3)
    """Number of controller pods. Absent: 2, or 1 if they have only one node to run on."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests and is limited to."""
    memory: Quantity = "1Gi"
    """Memory that each pod requests and is limited to."""
    spot_to_spot_consolidation: bool = False
    """If true, Karpenter also replaces spot nodes by cheaper spot nodes; that needs 15 instance
    types to choose from.
    """
    node_repair: bool = False
    """If true, Karpenter replaces nodes that stay unhealthy, whatever runs on them. Alpha in
    Karpenter 1.14. Without the EKS node monitoring agent it notices only a kubelet that stops
    responding.
    """


ObjectName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=63)]


class KarpenterConfig(Section):
    """Karpenter, which launches nodes for pods that find no room, and removes them again."""

    version: str = Field(default=versions.KARPENTER, pattern=r"^\d+\.\d+\.\d+$")
    """Version of both charts. IAM policies and event rules are always those of its minor
    version.
    """
    namespace: str = Field(default="karpenter", pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """Namespace of the controller's pods."""
    controller: ControllerConfig = ControllerConfig()
    """Number and size of the controller's pods, and its feature gates."""
    own_instance_profile: bool = False
    """If true, the stack creates the nodes' instance profile. If false, Karpenter creates and
    deletes it, which is impossible without access to IAM, as in a network without internet.
    """
    node_classes: Mapping[ObjectName, NodeClassConfig] = Field(min_length=1)
    """Node classes by names of your choice: image, disk, network and tags of nodes."""
    node_pools: Mapping[ObjectName, NodePoolConfig] = Field(min_length=1)
    """Node pools by names of your choice: which nodes may be launched, how many, and when they are
    removed.
    """
    disruption_window: DisruptionWindowConfig | None = None
    """A disruption budget added to every pool: while its window is open, no node is consolidated or
    replaced for drift.
    """

    @property
    def has_static_pools(self) -> bool:
        """True if a pool has `replicas`, which needs a feature gate."""
        return any(pool.replicas is not None for pool in self.node_pools.values())

    def mistakes(self) -> Iterator[Mistake]:
        """Each pool must name an existing class, and have room for the window among its budgets."""
        known = ", ".join(self.node_classes)
        for name, pool in self.node_pools.items():
            if pool.node_class not in self.node_classes:
                problem = f"nodeClasses has only {known}: name one of these, or add the class"
                yield Mistake(f"nodePools.{name}.nodeClass", problem, pool.node_class)
            for path, problem, value in pool.disruption.has_room_for(self.disruption_window):
                yield Mistake(f"nodePools.{name}.{path}", problem, value)
