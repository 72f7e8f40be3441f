"""Settings of kubelet in the EC2NodeClass API."""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.kubelet import (
    Duration,
    Signal,
    eviction_mistakes,
    image_gc_mistakes,
)
from ...kubernetes.quantities import Quantity
from ...section import Mistake
from .api_section import ApiSection

Reservable = Literal["cpu", "memory", "ephemeral-storage", "pid"]
Threshold = Annotated[
    str, Field(pattern=r"^(\d{1,2}(\.\d{1,2})?%|\d+(\.\d+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$")
]
"""Amount that is left: a percentage below 100 with at most two decimals, `5%`, or a quantity,
`200Mi`.
"""


class KubeletConfig(ApiSection):
    """Settings of kubelet; absent ones keep the image's value. Karpenter takes them into account
    when it chooses an instance. An image of family Custom must repeat them in its user data.

    Bottlerocket has no `podsPerCore`.
    """

    cluster_dns: tuple[str, ...] = Field(default=(), max_length=3)
    """Addresses of DNS servers; absent: the cluster's. Images may use only the first of several."""
    max_pods: int | None = Field(default=None, ge=1)
    """Most pods on a node. Absent: as many as the instance type has addresses."""
    pods_per_core: int | None = Field(default=None, ge=0)
    """Most pods for each core, still limited by maxPods; 0 sets no limit."""
    kube_reserved: Mapping[Reservable, Quantity] = {}
    """Resources reserved for kubelet and the container runtime."""
    system_reserved: Mapping[Reservable, Quantity] = {}
    """Resources reserved for the operating system."""
    eviction_hard: Mapping[Signal, Threshold] = {}
    """Thresholds of remaining resources below which kubelet evicts pods at once."""
    eviction_soft: Mapping[Signal, Threshold] = {}
    """Thresholds of remaining resources below which kubelet evicts pods after a grace period."""
    eviction_soft_grace_period: Mapping[Signal, Duration] = {}
    """Grace period for each evictionSoft signal."""
    eviction_max_pod_grace_period: int | None = Field(default=None, ge=0)
    """Most seconds that a pod gets to end when a soft threshold evicts it."""
    image_gc_high_threshold_percent: int | None = Field(default=None, ge=1, le=100)
    """Percentage of used disk at which kubelet starts to remove images. Absent: 85."""
    image_gc_low_threshold_percent: int | None = Field(default=None, ge=0, le=99)
    """Percentage of used disk at which kubelet stops removing images. Absent: 80."""
    cpu_cfs_quota: bool | None = None
    """Whether CPU limits are enforced."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses what kubelet would refuse, so that the node would never join."""
        for number, address in enumerate(self.cluster_dns):
            if not _is_address(address):
                problem = "is no IP address: write one, for example 172.20.0.10"
                yield Mistake(f"clusterDNS[{number}]", problem, address)
        yield from eviction_mistakes(self.eviction_soft, self.eviction_soft_grace_period)
        yield from image_gc_mistakes(
            self.image_gc_high_threshold_percent, self.image_gc_low_threshold_percent
        )


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
