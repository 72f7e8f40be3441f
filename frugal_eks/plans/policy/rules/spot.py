"""How much of what may run is on spot."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from components.ec2.instance_types import known_types
from frugal_eks.plans.policy.reading import Object, dig, each, first, is_unknown, number, objects
from frugal_eks.plans.policy.rule import Finding, Settings, StackRule
from frugal_eks.plans.previews import Resource

CAPACITY_TYPE = "karpenter.sh/capacity-type"
_EKS_DEFAULT = "t3.medium"
"""What EKS takes for a managed group that names no type."""


class Capacity(NamedTuple):
    """What a pool or a group may grow to."""

    name: str
    vcpus: float | None
    """None: cannot be told from the program."""
    spot: float
    """The part of it on spot, 0 to 1."""
    unlimited: bool = False


def capacities(resources: Iterable[Resource]) -> Iterator[Capacity]:
    """Of each node pool, managed group and Auto Scaling group, at its largest."""
    for one in resources:
        match one.type:
            case "kubernetes:karpenter.sh/v1:NodePool":
                yield _pool(one)
            case "aws:eks/nodeGroup:NodeGroup":
                yield _managed(one)
            case "aws:autoscaling/group:Group":
                yield _group(one)
            case _:
                pass


def _pool(resource: Resource) -> Capacity:
    """Karpenter takes spot wherever a pool allows it: a pool of both kinds counts as spot."""
    limit = dig(resource.inputs, "spec.limits.cpu")
    vcpus = number(limit)
    may = {"spot", "on-demand"}
    for one in objects(dig(resource.inputs, "spec.template.spec.requirements")):
        if one.get("key") == CAPACITY_TYPE:
            values = set(each(one.get("values")))
            may = may & values if one.get("operator") == "In" else may - values
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
    told: Object = first(mixed.get("instancesDistribution"))
    overrides = [*objects(dig(mixed, "launchTemplate.overrides"))]
    base = number(told.get("onDemandBaseCapacity")) or 0.0
    percent = number(told.get("onDemandPercentageAboveBaseCapacity"))
    # Auto Scaling's own default is on-demand alone.
    above = (100.0 if percent is None else percent) / 100
    spot = max(nodes - base, 0.0) * (1 - above) / nodes if nodes else 0.0
    vcpus = _largest([str(one.get("instanceType")) for one in overrides if "instanceType" in one])
    if vcpus is None:
        limits = [number(dig(one, "instanceRequirements.vcpuCount.max")) for one in overrides]
        vcpus = max((limit for limit in limits if limit), default=None)
    return Capacity(resource.name, _times(nodes, vcpus), spot if mixed else 0.0)


def _largest(types: Sequence[str]) -> float | None:
    known = known_types().types
    found = [known[one].vcpu for one in types if not is_unknown(one) and one in known]
    return float(max(found)) if found else None


def _times(nodes: float | None, vcpus: float | None) -> float | None:
    return None if nodes is None or vcpus is None else nodes * vcpus


def _share(resources: Sequence[Resource], settings: Settings) -> Iterator[Finding]:
    least = settings.min_spot_share
    found = [*capacities(resources)] if least else []
    if not least or not found:
        return
    unlimited = [one for one in found if one.unlimited]
    if unlimited:
        # Beside one without end the others do not count.
        whole, spot = float(len(unlimited)), sum(one.spot for one in unlimited)
        of = f"pools without a limit: {', '.join(one.name for one in unlimited)}"
    else:
        if untold := [one.name for one in found if one.vcpus is None]:
            yield Finding("", f"the share on spot cannot be told: no vCPUs of {', '.join(untold)}")
            return
        whole = sum(one.vcpus or 0.0 for one in found)
        spot = sum((one.vcpus or 0.0) * one.spot for one in found)
        on_demand = [one for one in found if one.spot < 1 and one.vcpus]
        parts = [f"{(one.vcpus or 0) * (1 - one.spot):g} in {one.name}" for one in on_demand]
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
