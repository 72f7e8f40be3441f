"""Plays Fargate: each pod that a profile selects gets a node of its own."""

import contextlib
import ipaddress
import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError
from lightkube.models.core_v1 import (
    NodeAddress,
    NodeSpec,
    NodeStatus,
    ObjectReference,
    Taint,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources import core_v1

from rehearsal.aws.eks_service.fargate_policy import PROFILE_LABEL as PROFILE
from rehearsal.aws.eks_service.fargate_policy import SCHEDULER
from rehearsal.nodes import cluster, fargate_sizes
from rehearsal.nodes.pod_credentials import (
    ANNOTATION,
    AWS_ERRORS,
    NoCredentialsError,
    PlayedAws,
    ServiceAccount,
)

COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
ZONE = "topology.kubernetes.io/zone"
FIRST_ADDRESS = 10
"""Index of the first address: AWS keeps four of a subnet, NAT and endpoints take some more."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """A subnet in which a profile may run pods."""

    id: str
    zone: str
    cidr: str


class Fargate:
    """Binds pods to nodes made for them, and removes the nodes of pods that are gone."""

    def __init__(self, client: Client, aws: PlayedAws) -> None:
        self.client, self.aws = client, aws
        self.events = cluster.Events(client, SCHEDULER)
        self.trusted: set[str] = set()
        """Uids of pods that are known to get their credentials."""

    def reconcile(self) -> None:
        """Reconciles all pods and nodes once."""
        chosen = {"spec.schedulerName": SCHEDULER}
        pods = cluster.listed(self.client, core_v1.Pod, namespace=cluster.ALL, fields=chosen)
        nodes = cluster.listed(self.client, core_v1.Node, labels={COMPUTE_TYPE: "fargate"})
        self._remove_idle(nodes, pods)
        # IRSA may come to work, or stop to, after a pod has started.
        for pod in pods:
            if not cluster.leaving(pod):
                self._place(pod, nodes)

    def _remove_idle(self, nodes: list[core_v1.Node], pods: list[core_v1.Pod]) -> None:
        in_use = {cluster.node_of(pod) for pod in pods}
        for node in [
            candidate
            for candidate in nodes
            if candidate.metadata and candidate.metadata.name not in in_use
        ]:
            nodes.remove(node)
            assert node.metadata
            try:
                self.client.delete(core_v1.Node, node.metadata.name or "")
            except ApiError as error:
                if not cluster.gone(error):
                    raise

    def _place(self, pod: core_v1.Pod, nodes: list[core_v1.Node]) -> None:
        assert pod.spec
        if cluster.node_of(pod):
            if cluster.uid_of(pod) not in self.trusted:
                self._check_credentials(pod)
            return
        owners = (pod.metadata and pod.metadata.ownerReferences) or []
        why = fargate_sizes.unsupported(pod.spec, [owner.kind for owner in owners])
        if why:
            self.events.warn(pod, "FailedScheduling", f"Pod not supported on Fargate: {why}")
            return
        try:
            subnets = self._subnets(cluster.labels(pod).get(PROFILE, ""))
        except (LookupError, *AWS_ERRORS) as error:
            self.events.warn(pod, "FailedScheduling", f"{error}")
            return
        self._run(pod, node_for(pod, subnets, nodes, self.aws.region), nodes)

    def _run(self, pod: core_v1.Pod, node: core_v1.Node, nodes: list[core_v1.Node]) -> None:
        assert pod.spec
        size = fargate_sizes.size_for(pod.spec)
        assert size
        assert node.metadata
        namespace, name = cluster.name_of(pod)
        cluster.annotate(self.client, pod, {"CapacityProvisioned": fargate_sizes.shown(size)})
        self._check_credentials(pod)
        nodes.append(self.client.create(node))
        target = ObjectReference(apiVersion="v1", kind="Node", name=node.metadata.name)
        binding = core_v1.Pod.Binding(
            metadata=ObjectMeta(name=name, namespace=namespace), target=target
        )
        try:
            # The API server answers with a Status where lightkube reads a Binding.
            with contextlib.suppress(msgspec.ValidationError):
                self.client.create(binding, name, namespace=namespace)
        except ApiError as error:
            # Deleted in between: its node goes with the next look.
            if not cluster.gone(error):
                raise

    def _check_credentials(self, pod: core_v1.Pod) -> None:
        """Checks that a pod whose service account names a role can assume that role."""
        account = service_account(self.client, pod)
        try:
            if account.role_arn:
                self.aws.require_web_identity(account)
        except NoCredentialsError as error:
            cluster.annotate(self.client, pod, {cluster.NOT_READY: str(error)})
            self.events.warn(pod, "BackOff", f"no AWS credentials: {error}")
            return
        self.trusted.add(cluster.uid_of(pod))
        if not has_real_program(pod):
            cluster.annotate(self.client, pod, {cluster.NOT_READY: None})

    def _subnets(self, profile: str) -> list[Subnet]:
        """Subnets of a profile. Raises LookupError if no cluster has it, or if it is not active."""
        for name in self.aws.clusters():
            if (
                profile
                not in self.aws.eks.list_fargate_profiles(clusterName=name)["fargateProfileNames"]
            ):
                continue
            description: Mapping[str, Any] = self.aws.eks.describe_fargate_profile(
                clusterName=name, fargateProfileName=profile
            )["fargateProfile"]
            if description["status"] not in {"ACTIVE", "CREATING"}:
                raise LookupError(f"Fargate profile {profile} is {description['status']}")
            listed = self.aws.ec2.describe_subnets(SubnetIds=description["subnets"])["Subnets"]
            return [
                Subnet(
                    id=subnet["SubnetId"], zone=subnet["AvailabilityZone"], cidr=subnet["CidrBlock"]
                )
                for subnet in listed
            ]
        raise LookupError(f"there is no Fargate profile {profile!r}: the pod stays Pending")


def node_for(
    pod: core_v1.Pod, subnets: list[Subnet], nodes: list[core_v1.Node], region: str
) -> core_v1.Node:
    """Node that Fargate would show for this pod, in the zone with the fewest nodes."""
    assert pod.spec
    zones = [cluster.labels(node).get(ZONE) for node in nodes]
    subnet = min(subnets, key=lambda candidate: zones.count(candidate.zone))
    address = free_address(subnet, nodes)
    name = f"fargate-ip-{address.replace('.', '-')}.{region}.compute.internal"
    size = fargate_sizes.size_for(pod.spec)
    assert size
    resources = fargate_sizes.capacity(size)
    labels = {
        COMPUTE_TYPE: "fargate",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/region": region,
        ZONE: subnet.zone,
    }
    return core_v1.Node(
        metadata=ObjectMeta(
            name=name,
            labels=labels,
            # By label Karpenter's simulated fleet would take it for its own and remove it.
            annotations={"kwok.x-k8s.io/node": "fake"},
        ),
        spec=NodeSpec(
            providerID=f"aws:///{subnet.zone}/{name}",
            taints=[Taint(key=COMPUTE_TYPE, value="fargate", effect="NoSchedule")],
        ),
        status=NodeStatus(
            addresses=[
                NodeAddress(type="InternalIP", address=address),
                NodeAddress(type="Hostname", address=name),
            ],
            capacity=resources,
            allocatable=resources,
        ),
    )


def free_address(subnet: Subnet, nodes: list[core_v1.Node]) -> str:
    """First address of the subnet that no node has. Raises LookupError if it is full."""
    taken = {
        address.address
        for node in nodes
        for address in (node.status and node.status.addresses) or []
    }
    hosts = ipaddress.ip_network(subnet.cidr).hosts()
    for host in itertools.islice(hosts, FIRST_ADDRESS, None):
        if str(host) not in taken:
            return str(host)
    raise LookupError(f"subnet {subnet.id} ({subnet.cidr}) has no free address left")


def service_account(client: Client, pod: core_v1.Pod) -> ServiceAccount:
    """Service account of a pod, with its role if it has one."""
    assert pod.spec
    namespace, _ = cluster.name_of(pod)
    name = pod.spec.serviceAccountName or "default"
    role = None
    try:
        account = client.get(core_v1.ServiceAccount, name, namespace=namespace)
        role = cluster.annotations(account).get(ANNOTATION)
    except ApiError as error:
        if not cluster.gone(error):
            raise
    return ServiceAccount(namespace=namespace, name=name, role_arn=role)


def has_real_program(pod: core_v1.Pod) -> bool:
    """True if this pod's readiness depends on a real program that runs for it."""
    return cluster.labels(pod).get("app.kubernetes.io/name") in cluster.REAL_PROGRAMS


def run(fargate: Fargate, due: threading.Event, stopping: threading.Event) -> None:
    """Reconciles after each change, and every few seconds for changes in AWS."""
    while not stopping.is_set():
        due.wait(timeout=5)
        due.clear()
        try:
            fargate.reconcile()
        except (ApiError, *AWS_ERRORS, *cluster.UNREACHABLE) as error:
            print(f"Fargate: {error}", flush=True)
            stopping.wait(cluster.PAUSE)
