"""Checks what EKS offers: Kubernetes versions, add-on builds and quotas."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frugal_eks.plans.cost.groups import MANAGED
from frugal_eks.plans.cost.program import number, part
from frugal_eks.plans.cost.workloads import ADDON
from frugal_eks.preflight import quotas as known_quotas
from frugal_eks.preflight.findings import Finding, fails, ok
from frugal_eks.preflight.quotas import compared, limit
from frugal_eks.preflight.situation import Situation

CLUSTER = "eks:index:Cluster"
NONE = ("ResourceNotFoundException",)
UNKNOWN_ADDON = ("ResourceNotFoundException", "InvalidParameterException")
EXTENDED = "EXTENDED_SUPPORT"


def version(situation: Situation) -> Iterator[Finding]:
    """Checks that EKS creates clusters of this minor version, with this support type."""
    cluster = situation.new_cluster
    if cluster is None:
        return
    offered = {
        each["clusterVersion"]: each.get("versionStatus", "")
        for each in situation.account.listed("eks", "describe_cluster_versions", "clusterVersions")
    }
    status = offered.get(cluster.version)
    if status is None:
        choice = ", ".join(sorted(offered))
        yield fails(
            "Kubernetes version",
            f"EKS does not offer {cluster.version} in {situation.account.region}",
            f"set cluster.version to one of {choice}",
        )
    elif status == EXTENDED and cluster.support_type == "STANDARD":
        standard = ", ".join(sorted(each for each in offered if offered[each] != EXTENDED))
        yield fails(
            "Kubernetes version",
            f"{cluster.version} is in extended support, supportType is STANDARD",
            f"set cluster.version to one of {standard}, or supportType: EXTENDED",
        )
    else:
        yield ok("Kubernetes version", f"EKS offers {cluster.version}")


def addons(situation: Situation) -> Iterator[Finding]:
    """Checks that EKS has each add-on's build for the cluster's minor version."""
    for addon in situation.program.of_type(ADDON):
        name, build = addon.inputs.get("addonName"), addon.inputs.get("addonVersion")
        cluster = situation.new_cluster
        if not isinstance(name, str) or not isinstance(build, str) or cluster is None:
            continue
        offered: Mapping[str, Any] | None = situation.account.find(
            UNKNOWN_ADDON,
            "eks",
            "describe_addon_versions",
            addonName=name,
            kubernetesVersion=cluster.version,
        )
        addons: Sequence[Mapping[str, Any]] = offered["addons"] if offered else ()
        builds: list[Mapping[str, Any]] = [
            build for addon in addons for build in addon["addonVersions"]
        ]
        check = f"add-on {name}"
        if any(each["addonVersion"] == build for each in builds):
            yield ok(check, f"EKS offers {build} for {cluster.version}")
            continue
        default = next((each["addonVersion"] for each in builds if _is_default(each)), None)
        newest = default or next((each["addonVersion"] for each in builds), "none")
        yield fails(
            check,
            f"EKS does not offer {build} for {cluster.version}",
            f"set eksAddons' version of {name} to what is offered: {newest}",
        )


def quotas(situation: Situation) -> Iterator[Finding]:
    """Compares clusters of the region, and limits within one cluster."""
    account, program = situation.account, situation.program
    cluster = situation.new_cluster
    if cluster is not None:
        used = len(account.listed("eks", "list_clusters", "clusters"))
        allowed = limit(account, known_quotas.CLUSTERS)
        yield compared("clusters", known_quotas.CLUSTERS, allowed, used, 1)
        ranges = len(cluster.endpoint.public_cidrs)
        if ranges > 1:
            allowed = limit(account, known_quotas.PUBLIC_RANGES)
            yield compared("publicCidrs", known_quotas.PUBLIC_RANGES, allowed, 0, ranges)
    groups = list(program.of_type(MANAGED))
    if groups:
        allowed = limit(account, known_quotas.NODE_GROUPS)
        used = 0 if cluster else _groups_of(situation)
        yield compared("node groups", known_quotas.NODE_GROUPS, allowed, used, len(groups))
        largest = max(_most(group.inputs) for group in groups)
        allowed = limit(account, known_quotas.NODES)
        yield compared("nodes of a node group", known_quotas.NODES, allowed, 0, largest)


def _groups_of(situation: Situation) -> int:
    name = situation.cluster_name
    return len(situation.account.listed("eks", "list_nodegroups", "nodegroups", clusterName=name))


def _most(inputs: Mapping[str, Any]) -> float:
    return number(part(inputs, "scalingConfig"), "maxSize") or 0.0


def _is_default(build: Mapping[str, Any]) -> bool:
    return any(works.get("defaultVersion") for works in build.get("compatibilities", ()))
