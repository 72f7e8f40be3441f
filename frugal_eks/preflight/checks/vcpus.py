"""Compares vCPUs of EC2 instances, on demand and spot, with quotas."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from components.ec2.instance_types import known_types
from frugal_eks.plans.cost.fargate import on_fargate
from frugal_eks.plans.cost.groups import INSTANCE, groups, node_groups_of
from frugal_eks.plans.cost.pools import POOL
from frugal_eks.plans.cost.program import number, objects, part, texts
from frugal_eks.plans.cost.workloads import workloads
from frugal_eks.preflight.account import Account
from frugal_eks.preflight.findings import Finding, ok, unknown
from frugal_eks.preflight.quotas import ON_DEMAND, SPOT, STANDARD, Limit, compared, limit
from frugal_eks.preflight.situation import Situation

CAPACITY = "karpenter.sh/capacity-type"
MARKETS = {"on-demand": ON_DEMAND, "spot": SPOT}
_STANDARD = frozenset("acdhimrtz")
"""First letters of the standard families."""
_OWN = ("dl", "hpc", "inf", "trn", "vt")
"""Families with an own quota whose first letter belongs to another quota."""

Place = tuple[str, str]
"""Market and family, such as ("spot", "standard")."""


def vcpus(situation: Situation) -> Iterator[Finding]:
    """Compares vCPUs that groups, single instances and Karpenter start first, by market and
    family.
    """
    needed, sightless = _needed(situation)
    for name in sightless:
        yield unknown(f"vCPUs of {name}", "its instance types are not known", "count by hand")
    markets = _karpenter_markets(situation)
    pods = _pods_of_karpenter(situation) if markets else 0.0
    if not needed and not markets:
        return
    used = _used(situation.account)
    allowed = {
        place: limit(situation.account, MARKETS[place[0]][place[1]])
        for place in {*needed, *((market, STANDARD) for market in markets)}
        if place[1] in MARKETS[place[0]]
    }
    if markets:
        # Pods go to whichever market has room: to the roomier of both.
        rooms = {m: _room(allowed, used, needed, (m, STANDARD)) for m in markets}
        needed[max(rooms, key=lambda market: rooms[market]), STANDARD] += pods
    limits = _pool_limits(situation)
    for place in sorted(allowed):
        market, family = place
        quota = MARKETS[market][family]
        check = f"vCPUs {'on spot' if market == 'spot' else 'on demand'}, {family}"
        comparison = compared(check, quota, allowed[place], used[place], needed[place])
        yield comparison
        if comparison.remedy == "" and market in markets and limits > allowed[place].value:
            yield ok(
                f"{check}: room to grow",
                f"pools may grow to {limits:g} vCPUs, the account to {allowed[place].value:g}",
                "pods stay Pending beyond it: lower the pools' limits, or ask for more",
            )
    for market, family in sorted(needed.keys() - allowed.keys()):
        yield unknown(f"vCPUs {market}, {family}", "its quota is not known", "see Service Quotas")


def family(instance_type: str) -> str:
    """Family that an instance type's quota is for: `standard`, or a word such as `g`."""
    letters = re.match(r"[a-z]+", instance_type)
    word = letters[0] if letters else ""
    own = next((each for each in _OWN if word.startswith(each)), None)
    if own:
        return {"vt": "g"}.get(own, own)
    return STANDARD if word[:1] in _STANDARD and word != "mac" else word[:1]


def _needed(situation: Situation) -> tuple[dict[Place, float], list[str]]:
    """Least vCPUs of the groups' nodes, and the groups whose types are not known."""
    least, sightless = defaultdict[Place, float](float), list[str]()
    facts = known_types().types
    for group in groups(situation.program):
        known = [each for each in group.types if each in facts]
        if not known:
            sightless.append(group.resource.name)
            continue
        smallest = min(known, key=lambda each: facts[each].vcpu)
        nodes = group.nodes.expected
        on_demand = group.on_demand(nodes)
        for market, count in (("on-demand", on_demand), ("spot", nodes - on_demand)):
            if count:
                least[market, family(smallest)] += count * facts[smallest].vcpu
    for instance in situation.program.of_type(INSTANCE):
        kind = instance.inputs.get("instanceType")
        if isinstance(kind, str) and kind in facts:
            least["on-demand", family(kind)] += facts[kind].vcpu
    return least, sightless


def _karpenter_markets(situation: Situation) -> list[str]:
    """Markets in which Karpenter's pools may launch; both for a pool without such a requirement."""
    markets = set[str]()
    for pool in situation.program.of_type(POOL):
        rules = objects(part(pool.inputs, "spec", "template", "spec"), "requirements")
        named = [texts(rule, "values") for rule in rules if rule.get("key") == CAPACITY]
        markets.update(*(named or [MARKETS]))
    return sorted(markets & MARKETS.keys())


def _pods_of_karpenter(situation: Situation) -> float:
    """vCPUs requested by pods that run neither on Fargate nor on a group."""
    program = situation.program
    has_groups = any(node_groups_of(program))
    return sum(
        each.request.cpu * each.pods.expected
        for each in workloads(program)
        if not on_fargate(program, each.namespace, each.labels)
        and not (has_groups and not each.node_selector)
    )


def _pool_limits(situation: Situation) -> float:
    pools = situation.program.of_type(POOL)
    return sum(number(part(pool.inputs, "spec", "limits"), "cpu") or 0.0 for pool in pools)


def _used(account: Account) -> Mapping[Place, float]:
    """vCPUs of running instances."""
    in_use = defaultdict[Place, float](float)
    facts = known_types().types
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    for page in account.listed("ec2", "describe_instances", "Reservations", Filters=running):
        for instance in page["Instances"]:
            kind = instance["InstanceType"]
            market = "spot" if instance.get("InstanceLifecycle") == "spot" else "on-demand"
            count = facts[kind].vcpu if kind in facts else _cores(instance)
            in_use[market, family(kind)] += count
    return in_use


def _cores(instance: Mapping[str, Any]) -> float:
    options = instance.get("CpuOptions", {})
    return options.get("CoreCount", 0) * options.get("ThreadsPerCore", 1)


def _room(
    allowed: Mapping[Place, Limit],
    used: Mapping[Place, float],
    needed: Mapping[Place, float],
    place: Place,
) -> float:
    return allowed[place].value - used.get(place, 0.0) - needed.get(place, 0.0)
