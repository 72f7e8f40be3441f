"""Node groups of a ClusterConfig: EKS's own, and Auto Scaling groups with spot."""

from components.ec2.instance_types import known_types
from frugal_eks.migrate.eksctl import nodes
from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

DEFAULT_TYPE = "m5.large"
"""What eksctl takes where nothing is said."""
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
"""Keys that both have, with eksctl's defaults, which are EC2's."""


def convert(source: Reader, out: Sections) -> None:
    """`managedNodeGroups` and `nodeGroups`."""
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
    one = group.text("instanceType")
    types = group.texts("instanceTypes") or [one or DEFAULT_TYPE]
    family, why = nodes.family(group)
    out.put((*place, "amiType"), _AMI_TYPES[family, _is_arm(types)], why)
    missing = "" if one or len(types) > 1 or types != [DEFAULT_TYPE] else "eksctl's default"
    out.put((*place, "instanceTypes"), types, missing)
    update = group.part("updateConfig")
    for key in ("maxUnavailable", "maxUnavailablePercentage"):
        if key in update:
            out.put((*place, "update", key), update.number(key))
    if "nodeRepairConfig" in group:
        out.put(
            (*place, "nodeRepair"), group.part("nodeRepairConfig").flag("enabled", default=False)
        )
    nodes.convert(group, place, out)


def _mixed(group: Reader, place: Place, out: Sections) -> None:
    asked = group.part("instancesDistribution")
    types = asked.texts("instanceTypes") or [DEFAULT_TYPE]
    out.put((*place, "instanceTypes"), types)
    group.expect("instanceType", "mixed")
    family, why = nodes.family(group)
    if family != "AL2023" or why:
        out.put((*place, "imageFamily"), family, why)
    for key, default in _DISTRIBUTION.items():
        absent = key not in asked
        comment = "eksctl's default" if absent else ""
        if absent and key == "onDemandPercentageAboveBaseCapacity":
            comment = "eksctl's default, which is no spot at all"
        out.put((*place, "distribution", key), asked.take(key, default), comment)
    if "spotInstancePools" in asked:
        out.put((*place, "distribution", "spotInstancePools"), asked.take("spotInstancePools"))
    if "maxPrice" in asked:
        out.put((*place, "distribution", "maxPrice"), asked.take("maxPrice"))
    # Of both groups AWS's default is false; here it is true.
    rebalance = asked.flag("capacityRebalance", default=False)
    why = "" if rebalance else "true, this program's default, replaces nodes before AWS takes them"
    out.put((*place, "capacityRebalance"), rebalance, why)
    nodes.convert(group, place, out)


def _is_arm(types: list[str]) -> bool:
    known = known_types().types
    return all(each in known and known[each].architecture == "arm64" for each in types)
