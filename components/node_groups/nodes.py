"""What every group of EC2 nodes has: size, taints, labels, volume, metadata service, role."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from components.karpenter.node_pools import LabelKey, LabelValue
from components.location import Location
from components.section import Mistake, Section

NODE_POLICIES = {
    "cni": "AmazonEKS_CNI_Policy",
    "worker": "AmazonEKSWorkerNodePolicy",
    "images": "AmazonEC2ContainerRegistryPullOnly",
    "ssm": "AmazonSSMManagedInstanceCore",
}
"""AWS's managed policies of a node's role, by the noun of their attachment."""


class NodeTaintConfig(Section):
    """Keeps pods without the matching toleration away."""

    key: LabelKey
    value: LabelValue | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]

    @property
    def text(self) -> str:
        """As kubelet's flag and the autoscaler's tag have it, without the key."""
        return f"{self.value or ''}:{self.effect}"


class SizeConfig(Section):
    """How many nodes. `desired` counts when the group is made; after that an autoscaler owns it."""

    min: int = Field(ge=0)
    max: int = Field(ge=1)
    desired: int | None = Field(default=None, ge=0)
    """Absent: the minimum."""

    @property
    def initial(self) -> int:
        """How many the group starts with."""
        return self.min if self.desired is None else self.desired

    def mistakes(self) -> Iterator[Mistake]:
        """Minimum, desired and maximum do not fall."""
        if not self.min <= self.initial <= self.max:
            problem = f"lies outside min {self.min} to max {self.max}: correct one of them"
            yield Mistake("desired", problem, self.initial)


def node_policies(location: Location) -> Mapping[str, str]:
    """ARNs of what a node's role may do, by a short noun."""
    return {noun: location.managed_policy(policy) for noun, policy in NODE_POLICIES.items()}
