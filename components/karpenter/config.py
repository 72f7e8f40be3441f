"""What a stack file may say of Karpenter: controller, node classes and node pools."""

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
"""What the chart puts on the controller's pods: a Fargate selector must match it."""


class ControllerConfig(Section):
    """The controller's pods. On Fargate each is billed as 1 vCPU and 2 GB, 0.05 USD an hour."""

    replicas: int | None = Field(default=None, ge=1, le=3)
    """Absent: 2, or 1 where there is only one node to run on."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests and is limited to."""
    memory: Quantity = "1Gi"
    """Memory that each pod requests and is limited to."""
    spot_to_spot_consolidation: bool = False
    """Swap spot nodes for cheaper spot too; it wants 15 instance types to choose from."""
    node_repair: bool = False
    """Replace nodes that stay unhealthy, whatever runs on them. Alpha in Karpenter 1.14; it needs
    the EKS node monitoring agent for more than a kubelet that is silent."""


ObjectName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=63)]


class KarpenterConfig(Section):
    """Launches nodes for pods that have no place, and takes them away again."""

    version: str = Field(default=versions.KARPENTER, pattern=r"^\d+\.\d+\.\d+$")
    """The version of both charts. Rights and event rules are those of its minor."""
    namespace: str = Field(default="karpenter", pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """Where the controller's pods run."""
    controller: ControllerConfig = ControllerConfig()
    """How many pods the controller has, how large they are, and its feature gates."""
    own_instance_profile: bool = False
    """The stack makes the nodes' instance profile. Karpenter otherwise does, and takes it away;
    without a way to IAM, in a network without internet, it cannot."""
    node_classes: Mapping[ObjectName, NodeClassConfig] = Field(min_length=1)
    """What nodes are made of, by names of your choice: image, disk, network, tags."""
    node_pools: Mapping[ObjectName, NodePoolConfig] = Field(min_length=1)
    """Which nodes may be launched, how many, and when they go, by names of your choice."""
    disruption_window: DisruptionWindowConfig | None = None
    """A budget of every pool: while it is open, no node is consolidated or replaced for drift."""

    @property
    def has_static_pools(self) -> bool:
        """Whether a pool keeps a number of nodes, which is behind a feature gate."""
        return any(pool.replicas is not None for pool in self.node_pools.values())

    def mistakes(self) -> Iterator[Mistake]:
        """Every pool has its class, and room for the window among its budgets."""
        known = ", ".join(self.node_classes)
        for name, pool in self.node_pools.items():
            if pool.node_class not in self.node_classes:
                problem = f"nodeClasses has only {known}: name one of these, or add the class"
                yield Mistake(f"nodePools.{name}.nodeClass", problem, pool.node_class)
            for path, problem, value in pool.disruption.has_room_for(self.disruption_window):
                yield Mistake(f"nodePools.{name}.{path}", problem, value)
