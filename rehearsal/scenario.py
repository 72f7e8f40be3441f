"""Plays load with the real Karpenter: a Deployment is scaled up and down."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from rehearsal.at_rest import CLAIMS, claims_at_rest, last_events, waiting_pods
from rehearsal.clients import Cluster
from rehearsal.errors import RehearsalError
from rehearsal.nodes_now import Node, cost, is_true, nodes_now
from rehearsal.price_list import PriceList
from rehearsal.progress import wait_for
from rehearsal.state import Endpoints

REPLICAS = (10, 0)
"""Default numbers of replicas for a scaling."""

NODE_SECONDS = 180.0
"""Seconds for a node: Karpenter's simulated fleet registers it 30 s after its launch; the rest is
patience.
"""
PEACE_SECONDS = 30.0
"""Karpenter looks for savings every 10 s, and at one that it has found again after 15. Its events
do not tell that it found none: it repeats them for a node after 15 minutes only."""

POOLS = "/apis/karpenter.sh/v1/nodepools"


@dataclass(frozen=True)
class Workload:
    """A Deployment that can be scaled."""

    namespace: str
    name: str

    @property
    def path(self) -> str:
        return f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{self.name}"


@dataclass(frozen=True)
class Scene:
    """State of the cluster once a change had come to rest."""

    title: str
    seconds: float
    nodes: list[Node]

    @property
    def cost(self) -> float:
        """Cost of Karpenter's nodes, USD an hour."""
        return cost(self.nodes)


class Scenario:
    """Plays on one cluster; shows on `console` what it waits for."""

    def __init__(self, cluster: Cluster, endpoints: Endpoints, console: Console) -> None:
        self.cluster, self.endpoints, self.console = cluster, endpoints, console
        self.prices = PriceList(endpoints)
        self.seen: list[Node] = []
        self.seen_since = time.monotonic()

    def scale(self, workload: Workload, replicas: Sequence[int] = REPLICAS) -> list[Scene]:
        """Scale to each of `replicas` and wait until pods run and no node is superfluous.

        Raises RehearsalError if Karpenter does not bring that about, with what it says.
        """
        return [self._scale(workload, count) for count in replicas]

    def replicas(self, workload: Workload) -> int:
        """Replicas of the Deployment. Raises RehearsalError if there is none."""
        return self._deployment(workload)["spec"].get("replicas", 1)

    def _scale(self, workload: Workload, count: int) -> Scene:
        before, began = self.replicas(workload), time.monotonic()
        cost_before = cost(self.karpenter_nodes())
        self.cluster.patch(workload.path + "/scale", {"spec": {"replicas": count}})
        title = f"{workload.name} at {count}"
        self.wait(title, lambda: self.all_run(workload, count), NODE_SECONDS)
        if count < before:
            patience = self.consolidate_after() + PEACE_SECONDS + NODE_SECONDS
            self.wait(title, lambda: self._tidied(cost_before), patience)
        else:
            # Whoever made room for them, as pause pods do, waits for a node.
            self.wait(title, self.settled, NODE_SECONDS)
        return Scene(title, time.monotonic() - began, self.karpenter_nodes())

    def all_run(self, workload: Workload, count: int) -> tuple[bool, str]:
        deployment = self._deployment(workload)
        status = deployment.get("status", {})
        ready, there = status.get("readyReplicas", 0), status.get("replicas", 0)
        seen = status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        claims = self.cluster.items(CLAIMS)
        launched = ", ".join(_claim(claim) for claim in claims) or "none"
        return (
            seen and ready == there == count,
            f"{ready} of {count} pods run, node claims: {launched}",
        )

    def settled(self) -> tuple[bool, str]:
        """True if every pod of the cluster runs, and every node stays."""
        waiting, at_rest = len(waiting_pods(self.cluster)), self._at_rest()
        seen = "nodes come or go" if not at_rest else "no node comes or goes"
        return at_rest and not waiting, f"{waiting} pods wait, {seen}"

    def _tidied(self, cost_before: float) -> tuple[bool, str]:
        """True if no empty node is left, and Karpenter has removed others or leaves them in
        peace.
        """
        nodes = self.karpenter_nodes()
        if nodes != self.seen:
            self.seen, self.seen_since = nodes, time.monotonic()
        settled, seen = self.settled()
        if not settled:
            return False, f"Karpenter is replacing or removing nodes: {seen}"
        if empty := [node.name for node in nodes if not node.pods]:
            after = f"Karpenter waits {self.consolidate_after():.0f} s"
            return False, f"{', '.join(empty)} without a pod, not yet removed ({after})"
        in_peace = self.consolidate_after() + PEACE_SECONDS
        kept = time.monotonic() - self.seen_since > in_peace
        seen = f"{len(nodes)} nodes at {cost(nodes):.4f} USD an hour"
        return not nodes or cost(nodes) < cost_before or kept, f"{seen}, before {cost_before:.4f}"

    def _at_rest(self) -> bool:
        """True if every claim is a node that is ready and stays."""
        return claims_at_rest(self.cluster) and not any(
            node.leaving for node in self.karpenter_nodes()
        )

    def consolidate_after(self) -> float:
        """Longest consolidateAfter of all pools, in seconds; a pool that says Never is left out."""
        pools = self.cluster.items(POOLS)
        texts = [p["spec"].get("disruption", {}).get("consolidateAfter", "0s") for p in pools]
        return max((duration(text) for text in texts if text != "Never"), default=0.0)

    def karpenter_nodes(self) -> list[Node]:
        return [node for node in nodes_now(self.cluster, self.prices) if node.karpenter]

    def _deployment(self, workload: Workload) -> dict[str, Any]:
        try:
            return self.cluster.get(workload.path)
        except LookupError:
            raise RehearsalError(
                f"There is no Deployment {workload.namespace}/{workload.name} to scale: "
                f"`./frugal-eks rehearse up` first, with it in the stack file."
            ) from None

    def wait(self, title: str, look: Callable[[], tuple[bool, str]], timeout: float) -> None:
        try:
            wait_for(self.console, title, look, timeout=timeout)
        except TimeoutError as error:
            lines = [f"  {line}" for line in last_events(self.cluster)]
            raise RehearsalError("\n".join([f"{error}. The last events:", *lines])) from None


def duration(text: str) -> float:
    """Seconds of a Kubernetes duration such as 1m30s."""
    units = {"h": 3600.0, "m": 60.0, "s": 1.0}
    seconds, number = 0.0, ""
    for character in text:
        if character in units:
            seconds, number = seconds + float(number) * units[character], ""
        else:
            number += character
    return seconds


def _claim(claim: dict[str, Any]) -> str:
    name = claim["metadata"]["name"]
    if "deletionTimestamp" in claim["metadata"]:
        return f"{name} (leaving)"
    done = [c for c in ("Launched", "Registered", "Initialized") if is_true(claim, c)]
    return f"{name} ({done[-1].lower() if done else 'new'})"
