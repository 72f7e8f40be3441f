"""Settings of kubelet that a group may have, by the names that kubelet gives them."""

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
"""What is left: a share below 100 %, `5%`, or an amount, `200Mi`."""
Duration = Annotated[
    str, Field(pattern=r"^([0-9]+h([0-9]+m)?([0-9]+s)?|[0-9]+m([0-9]+s)?|[0-9]+s)$")
]
"""For example `90s` or `1m30s`: hours before minutes before seconds, as Bottlerocket wants it."""

# Kubelet's own, where the file says nothing.
_IMAGE_GC_HIGH, _IMAGE_GC_LOW = 85, 80


class KubeletConfig(Section):
    """What is absent stays as the image has it, reserved resources and eviction included."""

    max_pods: int | None = Field(default=None, ge=1, le=737)
    """Absent: as many as the type has addresses. 737 is the largest of AWS's eni-max-pods.txt."""
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
    shutdown_grace_period: Duration | None = None
    """How long a shutdown of the machine waits for pods; spot takes a node back after 120 s."""
    shutdown_grace_period_critical_pods: Duration | None = None
    """The last part of it, which critical pods have for themselves."""
    image_gc_high_threshold_percent: int | None = Field(
        default=None, alias="imageGCHighThresholdPercent", ge=1, le=100
    )
    """How full the disk may get before images are cleared away. Absent: 85."""
    image_gc_low_threshold_percent: int | None = Field(
        default=None, alias="imageGCLowThresholdPercent", ge=0, le=99
    )
    """How full it may be when clearing stops. Absent: 80."""
    container_log_max_size: Quantity | None = None
    """How large a container's log gets before the next file begins."""
    container_log_max_files: int | None = Field(default=None, ge=2)
    """How many such files of a container are kept."""
    pod_pids_limit: int | None = Field(default=None, ge=1)
    """How many processes a pod may have."""

    def mistakes(self) -> Iterator[Mistake]:
        """What kubelet would refuse, so that the node would never join."""
        yield from eviction_mistakes(self.eviction_soft, self.eviction_soft_grace_period)
        critical, whole = self.shutdown_grace_period_critical_pods, self.shutdown_grace_period
        if critical and seconds(critical) > (seconds(whole) if whole else 0):
            problem = f"is part of shutdownGracePeriod, which is {whole or 'absent'}: raise that"
            yield Mistake("shutdownGracePeriodCriticalPods", problem, critical)
        yield from image_gc_mistakes(
            self.image_gc_high_threshold_percent, self.image_gc_low_threshold_percent
        )

    def settings(self) -> dict[str, Any]:
        """A KubeletConfiguration (kubelet.config.k8s.io/v1beta1) of what is set, and no more."""
        given = self.model_dump(by_alias=True, exclude_none=True)
        return {key: value for key, value in given.items() if value != {}}


def eviction_mistakes(
    soft: Mapping[Signal, str], grace_period: Mapping[Signal, str]
) -> Iterator[Mistake]:
    """Each soft threshold has its time, and each time its threshold."""
    for signal in soft.keys() - grace_period.keys():
        path = f"evictionSoft.{signal}"
        yield Mistake(path, f"needs a time: add evictionSoftGracePeriod.{signal}")
    for signal in grace_period.keys() - soft.keys():
        path = f"evictionSoftGracePeriod.{signal}"
        yield Mistake(path, f"goes with a threshold: add evictionSoft.{signal}, or drop it")


def image_gc_mistakes(high: int | None, low: int | None) -> Iterator[Mistake]:
    """Images are cleared away from high to low, which lies below; absent: kubelet's own."""
    path = "imageGCHighThresholdPercent" if low is None else "imageGCLowThresholdPercent"
    high = high or _IMAGE_GC_HIGH
    low = _IMAGE_GC_LOW if low is None else low
    if low >= high:
        problem = f"low {low} must be less than high {high}: set both"
        yield Mistake(path, problem, high if path.startswith("imageGCHigh") else low)
