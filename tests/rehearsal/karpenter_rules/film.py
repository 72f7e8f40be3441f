"""What was there while Karpenter worked, moment by moment, and what it says of it."""

import json
import time
import urllib.request
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from rehearsal.at_rest import CLAIMS
from rehearsal.clients import Cluster
from rehearsal.nodes_now import INSTANCE_TYPE, KARPENTER_CAPACITY, NODE_POOL, ZONE, is_true
from rehearsal.processes import Processes
from rehearsal.state import State
from tests.rehearsal.karpenter_rules.pools import RULE

REFUSED = 'karpenter_pods_eviction_requests_total{code="429"}'


class Node(NamedTuple):
    """One of Karpenter's nodes at one moment."""

    pool: str
    rule: str
    type: str
    capacity: str
    zone: str
    ready: bool
    leaving: bool
    """It has a deletion timestamp."""
    cordoned: bool
    """It carries Karpenter's taint of nodes that go."""


class Claim(NamedTuple):
    """One of Karpenter's claims at one moment; times as the API server has them."""

    rule: str
    """Known once it is launched."""
    node: str
    created: datetime
    initialized: datetime | None
    pods_changed: datetime | None
    """When the last pod came or went."""
    consolidatable: datetime | None
    """Since when it may be taken away, as far as its pool's wait goes."""
    deleted: datetime | None


class Pod(NamedTuple):
    """A pod of the tests at one moment."""

    app: str
    node: str
    ready: bool
    uid: str


class Frame(NamedTuple):
    """One moment."""

    at: datetime
    nodes: dict[str, Node]
    claims: dict[str, Claim]
    pods: dict[str, Pod]

    def of(self, rule: str) -> dict[str, Node]:
        """The rule's nodes by name."""
        return {name: node for name, node in self.nodes.items() if node.rule == rule}

    def hosts(self, app: str) -> list[str]:
        """Nodes of the pods of that name that are ready."""
        return sorted(p.node for p in self.pods.values() if p.app == app and p.ready)


class Decision(NamedTuple):
    """Nodes that Karpenter has decided to take away, as its log tells it."""

    at: datetime
    kind: str
    """delete or replace."""
    reason: str
    """Empty, Underutilized or Drifted."""
    nodes: tuple[str, ...]
    pools: tuple[str, ...]
    capacity: str
    """Of the replacement."""
    types: str
    """On offer for the replacement, as far as the log names them."""


def look(cluster: Cluster) -> Frame:
    """One look at all of it."""
    at = datetime.now(UTC)
    return Frame(
        at,
        {_name(one): _node(one) for one in cluster.items("/api/v1/nodes") if _pool(one)},
        {_name(one): _claim(one) for one in cluster.items(CLAIMS)},
        {
            _name(one): _pod(one)
            for one in cluster.items("/api/v1/pods?labelSelector=pod")
            if "deletionTimestamp" not in one["metadata"]
        },
    )


def decisions(log: Path) -> list[Decision]:
    """All that Karpenter has decided so far, in that order."""
    lines = [line for line in log.read_text().splitlines() if '"disrupting node(s)"' in line]
    return [_decision(json.loads(line)) for line in lines]


def said(events: Iterable[dict[str, Any]], reason: str) -> dict[str, list[str]]:
    """Messages of events of that reason, by the name of what they are about."""
    found: dict[str, list[str]] = {}
    for event in events:
        if event["reason"] == reason:
            found.setdefault(event["involvedObject"].get("name", ""), []).append(event["message"])
    return found


class Refusals:
    """Counts the evictions that the API server has refused to Karpenter."""

    def __init__(self, state: State) -> None:
        record = Processes(state).find("karpenter")
        assert record
        port = psutil.Process(record.pid).environ()["METRICS_PORT"]
        self.url = f"http://127.0.0.1:{port}/metrics"
        self.open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def __call__(self) -> tuple[float, int]:
        """Monotonic seconds, and how many by then."""
        at = time.monotonic()
        with self.open(self.url, timeout=10) as reply:
            lines = reply.read().decode().splitlines()
        return at, sum(int(float(line.split()[-1])) for line in lines if line.startswith(REFUSED))


def _decision(line: dict[str, Any]) -> Decision:
    nodes = line["disrupted-nodes"]
    to = line["replacement-nodes"] or [{}]
    command = line["command"]
    pools = command.partition("nodepools=[")[2].partition("]")[0]
    return Decision(
        at=datetime.fromisoformat(line["time"]),
        kind=line["decision"],
        reason=command.partition("/")[0],
        nodes=tuple(one["Node"]["name"] for one in nodes),
        pools=tuple(pools.split(",")),
        capacity=to[0].get("capacity-type", ""),
        types=to[0].get("instance-types", ""),
    )


def _node(node: dict[str, Any]) -> Node:
    labels, taints = node["metadata"]["labels"], node["spec"].get("taints", [])
    return Node(
        pool=_pool(node),
        rule=labels.get(RULE, ""),
        type=labels.get(INSTANCE_TYPE, ""),
        capacity=labels.get(KARPENTER_CAPACITY, ""),
        zone=labels.get(ZONE, ""),
        ready=is_true(node, "Ready"),
        leaving="deletionTimestamp" in node["metadata"],
        cordoned=any(taint["key"] == "karpenter.sh/disrupted" for taint in taints),
    )


def _claim(claim: dict[str, Any]) -> Claim:
    metadata, status = claim["metadata"], claim.get("status", {})
    conditions = {c["type"]: c for c in status.get("conditions", []) if c["status"] == "True"}
    since = {kind: one.get("lastTransitionTime") for kind, one in conditions.items()}
    created = _time(metadata["creationTimestamp"])
    assert created
    return Claim(
        rule=metadata["labels"].get(RULE, ""),
        node=status.get("nodeName", ""),
        created=created,
        initialized=_time(since.get("Initialized")),
        pods_changed=_time(status.get("lastPodEventTime")),
        consolidatable=_time(since.get("Consolidatable")),
        deleted=_time(metadata.get("deletionTimestamp")),
    )


def _pod(pod: dict[str, Any]) -> Pod:
    metadata = pod["metadata"]
    node = pod["spec"].get("nodeName", "")
    return Pod(metadata["labels"]["pod"], node, is_true(pod, "Ready"), metadata["uid"])


def _name(one: dict[str, Any]) -> str:
    return one["metadata"]["name"]


def _pool(one: dict[str, Any]) -> str:
    return one["metadata"].get("labels", {}).get(NODE_POOL, "")


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
