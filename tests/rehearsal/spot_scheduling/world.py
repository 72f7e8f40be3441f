"""A real API server and scheduler with nodes of one's own choice."""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from rehearsal.clients import Cluster
from rehearsal.nodes_now import is_true
from rehearsal.state import ROOT, State
from tests.rehearsal.nodeless.stage import wait

GUIDE = ROOT / "docs" / "spot.md"
ON_DEMAND = ["ip-192-168-21-20", "ip-192-168-40-208", "ip-192-168-71-49"]
SPOT = ["ip-192-168-29-95", "ip-192-168-83-171"]
"""The nodes of the guide, which are in the zones a to c and a to b."""
SPOT_LABELS = {"lifecycle": "Ec2Spot"}
SPOT_TAINT = {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"}

Object = dict[str, Any]


def node(name: str, *, labels: Mapping[str, str], taint: Mapping[str, str] | None = None) -> Object:
    """A node of 2 vCPU and 8 GiB, ready for kwok to play its kubelet."""
    capacity = {"cpu": "2", "memory": "8Gi", "pods": "29"}
    known = {"kubernetes.io/os": "linux", "kubernetes.io/hostname": name}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {**known, **labels},
        },
        "spec": {"taints": [dict(taint)]} if taint else {},
        "status": {"capacity": capacity, "allocatable": capacity},
    }


def on_demand(*names: str) -> list[Object]:
    """Nodes as the base group has them."""
    return [node(name, labels={"lifecycle": "OnDemand"} | _zone(names, name)) for name in names]


def spot(*names: str) -> list[Object]:
    """Nodes as the spot group has them."""
    return [node(name, labels=SPOT_LABELS | _zone(names, name), taint=SPOT_TAINT) for name in names]


def _zone(names: tuple[str, ...], name: str) -> dict[str, str]:
    return {"topology.kubernetes.io/zone": f"eu-west-1{'abc'[names.index(name) % 3]}"}


def deployment(name: str, replicas: int, pod: Mapping[str, Any], *, cpu: str = "500m") -> Object:
    """Pods of one container, with the rest of their spec."""
    container = {"name": name, "image": "none", "resources": {"requests": {"cpu": cpu}}}
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"terminationGracePeriodSeconds": 0, "containers": [container], **pod},
            },
        },
    }


def example(block: str) -> str:
    """What stands in the guide under this marker."""
    found = re.search(rf"<!-- {block} -->\n```\w+\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found, block
    return found[1]


class World:
    """One control plane, whose nodes and workloads each test makes itself."""

    def __init__(self, state: State, kubectl: Path) -> None:
        self.state = state
        path = os.pathsep.join([str(kubectl.parent), str(state.bin), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "KUBECONFIG": str(state.kubeconfig)}

    @cached_property
    def cluster(self) -> Cluster:
        """The API server."""
        return Cluster(self.state)

    def kubectl(self, *arguments: str, given: Iterable[Object] = ()) -> str:
        """What kubectl prints. Raises CalledProcessError where it fails."""
        return self._run(["kubectl", *arguments], text=yaml.safe_dump_all(given))

    def documented(self, block: str) -> str:
        """What the commands under this marker of the guide print."""
        return self._run(["bash", "-euc", example(block)])

    def _run(self, command: list[str], text: str = "") -> str:
        ended = subprocess.run(
            command,
            input=text,
            env=self.environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def make(self, *objects: Object) -> None:
        """Make or update them; a field that Kubernetes does not know is an error."""
        strictly = ["apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-"]
        self.kubectl(*strictly, given=objects)

    def nodes(self, *objects: Object) -> None:
        """Make nodes, and wait until their kubelets are ready and the scheduler may use them."""
        self.kubectl("create", "-f", "-", given=objects)
        names = {one["metadata"]["name"] for one in objects}

        def ready() -> bool:
            listed = self.cluster.items("/api/v1/nodes")
            there = [one for one in listed if one["metadata"]["name"] in names]
            return all(is_true(one, "Ready") and not _not_ready(one) for one in there)

        wait(ready, 30)

    def pods(self, app: str, namespace: str = "default") -> list[Object]:
        """The pods with this label that stay."""
        listed = self.cluster.items(
            f"/api/v1/namespaces/{namespace}/pods?labelSelector=app%3D{app}"
        )
        return [one for one in listed if "deletionTimestamp" not in one["metadata"]]

    def places(self, app: str, count: int, namespace: str = "default") -> list[str]:
        """The nodes of its pods, once there are so many and all are ready; sorted."""

        def running() -> list[Object]:
            found = self.pods(app, namespace)
            ready = len(found) == count and all(is_true(pod, "Ready") for pod in found)
            return found if ready else []

        return sorted(pod["spec"]["nodeName"] for pod in wait(running, 30))

    def scale(self, app: str, replicas: int) -> None:
        path = f"/apis/apps/v1/namespaces/default/deployments/{app}/scale"
        self.cluster.patch(path, {"spec": {"replicas": replicas}})

    def clear(self) -> None:
        """Nothing of a test stays for the next."""
        kinds = "deployments,daemonsets,horizontalpodautoscalers,poddisruptionbudgets"
        self.kubectl("delete", kinds, "--all", "--all-namespaces", "--cascade=foreground")
        self.kubectl("delete", "services", "--all", "--namespace=default")
        self.kubectl("delete", "nodes", "--all")


def _not_ready(node: Object) -> bool:
    taints = node["spec"].get("taints", [])
    return any(taint["key"].startswith("node.kubernetes.io/") for taint in taints)
