"""Checks zones: their existence, EKS's support, and the instance types offered there."""

from collections.abc import Iterator, Mapping, Sequence

from components.network.network import ZONES_WITHOUT_EKS
from frugal_eks.plans.cost.groups import Group, groups
from frugal_eks.plans.cost.pools import POOL
from frugal_eks.plans.cost.program import objects, part, texts
from frugal_eks.preflight.account import Account
from frugal_eks.preflight.findings import Finding, fails, ok
from frugal_eks.preflight.situation import Situation

SUBNET = "aws:ec2/subnet:Subnet"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
AT_ONCE = 200
"""Number of values that one filter takes (EC2 API reference, "Filter")."""


def zones(situation: Situation) -> Iterator[Finding]:
    """Checks each zone in which the stack creates subnets."""
    wanted = _zones(situation)
    if not wanted:
        return
    there = situation.account.ask("ec2", "describe_availability_zones", AllAvailabilityZones=True)
    by_name = {zone["ZoneName"]: zone for zone in there["AvailabilityZones"]}
    usable = sorted(name for name, zone in by_name.items() if not _problem(zone))
    for name in wanted:
        zone = by_name.get(name)
        problem = _problem(zone) if zone else f"{situation.account.region} has no zone {name}"
        if problem:
            remedy = f"name others in network.availabilityZones: {', '.join(usable)}"
            yield fails(f"zone {name}", problem, remedy)
        else:
            yield ok(f"zone {name}", f"{zone['ZoneId']}, EKS runs there" if zone else "")


def _problem(zone: Mapping[str, str]) -> str:
    if zone["ZoneId"] in ZONES_WITHOUT_EKS:
        return (
            f"EKS takes no subnet in {zone['ZoneId']}, which this account calls {zone['ZoneName']}"
        )
    if zone.get("ZoneType", "availability-zone") != "availability-zone":
        return f"it is a {zone['ZoneType']}, in which EKS runs no control plane"
    if zone.get("OptInStatus") == "not-opted-in":
        return "the account has not opted in to it"
    if zone.get("State") not in (None, "available"):
        return f"it is {zone['State']}"
    return ""


def instance_types(situation: Situation) -> Iterator[Finding]:
    """Checks the instance types that groups and pools name, in the zones of the stack."""
    named = {
        **{each.resource.name: each.types for each in _by_name(situation)},
        **{pool: types for pool, types in _pools(situation)},
    }
    wanted = sorted({each for types in named.values() for each in types})
    if not wanted:
        return
    offered = _offered(situation.account, wanted)
    of_stack = _zones(situation) or sorted({zone for zones in offered.values() for zone in zones})
    for name, types in named.items():
        check = f"instance types of {name}"
        missing = [each for each in types if not offered[each] & set(of_stack)]
        bare = [zone for zone in of_stack if not any(zone in offered[each] for each in types)]
        if len(missing) == len(types):
            yield fails(
                check,
                f"none of {', '.join(types)} is offered in {', '.join(of_stack)}",
                "name types that `aws ec2 describe-instance-type-offerings --location-type "
                "availability-zone` lists there, or other zones",
            )
        elif missing or bare:
            problems = [f"{', '.join(missing)} nowhere"] if missing else []
            problems += [f"none of them in {', '.join(bare)}"] if bare else []
            yield ok(check, "; ".join(problems), "fine while the others have capacity")
        else:
            yield ok(check, f"{len(types)} offered in {', '.join(of_stack)}")


def _by_name(situation: Situation) -> Iterator[Group]:
    for group in groups(situation.program):
        if group.types and not group.by_requirements:
            yield group


def _pools(situation: Situation) -> Iterator[tuple[str, Sequence[str]]]:
    """Pools that name their types; for other pools the program selects types itself."""
    for pool in situation.program.of_type(POOL):
        for rule in objects(part(pool.inputs, "spec", "template", "spec"), "requirements"):
            if rule.get("key") == INSTANCE_TYPE and rule.get("operator") == "In":
                yield pool.name, texts(rule, "values")


def _offered(account: Account, types: Sequence[str]) -> Mapping[str, set[str]]:
    """Zones that offer each type."""
    zones: dict[str, set[str]] = {each: set() for each in types}
    for start in range(0, len(types), AT_ONCE):
        some = {"Name": "instance-type", "Values": list(types[start : start + AT_ONCE])}
        for offer in account.listed(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[some],
        ):
            zones[offer["InstanceType"]].add(offer["Location"])
    return zones


def _zones(situation: Situation) -> Sequence[str]:
    subnets = situation.program.of_type(SUBNET)
    return sorted({str(subnet.inputs.get("availabilityZone")) for subnet in subnets})
