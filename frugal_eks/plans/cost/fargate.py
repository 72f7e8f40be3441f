"""Pods on Fargate: each is billed as the next size that Fargate has.

Source: "AWS Fargate" in the EKS user guide: requests of the long-running containers are added up,
256 MiB are added to the memory for Kubernetes' own parts, and the sum is rounded up.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from frugal_eks.plans.cost.amounts import HOURS, Amount
from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.lines import Line, Unknown
from frugal_eks.plans.cost.prices import Prices, UnknownPrice
from frugal_eks.plans.cost.program import Inputs, Program, objects, part
from frugal_eks.plans.cost.workloads import Request, Workload, uncounted, workloads

PROFILE = "aws:eks/fargateProfile:FargateProfile"
OWN_MEMORY = 256 * 2**20
GIB = 2**30

SIZES: Mapping[float, Sequence[float]] = {
    0.25: (0.5, 1, 2),
    0.5: (1, 2, 3, 4),
    1: tuple(range(2, 9)),
    2: tuple(range(4, 17)),
    4: tuple(range(8, 31)),
    8: tuple(range(16, 61, 4)),
    16: tuple(range(32, 121, 8)),
}
"""Memory sizes in GB by vCPU."""


class Size(NamedTuple):
    """The pod size that Fargate bills."""

    vcpu: float
    gb: float


def size(request: Request) -> Size | None:
    """The smallest size that holds the request; None if there is none."""
    gb = (request.memory + OWN_MEMORY) / GIB
    for vcpu, memories in SIZES.items():
        fitting = [each for each in memories if each >= gb]
        if vcpu >= request.cpu - 1e-9 and fitting:
            return Size(vcpu, fitting[0])
    return None


def on_fargate(program: Program, namespace: str, labels: Mapping[str, str]) -> bool:
    """True if a Fargate profile selects pods with this namespace and these labels."""
    return any(
        _selects(selector, namespace, labels)
        for profile in program.of_type(PROFILE)
        for selector in objects(profile.inputs, "selectors")
    )


def fargate_pods(
    program: Program, prices: Prices, assumptions: Assumptions
) -> Iterator[Line | Unknown]:
    """Yields a line for each workload on Fargate."""
    del assumptions  # a pod is billed whether it is used or not
    if not any(program.of_type(PROFILE)):
        return
    for each in workloads(program):
        if on_fargate(program, each.namespace, each.labels):
            yield _priced(program.component(each.resource), each, prices)
    for resource, namespace, what in uncounted(program):
        if on_fargate(program, namespace, {}):
            yield Unknown(program.component(resource), resource.name, f"{what} on Fargate")


def _priced(component: str, workload: Workload, prices: Prices) -> Line | Unknown:
    billed = size(workload.request)
    if billed is None:
        what = "pods on Fargate that are larger than Fargate's largest size"
        return Unknown(component, workload.name, what)
    what = f"{_pods(workload.pods)} of {billed.vcpu:g} vCPU and {billed.gb:g} GB on Fargate"
    try:
        hourly = billed.vcpu * prices.of("fargateVcpuHour") + billed.gb * prices.of("fargateGbHour")
    except UnknownPrice as unknown:
        return Unknown(component, workload.name, f"{what}: {unknown}")
    monthly = workload.pods * (HOURS * hourly)
    return Line("Fargate pods", component, workload.name, what, monthly)


def _pods(count: Amount) -> str:
    most = "any number of" if count.high is None else f"{count.high:g}"
    number = f"{count.low:g} to {most}" if count.scales else f"{count.low:g}"
    return f"{number} pod{'' if number == '1' else 's'}"


def _selects(selector: Inputs, namespace: str, labels: Mapping[str, str]) -> bool:
    """True if a profile's selector matches. `*` and `?` are wildcards in its namespace, keys and
    values (EKS user guide).
    """
    wanted = part(selector, "labels")
    return fnmatchcase(namespace, str(selector.get("namespace"))) and all(
        any(fnmatchcase(k, key) and fnmatchcase(v, str(value)) for k, v in labels.items())
        for key, value in wanted.items()
    )
