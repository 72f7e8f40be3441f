"""Builds the Node of an instance, as kubelet would register it."""

from dataclasses import dataclass
from typing import Any

from rehearsal.aws import moto_instances
from rehearsal.aws.eks_service.kubernetes import Object
from rehearsal.aws.moto_instances import Instance

GROUP_LABEL = "eks.amazonaws.com/nodegroup"
AL2023 = (
    "/aws/service/eks/optimized-ami/{{minor}}/amazon-linux-2023/{arch}/{variant}/recommended"
    "/{{field}}"
)

AMI_PARAMETERS = {
    f"AL2023_{name}": (arch, AL2023.format(arch=arch, variant=variant))
    for name, arch, variant in (
        ("x86_64_STANDARD", "x86_64", "standard"),
        ("x86_64_NVIDIA", "x86_64", "nvidia"),
        ("x86_64_NEURON", "x86_64", "neuron"),
        ("ARM_64_STANDARD", "arm64", "standard"),
        ("ARM_64_NVIDIA", "arm64", "nvidia"),
    )
} | {
    f"BOTTLEROCKET_{name}": (
        arch,
        f"/aws/service/bottlerocket/aws-k8s-{{minor}}/{arch}/latest/{{field}}",
    )
    for name, arch in (("x86_64", "x86_64"), ("ARM_64", "arm64"))
}
"""Architecture and SSM parameter of the image, by AMI type."""

ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
KWOK = {"kwok.x-k8s.io/node": "fake"}
"""An annotation, not a label: Karpenter deletes nodes with that label that are not its own."""


@dataclass(frozen=True, kw_only=True)
class Registered:
    """Settings with which a kubelet registers its node."""

    labels: dict[str, str]
    taints: list[dict[str, str]]
    disk: int
    """Size of the disk in GiB."""
    max_pods: int | None = None
    """Maximum pods; None means as many as the VPC CNI plugin has addresses for."""


def node_object(nodegroup: dict[str, Any], instance: Instance) -> Object:
    """The Node of one instance of a described node group."""
    registered = Registered(
        labels={
            **nodegroup["labels"],
            GROUP_LABEL: nodegroup["nodegroupName"],
            "eks.amazonaws.com/capacityType": nodegroup["capacityType"],
        },
        taints=[
            {"key": t["key"], "value": t.get("value", ""), "effect": EFFECTS[t["effect"]]}
            for t in nodegroup["taints"]
        ],
        disk=nodegroup["diskSize"],
    )
    return registered_node(instance, registered)


def registered_node(instance: Instance, registered: Registered) -> Object:
    """The Node of an instance: the kubelet's part, plus the cloud controller's."""
    facts = moto_instances.facts(instance.type)
    arch = ARCHITECTURES[facts["ProcessorInfo"]["SupportedArchitectures"][-1]]
    labels = {
        **registered.labels,
        "node.kubernetes.io/instance-type": instance.type,
        "topology.kubernetes.io/zone": instance.zone,
        "topology.kubernetes.io/region": instance.zone[:-1],
        "topology.k8s.aws/zone-id": instance.zone_id,
        "kubernetes.io/hostname": instance.dns_name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": arch,
    }
    capacity = _capacity(facts, registered.disk, registered.max_pods)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": instance.dns_name, "labels": labels, "annotations": dict(KWOK)},
        "spec": {
            "providerID": f"aws:///{instance.zone}/{instance.id}",
            "taints": registered.taints,
        },
        "status": {"capacity": capacity, "allocatable": _allocatable(capacity)},
    }


def _capacity(facts: dict[str, Any], disk: int, max_pods: int | None) -> dict[str, str]:
    network = facts["NetworkInfo"]
    interfaces, addresses = (
        network["MaximumNetworkInterfaces"],
        network["Ipv4AddressesPerInterface"],
    )
    return {
        "cpu": str(facts["VCpuInfo"]["DefaultVCpus"]),
        "memory": f"{facts['MemoryInfo']['SizeInMiB']}Mi",
        "ephemeral-storage": f"{disk}Gi",
        # The VPC CNI plugin's formula: each interface keeps one address for itself.
        "pods": str(max_pods or interfaces * (addresses - 1) + 2),
    }


def _allocatable(capacity: dict[str, str]) -> dict[str, str]:
    """Allocatable resources, without nodeadm's reservation: memory 255Mi + 11Mi a pod + 100Mi for
    eviction, and of the CPUs 6 % of the first, 1 % of the second, 0.5 % of the next two, 0.25 % of
    the others.
    """
    pods, cpus = int(capacity["pods"]), int(capacity["cpu"])
    shares = [60, 10, 5, 5] + [2.5] * max(cpus - 4, 0)
    memory = int(capacity["memory"].removesuffix("Mi")) - (255 + 11 * pods + 100)
    return {
        **capacity,
        "cpu": f"{cpus * 1000 - int(sum(shares[:cpus]))}m",
        "memory": f"{memory}Mi",
    }
