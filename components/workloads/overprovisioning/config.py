"""What the stack file says about room that is kept free."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from ...compatibility import Headroom
from ...kubernetes.labels import LabelKey, LabelValue
from ...kubernetes.quantities import Quantity
from ...section import Mistake, Section

NAMESPACE = "pause"
"""No Fargate profile may select it: a pause pod there is a machine that reserves nothing."""
POD_LABELS = {"run": "pause-pods"}


class TolerationConfig(Section):
    """A taint of the nodes on which room is kept."""

    key: LabelKey
    """The taint's key. Absent, with operator Exists: every taint."""
    operator: Literal["Equal", "Exists"] = "Equal"
    """Exists takes any value, Equal the one of `value`."""
    value: LabelValue | None = None
    """The taint's value, with operator Equal."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Absent: all of them."""

    def mistakes(self) -> Iterator[Mistake]:
        """The API server takes a value with Equal only."""
        if self.operator == "Exists" and self.value is not None:
            problem = "operator Exists takes any value: drop it, or choose Equal"
            yield Mistake("value", problem, self.value)


class OverprovisioningConfig(Section):
    """Room that is paid for all the time, so that the next pod need not wait for a node.

    A pod takes over what is freed on one node: make a pause pod as large as the largest usual one.
    """

    by: Headroom | None = None
    """Pods that do nothing, or Karpenter's CapacityBuffer, which counts pods that are not there.
    Absent: a buffer where the version of Karpenter offers it for production, else pods; in 1.14 it
    is alpha, and its feature gate is on only where it is asked for here."""
    replicas: int = Field(default=2, ge=0)
    """How many such pods there is room for. They count against the limits of node pools."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests."""
    memory: Quantity = "1536Mi"
    """Memory that each pod requests. The cheapest nodes have 2 GiB a vCPU, of which the kubelet
    keeps a part."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """That of the pods for which room is kept; absent: any node."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """Theirs as well: a pause pod helps only on nodes where they may run."""
    default_priority_class: bool = False
    """Whether to make a class `default` with the priority 0, for all pods that name none. They have
    that priority anyway; the API server refuses it where another class is the default."""
