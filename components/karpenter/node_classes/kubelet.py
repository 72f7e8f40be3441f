"""Settings of kubelet that a class may have: those of the EC2NodeClass API."""

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
"""What is left: a share below 100 %, `5%`, with two decimals at most, or an amount, `200Mi`."""


class KubeletConfig(ApiSection):
    """What is absent stays as the image has it. Karpenter reckons with these settings when it
    chooses an instance, and an image of family Custom gets them in its own user data only.

    Bottlerocket has no `podsPerCore`.
    """

    cluster_dns: tuple[str, ...] = Field(default=(), max_length=3)
    """Addresses; absent: what the cluster has. Of several, images may take the first alone."""
    max_pods: int | None = Field(default=None, ge=1)
    """Absent: as many as the type has addresses."""
    pods_per_core: int | None = Field(default=None, ge=0)
    """Never more than maxPods; 0 sets no limit."""
    kube_reserved: Mapping[Reservable, Quantity] = {}
    """Kept from pods for kubelet and the container runtime."""
    system_reserved: Mapping[Reservable, Quantity] = {}
    """Kept from pods for the operating system."""
    eviction_hard: Mapping[Signal, Threshold] = {}
    """When so little is left, kubelet ends pods at once."""
    eviction_soft: Mapping[Signal, Threshold] = {}
    """When so little is left for a while, kubelet ends pods."""
    eviction_soft_grace_period: Mapping[Signal, Duration] = {}
    """That while, for each threshold of evictionSoft."""
    eviction_max_pod_grace_period: int | None = Field(default=None, ge=0)
    """Seconds that a pod gets at a soft threshold."""
    image_gc_high_threshold_percent: int | None = Field(default=None, ge=1, le=100)
    """How full the disk may get before images are cleared away. Absent: 85."""
    image_gc_low_threshold_percent: int | None = Field(default=None, ge=0, le=99)
    """How full it may be when clearing stops. Absent: 80."""
    cpu_cfs_quota: bool | None = None
    """Whether limits of CPU are held."""

    def mistakes(self) -> Iterator[Mistake]:
        """What kubelet would refuse, so that the node would never join."""
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
