"""Room that Karpenter itself keeps, for pods that are not there."""

import time
from typing import NamedTuple

from rehearsal.engine import Outcome
from rehearsal.nodes_now import is_true
from rehearsal.scenario import Workload
from tests.rehearsal.karpenter_rules.pools import Object, Pod
from tests.rehearsal.nodeless.stage import Config, Stage, wait

APPS = {"intent": "apps"}
"""The nodes of the stack's own pool."""
CPU, REPLICAS = "1500m", 3
SETTINGS = {
    "by": "capacityBuffer",
    "replicas": REPLICAS,
    "cpu": CPU,
    "memory": "1Gi",
    "nodeSelector": APPS,
}
"""Of the stack file: more than a node of 4 vCPUs has."""
BUFFER = "/apis/autoscaling.x-k8s.io/v1beta1/namespaces/pause/capacitybuffers/headroom"
LATE = Workload("default", "late")


class Buffered(NamedTuple):
    """A buffer instead of pause pods, and pods that take it up."""

    up: Outcome
    before: set[str]
    """Nodes of the stack's own pool."""
    there: set[str]
    """The same once there is room."""
    pods: list[str]
    """Names of the pods for which they came: none."""
    buffer: Object
    seconds: float
    """From when as many pods were asked for until they ran."""
    hosts: set[str]
    refilled: set[str]
    """Nodes that came after that."""
    preview: Outcome


def buffer(stage: Stage) -> Buffered:
    """Change the stack file, and take up all of the room."""

    def change(config: Config) -> None:
        config["frugal-eks:overprovisioning"] = SETTINGS

    # The pause pod of until now has lost its pool, and waits.
    wait(lambda: _ready(stage) and _at_rest(stage))
    before = _ready(stage)
    stage.keep(change)
    up = stage.engine.up()
    wait(lambda: _provisioned(stage) and _at_rest(stage), 180)
    there = _ready(stage)
    found = stage.cluster.items("/api/v1/namespaces/pause/pods")
    late = Pod(name=LATE.name, cpu=CPU, spec={"nodeSelector": APPS})
    began = time.monotonic()
    stage.kubectl("apply", "-f", "-", given=[late.deployment("late", REPLICAS)])
    wait(lambda: [is_true(pod, "Ready") for pod in stage.pods(LATE)] == [True] * REPLICAS)
    seconds = time.monotonic() - began
    hosts = {pod["spec"]["nodeName"] for pod in stage.pods(LATE)}
    refilled = wait(lambda: _ready(stage) - there, 120)
    kept, preview = stage.cluster.get(BUFFER), stage.engine.preview()
    stage.kubectl("delete", "deployment", LATE.name)
    return Buffered(
        up=up,
        before=before,
        there=there,
        pods=[one["metadata"]["name"] for one in found],
        buffer=kept,
        seconds=seconds,
        hosts=hosts,
        refilled=refilled,
        preview=preview,
    )


def _provisioned(stage: Stage) -> bool:
    """Karpenter itself says that there is room, or will be as soon as its claims are nodes."""
    return is_true(stage.cluster.get(BUFFER), "Provisioning")


def _at_rest(stage: Stage) -> bool:
    """No node comes or goes."""
    return all(
        is_true(claim, "Initialized") and "deletionTimestamp" not in claim["metadata"]
        for claim in stage.claims().values()
    )


def _ready(stage: Stage) -> set[str]:
    return {
        name
        for name, node in stage.nodes().items()
        if APPS.items() <= node["metadata"]["labels"].items()
        and is_true(node, "Ready")
        and "deletionTimestamp" not in node["metadata"]
    }
