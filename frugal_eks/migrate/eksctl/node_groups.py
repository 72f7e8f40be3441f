"""Converts node groups of a ClusterConfig: managed groups, and Auto Scaling groups with spot."""

from components.ec2.instance_types import known_types
from frugal_eks.migrate.eksctl import nodes
from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

DEFAULT_TYPE = "m5.large"
"""Instance type that eksctl uses if none is given."""
_ALL = 100
_AMI_TYPES = {
    ("AL2023", False): "AL2023_x86_64_STANDARD",
    ("AL2023", True): "AL2023_ARM_64_STANDARD",
    ("Bottlerocket", False): "BOTTLEROCKET_x86_64",
    ("Bottlerocket", True): "BOTTLEROCKET_ARM_64",
}
_DISTRIBUTION = {
    "onDemandBaseCapacity": 0,
    "onDemandPercentageAboveBaseCapacity": _ALL,
    "spotAllocationStrategy": "lowest-price",
}
"""Keys that eksctl and the stack file share, with eksctl's defaults, which are EC2's."""


def convert_node_groups(source: Reader, out: Sections) -> None:
    """Converts `managedNodeGroups` and `nodeGroups`."""
    for number, group in enumerate(source.parts("managedNodeGroups")):
        _managed(group, ("managedNodeGroups", group.text("name", f"ng-{number + 1}")), out)
    for number, group in enumerate(source.parts("nodeGroups")):
        name = group.text("name", f"ng-{number + 1}")
        if "instancesDistribution" in group:
            _mixed(group, ("spotNodeGroups", name), out)
        else:
            place = ("managedNodeGroups", name)
            _managed(group, place, out)
            out.say(place, "a group that EKS manages, was an Auto Scaling group of eksctl's")


def _managed(group: Reader, place: Place, out: Sections) -> None:
    spot = group.flag("spot", default=False)
    out.put((*place, "capacityType"), "SPOT" if spot else "ON_DEMAND")
    single_type = group.text("instanceType")
    types = group.texts("instanceTypes") or [single_type or DEFAULT_TYPE]
    family, why = nodes.family(group)
    out.put((*place, "amiType"), _AMI_TYPES[family, _is_arm(types)], why)
    missing = "" if single_type or len(types) > 1 or types != [DEFAULT_TYPE] else "eksctl's default"
    out.put((*place, "instanceTypes"), types, missing)
    update = group.part("updateConfig")
    for key in ("maxUnavailable", "maxUnavailablePercentage"):
        if key in update:
            out.put((*place, "update", key), update.number(key))
    if "nodeRepairConfig" in group:
        out.put(
            (*place, "nodeRepair"), group.part("nodeRepairConfig").flag("enabled", default=False)
        )
    nodes.convert_settings(group, place, out)


def _mixed(group: Reader, place: Place, out: Sections) -> None:
    distribution = group.part("instancesDistribution")
    types = distribution.texts("instanceTypes") or [DEFAULT_TYPE]
    out.put((*place, "instanceTypes"), types)
    group.expect("instanceType", "mixed")
    family, why = nodes.family(group)
    if family != "AL2023" or why:
        out.put((*place, "imageFamily"), family, why)
    for key, default in _DISTRIBUTION.items():
        absent = key not in distribution
        comment = "eksctl's default" if absent else ""
        if absent and key == "onDemandPercentageAboveBaseCapacity":
            comment = "eksctl's default, which is no spot at all"
        out.put((*place, "distribution", key), distribution.take(key, default), comment)
    if "spotInstancePools" in distribution:
        out.put(
            (*place, "distribution", "spotInstancePools"), distribution.take("spotInstancePools")
        )
    if "maxPrice" in distribution:
        out.put((*place, "distribution", "maxPrice"), distribution.take("maxPrice"))
    # Of both groups AWS's default is false; here it is true.
    rebalance = distribution.flag("capacityRebalance", default=False)
    why = "" if rebalance else "true, this program's default, replaces nodes before AWS takes them"
    out.put((*place, "capacityRebalance"), rebalance, why)
    nodes.convert_settings(group, place, out)


def _is_arm(types: list[str]) -> bool:
    known = known_types().types
    return all(each in known and known[each].architecture == "arm64" for each in types)
