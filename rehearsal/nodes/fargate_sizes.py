"""Rules of what Fargate runs, and in which size, from the EKS user guide, chapter Fargate."""

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import cast

from lightkube.models.core_v1 import Container, PodSpec

GIB = 1024**3
OVERHEAD = 256 * 1024**2
"""Bytes that Fargate adds to each pod for kubelet, kube-proxy and containerd."""

# vCPU: the memory sizes that go with it, in GiB.
SIZES: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0.25, (0.5, 1, 2)),
    (0.5, tuple(range(1, 5))),
    (1, tuple(range(2, 9))),
    (2, tuple(range(4, 17))),
    (4, tuple(range(8, 31))),
    (8, tuple(range(16, 61, 4))),
    (16, tuple(range(32, 121, 8))),
)

SUFFIXES = {
    "m": Decimal("0.001"),
    "": Decimal(1),
    **{unit: Decimal(1000) ** (power + 1) for power, unit in enumerate("kMGTPE")},
    **{f"{unit}i": Decimal(1024) ** (power + 1) for power, unit in enumerate("KMGTPE")},
}

HOST_FIELDS = ("hostNetwork", "hostPID", "hostIPC")


def quantity(text: str) -> Decimal:
    """`250m`, `1.5Gi`, `1e3` as a number. Raises ValueError if it is none of these."""
    digits = text.rstrip("".join(set("".join(SUFFIXES))))
    suffix = text[len(digits) :]
    if suffix not in SUFFIXES or not digits:
        raise ValueError(f"{text!r} is no quantity")
    return Decimal(digits) * SUFFIXES[suffix]


def size_for(spec: PodSpec) -> tuple[float, float] | None:
    """vCPU and GiB of the smallest size that holds the pod, None if the largest does not.

    Requests of its containers are summed, an init container counts if it alone is larger.
    """
    cpu = float(_needed(spec, "cpu"))
    memory = (float(_needed(spec, "memory")) + OVERHEAD) / GIB
    for cores, sizes in SIZES:
        if cpu <= cores:
            for gib in sizes:
                if memory <= gib:
                    return cores, gib
    return None


def unsupported(spec: PodSpec, owner_kinds: Iterable[str] = ()) -> str | None:
    """Why Fargate does not run such a pod; None if it does."""
    containers = [*spec.containers, *(spec.initContainers or [])]
    fields = [field for field in HOST_FIELDS if getattr(spec, field, None)]
    if any(port.hostPort for container in containers for port in container.ports or []):
        fields.append("hostPort")
    privileged = any(
        container.securityContext and container.securityContext.privileged
        for container in containers
    )
    volumes = [volume.name for volume in spec.volumes or [] if volume.hostPath]
    gpus = sorted(
        {name for container in containers for name in _requests(container) if "/gpu" in name}
    )
    rules = (
        (fields, f"fields not supported: {', '.join(fields)}"),
        (privileged, "invalid SecurityContext fields: Privileged"),
        (volumes, f"volumes not supported: {', '.join(volumes)} of type hostPath"),
        (gpus, f"resources not supported: {', '.join(gpus)}"),
        ("DaemonSet" in owner_kinds, "DaemonSets are not supported"),
        (not size_for(spec), "its requests exceed the largest size, 16 vCPU and 120 GiB"),
    )
    return next((reason for broken, reason in rules if broken), None)


def shown(size: tuple[float, float]) -> str:
    """Size in EKS's pod annotation: `0.25vCPU 0.5GB`."""
    cores, gib = size
    return f"{cores:g}vCPU {gib:g}GB"


def capacity(size: tuple[float, float]) -> dict[str, str]:
    """Resources of a node of this size; each runs one pod."""
    cores, gib = size
    return {
        "cpu": f"{math.floor(cores * 1000)}m",
        "memory": f"{math.floor(gib * 1024)}Mi",
        "pods": "1",
    }


def _needed(spec: PodSpec, resource: str) -> Decimal:
    main = [_request(container, resource) for container in spec.containers]
    initial = spec.initContainers or []
    # A sidecar runs beside the containers, other init containers before them.
    beside = [
        _request(container, resource)
        for container in initial
        if container.restartPolicy == "Always"
    ]
    before = [
        _request(container, resource)
        for container in initial
        if container.restartPolicy != "Always"
    ]
    return max([sum(main, Decimal(0)) + sum(beside, Decimal(0)), *before])


def _request(container: Container, resource: str) -> Decimal:
    return quantity(str(_requests(container).get(resource, "0")))


def _requests(container: Container) -> Mapping[str, str]:
    """Requests of a container; a limit without a request counts, as the API server fills it in."""
    resources = container.resources
    if not resources:
        return {}
    # lightkube's own types leave these open.
    return cast(dict[str, str], {**(resources.limits or {}), **(resources.requests or {})})  # pyright: ignore[reportUnknownMemberType]
