"""The stack file's settings of headroom."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from ...compatibility import Headroom
from ...kubernetes.labels import LabelKey, LabelValue
from ...kubernetes.quantities import Quantity
from ...section import Mistake, Section

NAMESPACE = "pause"
"""Namespace of the pause pods. No Fargate profile may select it: on Fargate a pause pod costs money
and reserves nothing.
"""
POD_LABELS = {"run": "pause-pods"}


class TolerationConfig(Section):
    """A toleration: lets headroom be kept on nodes with this taint."""

    key: LabelKey
    """Key of the taint. Absent, with operator Exists: every taint."""
    operator: Literal["Equal", "Exists"] = "Equal"
    """`Exists` tolerates any value of the taint, `Equal` only `value`."""
    value: LabelValue | None = None
    """Value of the taint, with operator Equal."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Effect of the taint. Absent: all effects."""

    def mistakes(self) -> Iterator[Mistake]:
        """A value needs operator Equal, as in the API server."""
        if self.operator == "Exists" and self.value is not None:
            problem = "operator Exists takes any value: drop it, or choose Equal"
            yield Mistake("value", problem, self.value)


class OverprovisioningConfig(Section):
    """Headroom: capacity that is paid for all the time, so that the next pod need not wait for a
    node.

    A pod uses the capacity that is freed on one node: make a pause pod as large as your largest
    usual pod.
    """

    by: Headroom | None = None
    """Keeps headroom by pause pods, or by Karpenter's CapacityBuffer, which needs no pods. Absent:
    a buffer if this version of Karpenter offers it for production, else pods. In 1.14 the buffer is
    alpha; its feature gate is on only if `by` asks for it.
    """
    replicas: int = Field(default=2, ge=0, le=10_000)
    """Number of pods to keep headroom for. They count against the limits of node pools."""
    cpu: Quantity = "1"
    """vCPUs that each pod requests."""
    memory: Quantity = "1536Mi"
    """Memory that each pod requests. The cheapest nodes have 2 GiB per vCPU, part of which kubelet
    reserves.
    """
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """Node selector of the pods that headroom is kept for; absent: any node."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """Tolerations of the pods that headroom is kept for: it helps only on nodes where they may
    run.
    """
    default_priority_class: bool = False
    """If true, creates a priority class `default` with priority 0 for all pods that name none. They
    have that priority anyway; the API server refuses the class if another one is the default.
    """
