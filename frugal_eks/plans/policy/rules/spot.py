"""Rules about the share of spot capacity."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from components.ec2.instance_types import known_types
from frugal_eks.plans.policy.reading import Object, dig, each, first, is_unknown, number, objects
from frugal_eks.plans.policy.rule import Finding, Settings, StackRule
from frugal_eks.plans.previews import Resource

CAPACITY_TYPE = "karpenter.sh/capacity-type"
_EKS_DEFAULT = "t3.medium"
"""The type that EKS uses if a managed group names none."""


class Capacity(NamedTuple):
    """The largest size of a pool or a group."""

    name: str
    vcpus: float | None
    """None if the program does not tell."""
    spot: float
    """Share on spot, 0 to 1."""
    unlimited: bool = False


def capacities(resources: Iterable[Resource]) -> Iterator[Capacity]:
    """Largest capacity of each NodePool, managed group and Auto Scaling group."""
    for resource in resources:
        match resource.type:
            case "kubernetes:karpenter.sh/v1:NodePool":
                yield _pool(resource)
            case "aws:eks/nodeGroup:NodeGroup":
                yield _managed(resource)
            case "aws:autoscaling/group:Group":
                yield _group(resource)
            case _:
                pass


def _pool(resource: Resource) -> Capacity:
    """Capacity of a NodePool. Karpenter prefers spot: a pool that allows both kinds counts as
    spot.
    """
    limit = dig(resource.inputs, "spec.limits.cpu")
    vcpus = number(limit)
    may = {"spot", "on-demand"}
    for requirement in objects(dig(resource.inputs, "spec.template.spec.requirements")):
        if requirement.get("key") == CAPACITY_TYPE:
            values = set(each(requirement.get("values")))
            may = may & values if requirement.get("operator") == "In" else may - values
    static = dig(resource.inputs, "spec.replicas") is not None
    spot = 1.0 if "spot" in may else 0.0
    return Capacity(resource.name, vcpus, spot, unlimited=limit is None and not static)


def _managed(resource: Resource) -> Capacity:
    inputs = resource.inputs
    types = [*each(inputs.get("instanceTypes"))]
    if not types and not inputs.get("launchTemplate"):
        types = [_EKS_DEFAULT]
    nodes = number(dig(first(inputs.get("scalingConfig")), "maxSize"))
    spot = 1.0 if inputs.get("capacityType") == "SPOT" else 0.0
    return Capacity(resource.name, _times(nodes, _largest(types)), spot)


def _group(resource: Resource) -> Capacity:
    nodes = number(resource.inputs.get("maxSize"))
    mixed: Object = first(resource.inputs.get("mixedInstancesPolicy"))
    distribution: Object = first(mixed.get("instancesDistribution"))
    overrides = [*objects(dig(mixed, "launchTemplate.overrides"))]
    base = number(distribution.get("onDemandBaseCapacity")) or 0.0
    percent = number(distribution.get("onDemandPercentageAboveBaseCapacity"))
    # Auto Scaling's own default is on-demand alone.
    above = (100.0 if percent is None else percent) / 100
    spot = max(nodes - base, 0.0) * (1 - above) / nodes if nodes else 0.0
    vcpus = _largest(
        [str(override.get("instanceType")) for override in overrides if "instanceType" in override]
    )
    if vcpus is None:
        limits = [
            number(dig(override, "instanceRequirements.vcpuCount.max")) for override in overrides
        ]
        vcpus = max((limit for limit in limits if limit), default=None)
    return Capacity(resource.name, _times(nodes, vcpus), spot if mixed else 0.0)


def _largest(types: Sequence[str]) -> float | None:
    known = known_types().types
    sizes = [known[name].vcpu for name in types if not is_unknown(name) and name in known]
    return float(max(sizes)) if sizes else None


def _times(nodes: float | None, vcpus: float | None) -> float | None:
    return None if nodes is None or vcpus is None else nodes * vcpus


def _share(resources: Sequence[Resource], settings: Settings) -> Iterator[Finding]:
    least = settings.min_spot_share
    growth = [*capacities(resources)] if least else []
    if not least or not growth:
        return
    unlimited = [capacity for capacity in growth if capacity.unlimited]
    if unlimited:
        # Beside one without end the others do not count.
        whole, spot = float(len(unlimited)), sum(capacity.spot for capacity in unlimited)
        of = f"pools without a limit: {', '.join(capacity.name for capacity in unlimited)}"
    else:
        if untold := [capacity.name for capacity in growth if capacity.vcpus is None]:
            yield Finding("", f"the share on spot cannot be told: no vCPUs of {', '.join(untold)}")
            return
        whole = sum(capacity.vcpus or 0.0 for capacity in growth)
        spot = sum((capacity.vcpus or 0.0) * capacity.spot for capacity in growth)
        on_demand = [capacity for capacity in growth if capacity.spot < 1 and capacity.vcpus]
        parts = [
            f"{(capacity.vcpus or 0) * (1 - capacity.spot):g} in {capacity.name}"
            for capacity in on_demand
        ]
        of = f"{spot:g} of {whole:g} vCPUs, on demand {', '.join(parts)}"
    if whole and spot / whole < least:
        yield Finding("", f"{spot / whole:.0%} may run on spot, less than {least:.0%} ({of})")


RULES = (
    StackRule(
        name="spot-share",
        level="mandatory",
        reason="On-demand costs about three times as much as spot; `policy.minSpotShare` says how "
        "much of it may be.",
        remedy="allow spot in a pool, shrink what is on demand, or lower `policy.minSpotShare`",
        check=_share,
    ),
)
