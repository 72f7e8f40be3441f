"""Decides if Karpenter has looked at the nodes as they are and leaves them so."""

import contextlib
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any, NamedTuple

from rehearsal.at_rest import CLAIMS
from rehearsal.clients import Cluster
from rehearsal.consolidation.disruptions import Log
from rehearsal.nodes_now import NODE_POOL, Node, is_true
from rehearsal.state import State

POOLS = "/apis/karpenter.sh/v1/nodepools"
PODS = "/api/v1/namespaces/default/pods"
PASSER_BY = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "passer-by"},
    "spec": {
        "schedulerName": "nobody",
        "containers": [{"name": "passer-by", "image": "none"}],
    },
}
PREFIX = "karpenter_voluntary_disruption_"
LOOKED = f"{PREFIX}decision_evaluation_duration_seconds_count"
FAILED = f"{PREFIX}failed_validations_total"
WHOLE_PASSES = 2
"""Number of whole passes: one may be under way already, and the next one sees everything."""


class Passes(NamedTuple):
    """Karpenter's own counters."""

    looked: int
    """Number of searches for single nodes to replace or remove, the last part of a pass."""
    failed: int
    """Decisions that it has dropped since something changed in the 15 s in which it checks them."""


class Peace:
    """Asks one cluster's Karpenter.

    A pass that finds nothing is remembered, and not made again for 5 minutes unless a pod, a node
    or a pool comes, changes or goes (ConsolidationState in pkg/controllers/state/cluster.go of
    karpenter 1.14.1). The end of consolidateAfter is no such change. In a cluster in use something
    always is; here a pod comes that nobody schedules, and goes.
    """

    def __init__(self, state: State, cluster: Cluster) -> None:
        self.state, self.cluster = state, cluster
        self.log = Log(state.logs / "karpenter.log")
        self.seen: object = None
        self.looked = 0
        # Left by a replay that was killed.
        self._gone()

    def look(self, nodes: Sequence[Node]) -> tuple[bool, str]:
        """True if there is peace, with what it is waiting for otherwise. Call it about every
        second.
        """
        claims = self._consolidated()
        young = [
            claim["metadata"]["name"] for claim in claims if not is_true(claim, "Consolidatable")
        ]
        passes = self._passes()
        if passes is None:
            return False, "Karpenter does not tell its metrics"
        pods = [(node.name, node.pods) for node in nodes]
        seen = (pods, young, passes.failed, len(self.log.disruptions()))
        if seen != self.seen:
            self.seen, self.looked = seen, passes.looked
            self._pass_by()
        if young:
            return False, f"{', '.join(young)} had pods come or go within consolidateAfter"
        more = passes.looked - self.looked
        if not claims or more >= WHOLE_PASSES:
            return True, "Karpenter leaves the nodes as they are"
        return (
            False,
            f"Karpenter has looked {more} of {WHOLE_PASSES} times at the nodes as they are",
        )

    def _consolidated(self) -> list[dict[str, Any]]:
        """Claims of pools that consolidate at all."""
        never = {
            pool["metadata"]["name"]
            for pool in self.cluster.items(POOLS)
            if pool["spec"].get("disruption", {}).get("consolidateAfter") == "Never"
        }
        claims = self.cluster.items(CLAIMS)
        return [
            claim for claim in claims if claim["metadata"]["labels"].get(NODE_POOL) not in never
        ]

    def _pass_by(self) -> None:
        try:
            self.cluster.create(PODS, PASSER_BY)
        finally:
            self._gone()

    def _gone(self) -> None:
        with contextlib.suppress(LookupError):
            self.cluster.delete(f"{PODS}/passer-by")

    def _passes(self) -> Passes | None:
        """Karpenter's counters; None while Karpenter is not there."""
        opened = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        try:
            url = self.state.karpenter_metrics.read_text().strip()
            with opened(url, timeout=5) as response:
                return passes(response.read().decode())
        except (OSError, urllib.error.URLError):
            return None


def passes(metrics: str) -> Passes:
    """Counters from Karpenter's Prometheus text."""

    def sum_of(name: str, label: str = "") -> int:
        values = re.findall(rf"(?m)^{name}\{{[^}}]*{label}[^}}]*\}} (\S+)$", metrics)
        return round(sum(map(float, values)))

    return Passes(sum_of(LOOKED, 'consolidation_type="single"'), sum_of(FAILED))
