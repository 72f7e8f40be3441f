"""Finds what a destroy left: everything in the played account and the API server that did not exist
before.
"""

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rehearsal.account_things import Thing, aws_things
from rehearsal.clients import Cluster
from rehearsal.state import State

BASELINE = "before.json"
"""File in the state folder that lists what existed before the first `up`."""


PASSING = frozenset({"Event", "ComponentStatus"})
"""Kinds that report on other objects and go by themselves."""

OWN = "rehearsal-"
"""Name prefix of what the rehearsal itself creates in the cluster, e.g. rights for the played
fleet.
"""

BOOTSTRAP = ("default", "kube-node-lease", "kube-public", "kube-system")
"""Namespaces of every cluster, which the API server and its controllers fill a little later."""

HELM_KEEPS = {"helm.sh/resource-policy": "keep"}
CRD_KINDS = ("CustomResourceDefinition", "APIService")
"""Kinds of a CRD, and of what the API server makes for its group."""
CRDS_BESIDE_TEMPLATES = (".elbv2.k8s.aws", ".externaldns.k8s.io")
"""Suffixes of CRDs beside a chart's templates, which Helm never deletes, here those of the AWS
Load Balancer Controller and ExternalDNS: on AWS they go with the control plane.
"""


def remember(state: State) -> None:
    """Records what exists before the first `up`. Later calls change nothing."""
    path = state.path / BASELINE
    if not path.exists():
        now = sorted(aws_things(state.endpoints) | cluster_things(Cluster(state)))
        path.write_text(json.dumps(now, indent=1))


def find(state: State, preexisting: Iterable[str]) -> list[Thing]:
    """Things that exist now and did not before; ids in `preexisting` are nobody's leftovers."""
    before = {Thing(*row) for row in json.loads((state.path / BASELINE).read_text())}
    known = {(thing.kind, thing.id) for thing in before}
    ids = set(preexisting)
    now = aws_things(state.endpoints) | cluster_things(Cluster(state))
    return sorted(t for t in now if (t.kind, t.id) not in known and t.id not in ids)


def settle(
    state: State, preexisting: Iterable[str], *, patience: float, tell: Callable[[int], None]
) -> list[Thing]:
    """Repeats `find` for `patience` seconds, in which pending deletions end. `tell` is called with
    the number left.
    """
    ids = list(preexisting)
    end = time.monotonic() + patience
    while (left := find(state, ids)) and time.monotonic() < end:
        tell(len(left))
        time.sleep(1.0)
    return left


def cluster_things(cluster: Cluster) -> set[Thing]:
    """Objects of every kind that the API server knows, custom resources included."""
    nodes = {node["metadata"]["name"] for node in cluster.items("/api/v1/nodes")}
    with ThreadPoolExecutor(8) as workers:
        kinds = _kinds(cluster)
        lists = workers.map(cluster.items, [path for path, _ in kinds])
        return {
            _thing(kind, item)
            for (_, kind), items in zip(kinds, lists, strict=True)
            for item in items
            if not _by_itself(kind, item["metadata"]) and not _dead(kind, item, nodes)
        }


def _kinds(cluster: Cluster) -> list[tuple[str, str]]:
    """Path and kind of everything that can be listed, each kind in its preferred version."""
    groups = cluster.get("/apis")["groups"]
    versions = ["/api/v1"] + [
        f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups
    ]
    kinds: list[tuple[str, str]] = []
    for version in versions:
        try:
            resources = cluster.get(version)["resources"]
        except LookupError:  # its CRD went in between
            continue
        kinds += [
            (f"{version}/{resource['name']}", resource["kind"])
            for resource in resources
            if "list" in resource["verbs"] and "/" not in resource["name"]
        ]
    return [(path, kind) for path, kind in kinds if kind not in PASSING]


def _thing(kind: str, item: dict[str, Any]) -> Thing:
    metadata = item["metadata"]
    namespace = metadata.get("namespace")
    return Thing(kind, f"{namespace}/{metadata['name']}" if namespace else metadata["name"], "")


def _dead(kind: str, item: dict[str, Any], nodes: set[str]) -> bool:
    """True for a deleted pod of a node that is gone: the pod collector waits 40 s for such pods.

    On AWS such pods end with the control plane.
    """
    deleted = "deletionTimestamp" in item["metadata"]
    return kind == "Pod" and deleted and item["spec"].get("nodeName") not in nodes


def _by_itself(kind: str, metadata: dict[str, Any]) -> bool:
    """True if nobody has to delete this object: the control plane or the rehearsal creates it for
    itself, in its own time, or Helm keeps it for the next installation.
    """
    namespace, name = metadata.get("namespace", ""), metadata["name"]
    if HELM_KEEPS.items() <= (metadata.get("annotations") or {}).items():
        return True
    if kind in CRD_KINDS and name.endswith(CRDS_BESIDE_TEMPLATES):
        return True
    if not namespace:
        return name.startswith(OWN)
    if namespace not in BOOTSTRAP:
        return False
    if kind == "Lease":
        return name.startswith(("apiserver-", "kube-"))
    return (kind, name) in {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
