"""Decides if a cluster has come to rest, and reports what it still waits for."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from rehearsal.clients import Cluster
from rehearsal.nodes_now import is_true

CLAIMS = "/apis/karpenter.sh/v1/nodeclaims"
ENDED = ("Succeeded", "Failed")
SUCCEEDED = ENDED[:1]


def waiting_pods(cluster: Cluster, ended: Collection[str] = ENDED) -> list[str]:
    """Pods that are not ready, each with its last event. Pods in a phase of `ended` are left
    out.
    """
    pods = [
        pod
        for pod in cluster.items("/api/v1/pods")
        if pod["status"].get("phase") not in ended and not is_true(pod, "Ready")
    ]
    if not pods:
        return []
    said = {
        (event["involvedObject"].get("namespace"), event["involvedObject"]["name"]): event
        for event in cluster.items("/api/v1/events")
        if event["involvedObject"]["kind"] == "Pod"
    }
    return [_told(pod, said) for pod in pods]


def claims_at_rest(cluster: Cluster) -> bool:
    """True if each of Karpenter's claims is a node that is ready and stays."""
    return all(
        is_true(claim, "Initialized") and "deletionTimestamp" not in claim["metadata"]
        for claim in cluster.items(CLAIMS)
    )


def last_events(cluster: Cluster) -> list[str]:
    """The last events about pods, claims and nodes."""
    events = sorted(cluster.items("/api/v1/events"), key=_when)
    return [
        f"{e['involvedObject']['kind']} {e['involvedObject']['name']}: "
        f"{e.get('reason')}: {e.get('message')}"
        for e in events[-8:]
    ]


def _told(pod: dict[str, Any], said: dict[tuple[str, str], dict[str, Any]]) -> str:
    metadata = pod.get("metadata", {})
    key = (metadata.get("namespace", ""), metadata.get("name", ""))
    last = said.get(key, {}).get("message", "nothing was said about it")
    return f"{key[0]}/{key[1]} ({pod['status'].get('phase')}): {last}"


def _when(event: dict[str, Any]) -> datetime:
    text = event.get("lastTimestamp") or event.get("eventTime")
    text = text or event["metadata"]["creationTimestamp"]
    return datetime.fromisoformat(text)
