"""A version update of a managed node group: new nodes first, then the old ones are drained.

EKS launches more nodes, cordons the old ones, evicts their pods and ends them, at most
maxUnavailable at a time (EKS user guide, "Understand each phase of node updates"). A pod that
cannot be evicted within 15 minutes fails the update, unless it is forced.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rehearsal.aws.eks_service.kubernetes import Kubernetes, Object
from rehearsal.aws.eks_service.node_objects import node_object
from rehearsal.aws.eks_service.state import Answer
from rehearsal.aws.moto_instances import Instance, InstanceGroup, Size

ALL = 100  # per cent


@dataclass(kw_only=True)
class Rolling:
    """An update that is under way. Call `advance` until `status` is not InProgress."""

    kubernetes: Kubernetes
    group: InstanceGroup
    old: Answer
    """Description of the node group before the update."""
    new: Answer
    """Description of the node group after the update."""
    follow: Callable[[], None]
    """Makes the nodes follow the instances."""
    force: bool
    """True if pods that cannot be evicted are deleted."""
    patience: float
    """Seconds for draining a batch of nodes."""
    status: str = "InProgress"
    errors: list[Answer] = field(default_factory=list[Answer])
    leaving: list[Instance] = field(default_factory=list[Instance])
    """Old instances that are still there."""
    deadline: float = 0.0

    def start(self) -> None:
        """Launches as many new nodes as there are old ones, and cordons the old ones."""
        self.leaving = self.group.instances()
        count, size = len(self.leaving), self.new["scalingConfig"]
        if count:
            most = max(size["maxSize"], 2 * count)
            self.group.resize(Size(size["minSize"], most, 2 * count))
            self.follow()
            self.kubernetes.apply(_cordoned(self.old, instance) for instance in self.leaving)
        self.deadline = time.monotonic() + self.patience

    def advance(self) -> None:
        """Drains the next old nodes, and ends the empty ones."""
        few = self.leaving[: self._at_once()]
        blocked = self._evict({instance.dns_name for instance in few})
        if blocked and time.monotonic() > self.deadline:
            if not self.force:
                self._give_up()
                return
            self.kubernetes.delete(blocked, grace=0)
            blocked = []
        if blocked:
            return
        self._end(few)
        self.leaving = self.leaving[len(few) :]
        self.deadline = time.monotonic() + self.patience
        if not self.leaving:
            self._restore_size()
            self.status = "Successful"

    def _evict(self, nodes: set[str]) -> list[Object]:
        """Requests the eviction of the nodes' pods; returns the pods that are still there."""
        pods = [
            pod
            for pod in self.kubernetes.list("v1", "Pod")
            if pod["spec"].get("nodeName") in nodes and not _stays_with_its_node(pod)
        ]
        for pod in pods:
            if not pod["metadata"].get("deletionTimestamp"):
                self.kubernetes.evict(pod)
        return [pod for pod in pods if self.kubernetes.get(pod)]

    def _give_up(self) -> None:
        """Removes as many new nodes as old ones stay: the group then has some of both."""
        kept = {instance.id for instance in self.leaving}
        new = [each for each in self.group.instances() if each.id not in kept]
        self._end(new[: len(self.leaving)])
        self.kubernetes.apply(node_object(self.old, instance) for instance in self.leaving)
        self._restore_size()
        name = self.old["nodegroupName"]
        message = f"Reached max retries while trying to evict pods from nodes in node group {name}"
        nodes = [instance.dns_name for instance in self.leaving]
        error = {"errorCode": "PodEvictionFailure", "errorMessage": message, "resourceIds": nodes}
        self.errors.append(error)
        self.status = "Failed"

    def _end(self, instances: list[Instance]) -> None:
        self.group.end(instance.id for instance in instances)
        self.follow()

    def _restore_size(self) -> None:
        size = self.new["scalingConfig"]
        self.group.resize(Size(size["minSize"], size["maxSize"], size["desiredSize"]))

    def _at_once(self) -> int:
        update = self.new["updateConfig"]
        percentage = update.get("maxUnavailablePercentage")
        count = len(self.leaving)
        share = math.ceil(count * percentage / ALL) if percentage else 1
        return max(update.get("maxUnavailable", share), 1)


def _cordoned(described: Answer, instance: Instance) -> Object:
    node = node_object(described, instance)
    node["spec"]["unschedulable"] = True
    return node


def _stays_with_its_node(pod: Object) -> bool:
    owners = pod["metadata"].get("ownerReferences", [])
    return any(owner["kind"] == "DaemonSet" for owner in owners)
