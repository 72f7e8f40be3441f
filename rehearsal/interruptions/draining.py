"""Watches nodes being drained: where their pods go, and whether disruption budgets hold."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from rehearsal.clients import Cluster
from rehearsal.nodes_now import is_true

ENDED = {"Failed", "Succeeded"}
BUDGETS = "/apis/policy/v1/poddisruptionbudgets"
PODS = "/api/v1/pods"

Pod = dict[str, Any]
Clock = Callable[[], float]
"""Returns seconds since the first event."""


@dataclass
class Moved:
    """A pod on a node whose end was announced, with its fate. Seconds count from the announcement
    for its node.
    """

    name: str
    """Name with the namespace."""
    node: str
    owner: str | None
    """Uid of the controller that recreates the pod; None if there is none."""
    told_at: float
    gone: float | None = None
    """When it was seen to go: looks are 0.3 s apart."""
    successor: str | None = None
    """Uid of the successor."""
    now: str = ""
    """Name of the successor."""
    now_on: str = ""
    ready: float | None = None
    """When the successor ran."""


@dataclass
class Budget:
    """The worst moment of a PodDisruptionBudget."""

    name: str
    healthy: int
    desired: int
    met: bool
    """True if there ever were enough healthy pods: before that nothing can be violated."""
    broken: bool = False


class Moves:
    """Tracks the pods of some nodes; call `look` often."""

    def __init__(self, cluster: Cluster, clock: Clock) -> None:
        self.cluster, self.clock = cluster, clock
        self.pods: dict[str, Moved] = {}
        """Pods by uid."""
        self.drained: dict[str, float] = {}
        """Seconds from a node's announcement until it took and had no more pods, by its name."""
        self._told: dict[str, float] = {}
        self._open: Collection[str] = ()
        self._known: set[str] = set()
        """Pods that were there at the first announcement: they succeed nobody."""

    def tell(self, node: str) -> None:
        """Notes that the end of this node is announced now."""
        if self._told:
            self.look(self._open)
        now = self._told[node] = self.clock()
        pods = self.cluster.items(PODS)
        self._known = self._known or {_uid(pod) for pod in pods}
        for pod in pods:
            if _moves(pod) and pod["spec"].get("nodeName") == node:
                moved = Moved(name=_name(pod), node=node, owner=_owner(pod), told_at=now)
                self.pods[_uid(pod)] = moved

    def look(self, open_nodes: Collection[str]) -> None:
        """Notes the current state; `open_nodes` accept new pods."""
        self._open = open_nodes
        there = {_uid(pod): pod for pod in self.cluster.items(PODS)}
        for uid, moved in self.pods.items():
            self._follow(moved, there.get(uid))
        self._match(there)
        busy = {
            pod["spec"].get("nodeName", "")
            for pod in there.values()
            if _moves(pod) and not _leaving(pod)
        }
        for node, since in self._told.items():
            if node not in busy and node not in open_nodes:
                self.drained.setdefault(node, self.clock() - since)

    def _follow(self, moved: Moved, pod: Pod | None) -> None:
        if moved.gone is None and (pod is None or _leaving(pod)):
            moved.gone = self.clock() - moved.told_at

    def _match(self, there: dict[str, Pod]) -> None:
        taken = {moved.successor for moved in self.pods.values()}
        fresh = [
            pod
            for uid, pod in there.items()
            if uid not in self._known and uid not in taken and not _leaving(pod)
        ]
        for moved in self.pods.values():
            # One that has to move again has a row of its own for that.
            if moved.gone is None or moved.owner is None or moved.successor in self.pods:
                continue
            pod = there.get(moved.successor or "")
            if pod is None or _leaving(pod):
                moved.ready, moved.successor = None, None
                pod = next(
                    (candidate for candidate in fresh if _owner(candidate) == moved.owner), None
                )
                if pod is None:
                    continue
                fresh.remove(pod)
            moved.successor, moved.now = _uid(pod), _name(pod)
            moved.now_on = pod["spec"].get("nodeName", "")
            if moved.ready is None and is_true(pod, "Ready"):
                moved.ready = self.clock() - moved.told_at


class Budgets:
    """Tracks the cluster's PodDisruptionBudgets; call `look` often."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.seen: dict[str, Budget] = {}

    def look(self) -> None:
        """Notes how many healthy pods each budget has, and how many it must have."""
        for item in self.cluster.items(BUDGETS):
            status = item.get("status", {})
            if not status.get("expectedPods"):
                continue
            name, healthy, desired = _name(item), status["currentHealthy"], status["desiredHealthy"]
            met = healthy >= desired
            budget = self.seen.setdefault(name, Budget(name, healthy, desired, met))
            budget.broken |= budget.met and not met
            budget.met |= met
            if healthy - desired < budget.healthy - budget.desired:
                budget.healthy, budget.desired = healthy, desired


def unmoved(cluster: Cluster, nodes: Iterable[str]) -> dict[str, str]:
    """All pods of these nodes that have not ended, by uid with their names."""
    chosen = set(nodes)
    return {
        _uid(pod): _name(pod)
        for pod in cluster.items(PODS)
        if pod["spec"].get("nodeName") in chosen and pod["status"].get("phase") not in ENDED
    }


def _moves(pod: Pod) -> bool:
    """True if a drain evicts the pod: a DaemonSet's pod stays with its node."""
    owners = {owner["kind"] for owner in pod["metadata"].get("ownerReferences", [])}
    return pod["status"].get("phase") not in ENDED and "DaemonSet" not in owners


def _owner(pod: Pod) -> str | None:
    owners = pod["metadata"].get("ownerReferences", [])
    return next((owner["uid"] for owner in owners if owner.get("controller")), None)


def _leaving(pod: Pod) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _uid(pod: Pod) -> str:
    return pod["metadata"]["uid"]


def _name(thing: dict[str, Any]) -> str:
    return f"{thing['metadata']['namespace']}/{thing['metadata']['name']}"
