"""The cluster's nodes at one moment: what they are, what runs on them, what they cost."""

from dataclasses import dataclass, field
from typing import Any

from rehearsal.clients import Cluster
from rehearsal.group_members import Member, Members
from rehearsal.price_list import PriceList, fargate_hourly

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
NODE_POOL = "karpenter.sh/nodepool"
KARPENTER_CAPACITY = "karpenter.sh/capacity-type"
GROUP = "eks.amazonaws.com/nodegroup"
GROUP_CAPACITY = "eks.amazonaws.com/capacityType"
PROVISIONED = "CapacityProvisioned"
COMPUTE = "eks.amazonaws.com/compute-type"
SELF_MANAGED = "self-managed"


@dataclass(frozen=True)
class Node:
    """A node. `price` is USD an hour, None if there is no price."""

    name: str
    owner: str
    """Owner: "fargate", "pool NAME" of Karpenter, "group NAME" of EKS, else "self-managed KEY"."""
    instance_type: str
    """Instance type; on Fargate the size of its pod."""
    capacity: str
    """Capacity type: "spot", "on-demand", "reserved" or "fargate"."""
    zone: str
    instance_id: str
    """Last part of the provider id."""
    ready: bool
    leaving: bool
    """True if it is being drained or deleted."""
    price: float | None
    pods: tuple[str, ...] = field(default=())
    """Pods bound to it that have not ended, as namespace/name, without those of DaemonSets."""

    @property
    def karpenter(self) -> bool:
        """True if Karpenter launched it."""
        return self.owner.startswith("pool ")

    @property
    def self_managed(self) -> bool:
        """True if it is neither Karpenter's, nor of a group that EKS manages, nor on Fargate."""
        return self.owner.startswith(SELF_MANAGED)


def nodes_now(cluster: Cluster, prices: PriceList, members: Members | None = None) -> list[Node]:
    """All nodes, Karpenter's first, then by name.

    Without `members` self-managed nodes have no group, and their labels tell whether they are spot.
    """
    pods: dict[str, list[dict[str, Any]]] = {}
    for pod in cluster.items("/api/v1/pods"):
        if _counts(pod):
            pods.setdefault(pod["spec"].get("nodeName", ""), []).append(pod)
    listed = cluster.items("/api/v1/nodes")
    ids = [_instance_id(node) for node in listed if _kind(_labels(node))[0] == SELF_MANAGED]
    known = members.of(ids) if members else {}
    nodes = [
        _node(
            node,
            prices,
            pods.get(node["metadata"]["name"], []),
            known.get(_instance_id(node)),
        )
        for node in listed
    ]
    return sorted(nodes, key=lambda node: (not node.karpenter, node.owner, node.name))


def cost(nodes: list[Node]) -> float:
    """Sum of the known prices, USD an hour."""
    return sum(node.price or 0.0 for node in nodes)


def is_true(thing: dict[str, Any], condition: str) -> bool:
    """True if this condition holds in an object's status."""
    conditions = thing.get("status", {}).get("conditions", [])
    return any(c["type"] == condition and c["status"] == "True" for c in conditions)


def _node(
    node: dict[str, Any], prices: PriceList, pods: list[dict[str, Any]], member: Member | None
) -> Node:
    metadata, labels = node["metadata"], _labels(node)
    owner, capacity = _kind(labels)
    if member:
        owner = f"{SELF_MANAGED} {member.key}" if member.key else SELF_MANAGED
        capacity = "spot" if member.spot else "on-demand"
    instance_type, zone = labels.get(INSTANCE_TYPE, ""), labels.get(ZONE, "")
    if owner == "fargate":
        instance_type = _fargate_size(pods[0]) if pods else ""
        price = fargate_hourly(instance_type)
    else:
        price = prices.hourly(instance_type, capacity, zone) if instance_type else None
    return Node(
        name=metadata["name"],
        owner=owner,
        instance_type=instance_type,
        capacity=capacity,
        zone=zone,
        instance_id=_instance_id(node),
        ready=is_true(node, "Ready"),
        leaving=bool(metadata.get("deletionTimestamp") or node["spec"].get("unschedulable")),
        price=price,
        pods=tuple(sorted(f"{p['metadata']['namespace']}/{p['metadata']['name']}" for p in pods)),
    )


def _labels(node: dict[str, Any]) -> dict[str, str]:
    return node["metadata"].get("labels", {})


def _instance_id(node: dict[str, Any]) -> str:
    return node["spec"].get("providerID", "").rpartition("/")[2]


def _fargate_size(pod: dict[str, Any]) -> str:
    return pod["metadata"].get("annotations", {}).get(PROVISIONED, "")


def _kind(labels: dict[str, str]) -> tuple[str, str]:
    if labels.get(COMPUTE) == "fargate":
        return "fargate", "fargate"
    if pool := labels.get(NODE_POOL):
        return f"pool {pool}", labels.get(KARPENTER_CAPACITY, "")
    if group := labels.get(GROUP):
        return f"group {group}", labels.get(GROUP_CAPACITY, "").lower().replace("_", "-")
    return SELF_MANAGED, "spot" if labels.get("lifecycle") == "Ec2Spot" else "on-demand"


def _counts(pod: dict[str, Any]) -> bool:
    owners = {owner["kind"] for owner in pod["metadata"].get("ownerReferences", [])}
    return pod["status"].get("phase") not in {"Succeeded", "Failed"} and "DaemonSet" not in owners
