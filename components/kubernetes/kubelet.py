"""Settings of kubelet for a node group, under kubelet's own names."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from ..section import Mistake, Section
from .quantities import Quantity, seconds

Reservable = Literal["cpu", "memory", "ephemeral-storage"]
Signal = Literal[
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
]
Threshold = Annotated[
    str, Field(pattern=r"^(\d{1,2}(\.\d+)?%|\d+(\.\d+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$")
]
"""Amount that is left: a percentage below 100, `5%`, or a quantity, `200Mi`."""
Duration = Annotated[
    str, Field(pattern=r"^([0-9]+h([0-9]+m)?([0-9]+s)?|[0-9]+m([0-9]+s)?|[0-9]+s)$")
]
"""A duration, for example `90s` or `1m30s`: hours before minutes before seconds, as Bottlerocket
requires.
"""

# Kubelet's own, where the file says nothing.
_IMAGE_GC_HIGH, _IMAGE_GC_LOW = 85, 80


class KubeletConfig(Section):
    """Settings of kubelet; absent ones keep the image's value, including reserved resources and
    eviction.
    """

    max_pods: int | None = Field(default=None, ge=1, le=737)
    """Most pods on a node. Absent: as many as the instance type has addresses. 737 is the largest
    value in AWS's eni-max-pods.txt.
    """
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
    shutdown_grace_period: Duration | None = None
    """Longest time that a shutdown of the machine waits for pods; spot takes a node back after 120
    s.
    """
    shutdown_grace_period_critical_pods: Duration | None = None
    """Last part of shutdownGracePeriod, reserved for critical pods."""
    image_gc_high_threshold_percent: int | None = Field(
        default=None, alias="imageGCHighThresholdPercent", ge=1, le=100
    )
    """Percentage of used disk at which kubelet starts to remove images. Absent: 85."""
    image_gc_low_threshold_percent: int | None = Field(
        default=None, alias="imageGCLowThresholdPercent", ge=0, le=99
    )
    """Percentage of used disk at which kubelet stops removing images. Absent: 80."""
    container_log_max_size: Quantity | None = None
    """Size of a container's log file at which the next file begins."""
    container_log_max_files: int | None = Field(default=None, ge=2)
    """Most log files that are kept for a container."""
    pod_pids_limit: int | None = Field(default=None, ge=1)
    """Most processes in a pod."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses what kubelet would refuse, so that the node would never join."""
        yield from eviction_mistakes(self.eviction_soft, self.eviction_soft_grace_period)
        critical, whole = self.shutdown_grace_period_critical_pods, self.shutdown_grace_period
        if critical and seconds(critical) > (seconds(whole) if whole else 0):
            problem = f"is part of shutdownGracePeriod, which is {whole or 'absent'}: raise that"
            yield Mistake("shutdownGracePeriodCriticalPods", problem, critical)
        yield from image_gc_mistakes(
            self.image_gc_high_threshold_percent, self.image_gc_low_threshold_percent
        )

    def settings(self) -> dict[str, Any]:
        """A KubeletConfiguration (kubelet.config.k8s.io/v1beta1) with only the settings that are
        given.
        """
        settings = self.model_dump(by_alias=True, exclude_none=True)
        return {key: value for key, value in settings.items() if value != {}}


def eviction_mistakes(
    soft: Mapping[Signal, str], grace_period: Mapping[Signal, str]
) -> Iterator[Mistake]:
    """Each soft threshold needs a grace period, and each grace period a threshold."""
    for signal in soft.keys() - grace_period.keys():
        path = f"evictionSoft.{signal}"
        yield Mistake(path, f"needs a time: add evictionSoftGracePeriod.{signal}")
    for signal in grace_period.keys() - soft.keys():
        path = f"evictionSoftGracePeriod.{signal}"
        yield Mistake(path, f"goes with a threshold: add evictionSoft.{signal}, or drop it")


def image_gc_mistakes(high: int | None, low: int | None) -> Iterator[Mistake]:
    """The low threshold must be below the high one; absent thresholds have kubelet's defaults."""
    path = "imageGCHighThresholdPercent" if low is None else "imageGCLowThresholdPercent"
    high = high or _IMAGE_GC_HIGH
    low = _IMAGE_GC_LOW if low is None else low
    if low >= high:
        problem = f"low {low} must be less than high {high}: set both"
        yield Mistake(path, problem, high if path.startswith("imageGCHigh") else low)
