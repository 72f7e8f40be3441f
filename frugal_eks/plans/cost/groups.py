"""Managed node groups, Auto Scaling groups and single instances."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.ec2.instance_types import known_types
from frugal_eks.plans.cost.amounts import HOURS, Amount
from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.lines import Line, Unknown
from frugal_eks.plans.cost.offers import Offer, Offers, offers, sensible
from frugal_eks.plans.cost.prices import Prices, UnknownPrice
from frugal_eks.plans.cost.program import Inputs, Program, number, objects, part, texts
from frugal_eks.plans.cost.volumes import mapped, volume
from frugal_eks.plans.previews import Resource

MANAGED, AUTO_SCALING = "aws:eks/nodeGroup:NodeGroup", "aws:autoscaling/group:Group"
INSTANCE, VOLUME = "aws:ec2/instance:Instance", "aws:ebs/volume:Volume"
_EKS_DEFAULT = "t3.medium"
"""The type that EKS uses if a managed group names none."""


@dataclass(frozen=True)
class Group:
    """A managed or Auto Scaling group of nodes, or a single instance."""

    resource: Resource
    types: Sequence[str]
    nodes: Amount
    on_demand_base: float
    on_demand_share: float
    """Share of on-demand nodes above the base, 0 to 1."""
    by_requirements: bool
    """True if attribute-based requirements select the types instead of names."""
    takes_first: bool
    """True if on-demand nodes take the first type; false if they take the cheapest."""
    mappings: Sequence[Inputs]

    def on_demand(self, nodes: float) -> float:
        """Number of on-demand nodes among `nodes` nodes."""
        base = min(nodes, self.on_demand_base)
        return base + (nodes - base) * self.on_demand_share


def node_groups(
    program: Program, prices: Prices, assumptions: Assumptions
) -> Iterator[Line | Unknown]:
    """Yields a line for each group's nodes and one for their volumes."""
    del assumptions
    for group in groups(program):
        component = program.component(group.resource)
        yield from _nodes(component, group, prices)
        yield from _volumes(component, group, prices)
    for each in program.of_type(INSTANCE):
        single = _single(each)
        yield from _nodes(program.component(each), single, prices)
        yield from _volumes(program.component(each), single, prices)
    for each in program.of_type(VOLUME):
        yield from _volume(program.component(each), each, prices)


def groups(program: Program) -> Iterator[Group]:
    """Managed node groups and Auto Scaling groups of the program."""
    for each in program.of_type(MANAGED):
        yield _managed(each, program)
    for each in program.of_type(AUTO_SCALING):
        yield _auto_scaling(each, program)


def node_groups_of(program: Program) -> Iterator[Resource]:
    """Groups whose nodes run pods; a NAT instance's group does not."""
    yield from program.of_type(MANAGED)
    for each in program.of_type(AUTO_SCALING):
        tags = objects(each.inputs, "tags")
        if any(str(tag.get("key", "")).startswith("kubernetes.io/cluster/") for tag in tags):
            yield each


def _managed(resource: Resource, program: Program) -> Group:
    sizes, template = part(resource.inputs, "scalingConfig"), _template(resource, program)
    own = template.get("instanceType")
    spot = resource.inputs.get("capacityType") == "SPOT"
    named = texts(resource.inputs, "instanceTypes") or ([own] if isinstance(own, str) else [])
    disk = number(resource.inputs, "diskSize")
    return Group(
        resource,
        types=named or [_EKS_DEFAULT],
        nodes=_sizes(number(sizes, "minSize"), number(sizes, "desiredSize"), sizes.get("maxSize")),
        on_demand_base=0.0,
        on_demand_share=0.0 if spot else 1.0,
        by_requirements=False,
        # EKS: on demand the types are taken in their order.
        takes_first=True,
        mappings=objects(template, "blockDeviceMappings") or [{"ebs": {"volumeSize": disk or 20}}],
    )


def _auto_scaling(resource: Resource, program: Program) -> Group:
    inputs, template = resource.inputs, _template(resource, program)
    policy = part(inputs, "mixedInstancesPolicy")
    spread = part(policy, "instancesDistribution")
    share = number(spread, "onDemandPercentageAboveBaseCapacity")
    own = template.get("instanceType")
    return Group(
        resource,
        types=_overrides(policy) or ([own] if isinstance(own, str) else []),
        nodes=_sizes(
            number(inputs, "minSize"), number(inputs, "desiredCapacity"), inputs.get("maxSize")
        ),
        on_demand_base=(number(spread, "onDemandBaseCapacity") or 0.0) if policy else 0.0,
        on_demand_share=(100.0 if share is None else share) / 100 if policy else 1.0,
        by_requirements=bool(_requirements(policy)),
        takes_first=spread.get("onDemandAllocationStrategy") == "prioritized",
        # Amazon Linux without another word; images of EKS name their volume.
        mappings=objects(template, "blockDeviceMappings") or [{"ebs": {"volumeSize": 8}}],
    )


def _single(resource: Resource) -> Group:
    kind, root = resource.inputs.get("instanceType"), part(resource.inputs, "rootBlockDevice")
    return Group(
        resource,
        types=[kind] if isinstance(kind, str) else [],
        nodes=Amount.fixed(1),
        on_demand_base=1.0,
        on_demand_share=1.0,
        by_requirements=False,
        takes_first=True,
        mappings=[{"ebs": {"volumeSize": 8, **root}}],
    )


def _template(group: Resource, program: Program) -> Inputs:
    template = program.launch_template(group)
    return template.inputs if template else {}


def _sizes(low: float | None, wanted: float | None, high: object) -> Amount:
    least = low or 0.0
    return Amount(least, least if wanted is None else wanted, number({"": high}, ""))


def _overrides(policy: Inputs) -> list[str]:
    """Types that a mixed instances policy names, or that meet its requirements."""
    overrides = objects(part(policy, "launchTemplate"), "overrides")
    named = [each.get("instanceType") for each in overrides]
    types = [each for each in named if isinstance(each, str)]
    return types + [
        name for requirements in _requirements(policy) for name in _having(requirements)
    ]


def _requirements(policy: Inputs) -> Sequence[Inputs]:
    overrides = objects(part(policy, "launchTemplate"), "overrides")
    return [
        requirements for each in overrides if (requirements := part(each, "instanceRequirements"))
    ]


def _having(requirements: Inputs) -> list[str]:
    """Types within the required vCPUs and memory; other requirements are ignored."""
    vcpu, memory = part(requirements, "vcpuCount"), part(requirements, "memoryMib")
    left_out, only = (
        texts(requirements, "excludedInstanceTypes"),
        texts(requirements, "allowedInstanceTypes"),
    )
    return [
        name
        for name, facts in known_types().types.items()
        if _within(facts.vcpu, vcpu)
        and _within(facts.memory_mib, memory)
        and name not in left_out
        and (not only or name in only)
    ]


def _within(value: float, bounds: Inputs) -> bool:
    low, high = number(bounds, "min"), number(bounds, "max")
    return (low is None or value >= low) and (high is None or value <= high)


def _nodes(component: str, group: Group, prices: Prices) -> Iterator[Line | Unknown]:
    name = group.resource.name
    listed, spot = offers(group.types, prices.on_demand), offers(group.types, prices.spot)
    if not group.types:
        yield Unknown(component, name, "its instance types, which are known only after `up`")
        return
    for each in dict.fromkeys(listed.unknown):
        yield Unknown(component, name, each)
    if not listed.known or not spot.known:
        return
    what = f"{_count(group.nodes)}, {_spread(group)}"
    monthly, note = _priced(group, listed, spot), _note(group, listed, spot)
    is_spot = group.on_demand(group.nodes.high or 1.0) < (group.nodes.high or 1.0)
    yield Line("spot nodes" if is_spot else "nodes on demand", component, name, what, monthly, note)


def _priced(group: Group, listed: Offers, spot: Offers) -> Amount:
    usual = listed.known[0].usd if group.takes_first else listed.cheapest.usd
    # EC2 takes no more for spot than on demand: whatever spot costs, it ends there.
    dearest = max(each.usd for each in _buyable(group, listed))
    nodes = group.nodes
    return Amount(
        _hourly(group, nodes.low, listed.cheapest.usd, spot.cheapest.usd) * HOURS,
        _hourly(group, nodes.expected, usual, spot.mean) * HOURS,
        None if nodes.high is None else nodes.high * dearest * HOURS,
    )


def _buyable(group: Group, listed: Offers) -> Sequence[Offer]:
    """Offers that EC2 may buy: any of the named types; for requirements, only sensible ones."""
    return sensible(listed.known) if group.by_requirements else listed.known


def _hourly(group: Group, nodes: float, on_demand: float, spot: float) -> float:
    listed = group.on_demand(nodes)
    return listed * on_demand + (nodes - listed) * spot


def _note(group: Group, listed: Offers, spot: Offers) -> str:
    if group.on_demand(group.nodes.expected) == group.nodes.expected:
        return f"prices of {listed.known[0].type} reckoned" if listed.known[0].reckoned else ""
    same = group.nodes.expected * listed.mean * HOURS
    note = f"the same on demand: {same:.2f}; at most on demand"
    return f"{note}; spot prices reckoned" if spot.reckoned else note


def _spread(group: Group) -> str:
    types = f"{group.types[0]}" if len(group.types) == 1 else f"{len(group.types)} types"
    expected = group.nodes.expected
    listed = group.on_demand(expected)
    if listed == expected and (group.on_demand_share or expected):
        return f"{types} on demand"
    return f"{types} spot" if not listed else f"{types}, {listed:g} of {expected:g} on demand"


def _count(nodes: Amount) -> str:
    if not nodes.scales:
        return f"{nodes.low:g} node{'' if nodes.low == 1 else 's'}"
    most = "any number" if nodes.high is None else f"{nodes.high:g}"
    return f"{nodes.low:g} to {most} nodes, {nodes.expected:g} expected"


def _volumes(component: str, group: Group, prices: Prices) -> Iterator[Line | Unknown]:
    try:
        each = mapped(group.mappings, prices)
    except UnknownPrice as unknown:
        yield Unknown(component, group.resource.name, str(unknown))
    else:
        what = f"volumes of {_count(group.nodes)}"
        yield Line("volumes", component, group.resource.name, what, group.nodes * each)


def _volume(component: str, resource: Resource, prices: Prices) -> Iterator[Line | Unknown]:
    try:
        monthly = Amount.fixed(volume(resource.inputs, prices))
    except UnknownPrice as unknown:
        yield Unknown(component, resource.name, str(unknown))
    else:
        yield Line("volumes", component, resource.name, "volume", monthly)
