"""Karpenter's NodePools: no cost without pods, and at most the cost of their limits."""

from collections.abc import Iterator, Mapping, Sequence

from components.ec2.offerings import known_regions
from frugal_eks.plans.cost.amounts import HOURS, Amount
from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.fargate import on_fargate
from frugal_eks.plans.cost.groups import node_groups_of
from frugal_eks.plans.cost.lines import Line, Unknown
from frugal_eks.plans.cost.offers import Offer
from frugal_eks.plans.cost.pool import Bound, Need, Pool
from frugal_eks.plans.cost.prices import Prices, UnknownPrice
from frugal_eks.plans.cost.program import Program, number, objects, part
from frugal_eks.plans.cost.volumes import mapped
from frugal_eks.plans.cost.workloads import Request, Workload, workloads
from frugal_eks.plans.previews import Resource

POOL, NODE_CLASS = (
    "kubernetes:karpenter.sh/v1:NodePool",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
)
SHOWN = 3
"""Number of names that are shown; others are only counted."""


def node_pools(
    program: Program, prices: Prices, assumptions: Assumptions
) -> Iterator[Line | Unknown]:
    """Yields a line for each NodePool, nodes and volumes together."""
    del assumptions
    pools: list[Pool] = []
    for resource in program.of_type(POOL):
        try:
            pools.append(_pool(resource, program, prices))
        except UnknownPrice as unknown:
            yield Unknown(program.component(resource), resource.name, str(unknown))
    needs = _needs(program, pools)
    for pool in pools:
        yield from _lines(program.component(pool.resource), pool, needs.get(pool.resource.urn))


def _pool(resource: Resource, program: Program, prices: Prices) -> Pool:
    if prices.region not in known_regions():
        raise UnknownPrice(f"which instance types EC2 offers in {prices.region}")
    name = part(resource.inputs, "spec", "template", "spec", "nodeClassRef").get("name")
    classes = (
        each
        for each in program.of_type(NODE_CLASS)
        if part(each.inputs, "metadata").get("name") == name
    )
    node_class = next(classes, None)
    mappings = objects(part(node_class.inputs, "spec"), "blockDeviceMappings") if node_class else ()
    return Pool(resource, prices.region, prices, mapped(mappings, prices))


def _needs(program: Program, pools: Sequence[Pool]) -> Mapping[str, Need]:
    """Requests of known workloads by the URN of their pool.
    Pods without a node selector run on node groups if there are any, else in the first pool without
    a taint, ordered by weight.
    """
    has_groups = any(node_groups_of(program))
    ordered = sorted(pools, key=lambda each: -(number(each.spec, "weight") or 0))
    by_pool: dict[str, list[Workload]] = {}
    for each in workloads(program):
        if not each.pods.expected or on_fargate(program, each.namespace, each.labels):
            continue
        if has_groups and not each.node_selector:
            continue
        fit = (pool for pool in ordered if not pool.tainted and pool.runs(each))
        pool = next(fit, None)
        if pool:
            by_pool.setdefault(pool.resource.urn, []).append(each)
    return {urn: _need(each) for urn, each in by_pool.items()}


def _need(pool_workloads: Sequence[Workload]) -> Need:
    return Need(
        total=Request(
            sum(each.request.cpu * each.pods.expected for each in pool_workloads),
            sum(each.request.memory * each.pods.expected for each in pool_workloads),
        ),
        largest=Request(
            max(each.request.cpu for each in pool_workloads),
            max(each.request.memory for each in pool_workloads),
        ),
        names=[f"{each.pods.expected:g} x {each.name}" for each in pool_workloads],
    )


def _lines(component: str, pool: Pool, need: Need | None) -> Iterator[Line | Unknown]:
    name = pool.resource.name
    if not pool.listed.known:
        what = f"the price of every type that fits, in {pool.region}"
        yield Unknown(component, name, what)
        return
    expected, why = _expected(pool, need)
    if expected is None:
        yield Unknown(component, name, why)
        return
    bound = pool.bound
    static = pool.replicas
    high = None if bound is None else max(bound.monthly, expected)
    what = "nodes as pods need them" if static is None else f"{static:g} nodes at all times"
    note = f"{why}; {_bound_described(bound)}{_left_out(pool)}"
    monthly = Amount(expected if static else 0.0, expected, high)
    yield Line("Karpenter's nodes", component, name, what, monthly, note)


def _expected(pool: Pool, need: Need | None) -> tuple[float | None, str]:
    static = pool.replicas
    if static is not None:
        offer = pool.usual.cheapest
        return static * (offer.usd * HOURS + pool.volume), f"{static:g} x {_described(pool, offer)}"
    if need is None:
        return 0.0, "no stated workload runs there"
    cheapest = pool.cheapest_for(need)
    if cheapest is None:
        return None, f"a type that holds a pod of {' or '.join(need.names)}"
    return (
        cheapest.monthly,
        f"{cheapest.nodes} x {_described(pool, cheapest.offer)} for {', '.join(need.names)}",
    )


def _described(pool: Pool, offer: Offer) -> str:
    kind = "spot" if pool.has_spot else "on demand"
    return f"{offer.type} {kind}{', price reckoned,' if offer.reckoned else ''}"


def _bound_described(bound: Bound | None) -> str:
    if bound is None:
        return "no limits, so there is no most"
    return f"at its limits {bound.nodes} x {bound.offer.type} on demand"


def _left_out(pool: Pool) -> str:
    if not pool.unpriced or pool.bound is None:
        return ""
    return f"; without {_listed(pool.unpriced)}, whose prices in {pool.region} are not known"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return f"{', '.join(names[:SHOWN])}{f' and {more} more' if more > 0 else ''}"
