"""A Node object that is deleted while a disruption budget forbids to evict its pod."""

import time
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from tests.rehearsal.karpenter_rules import film
from tests.rehearsal.karpenter_rules.pools import Object
from tests.rehearsal.nodeless.stage import Stage, wait, watching

POD = "deleted-guarded"
HELD_SECONDS = 25.0
"""Long enough for eight evictions, whose pauses double from 0.1 s on."""


class Drained(NamedTuple):
    """What became of node and pod."""

    node: Object
    """As it was while the budget held."""
    refused: list[float]
    """Seconds since the first refusal at which one was seen."""
    uids: tuple[str, str]
    """Of the pod before, and when the budget had held for a while."""
    freed: datetime
    """When the budget went."""
    events: list[str]
    """About the node: that it could not be drained."""
    seconds: float
    """From then on until node and claim were gone."""


def drain(stage: Stage) -> Drained:
    """Delete the Node, look on for a while, then take the budget away."""
    cluster = stage.cluster
    pods = "/api/v1/namespaces/default/pods"
    before = cluster.get(f"{pods}/{POD}")
    path = f"/api/v1/nodes/{before['spec']['nodeName']}"
    refusals = film.Refusals(stage.rehearsal.state)
    with watching(refusals, every=0.25) as counted:
        stage.kubectl("delete", "node", before["spec"]["nodeName"], "--wait=false")
        time.sleep(HELD_SECONDS)
    node, held = cluster.get(path), cluster.get(f"{pods}/{POD}")
    events = film.said(cluster.items("/api/v1/events"), "FailedDraining")
    freed, began = datetime.now(UTC), time.monotonic()
    stage.kubectl("delete", "poddisruptionbudget", POD)
    wait(lambda: not _claims(stage, node) and node["metadata"]["name"] not in stage.nodes(), 180)
    return Drained(
        node=node,
        refused=_times(counted),
        uids=(before["metadata"]["uid"], held["metadata"]["uid"]),
        freed=freed,
        events=events.get(node["metadata"]["name"], []),
        seconds=time.monotonic() - began,
    )


def _claims(stage: Stage, node: Object) -> list[Object]:
    name = node["metadata"]["name"]
    return [one for one in stage.claims().values() if one.get("status", {}).get("nodeName") == name]


def _times(counted: list[tuple[float, int]]) -> list[float]:
    seen = [(b[0], b[1] - a[1]) for a, b in pairwise(counted)]
    times = [at for at, more in seen for _ in range(more)]
    return [at - times[0] for at in times]
