"""How long a pod waits where the stack's pause pods keep room, and where nobody does."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from rehearsal.nodes_now import is_true
from rehearsal.scenario import Workload
from tests.rehearsal.karpenter_rules.pools import RULE, Object, Pod
from tests.rehearsal.nodeless.stage import PAUSE, Stage, wait

CPU = "1500m"
SETTINGS = {
    "replicas": 1,
    "cpu": CPU,
    "memory": "1Gi",
    "nodeSelector": {RULE: "room"},
    "tolerations": [{"key": RULE, "operator": "Exists"}],
}
"""Of the stack file: with a normal pod and a pause pod a node of 4 vCPUs is full."""


class Room(NamedTuple):
    """A second pod was asked for on a full node."""

    with_pause_pods: float
    """Seconds until it ran."""
    without: float
    pushed: str
    """The pause pod's node before."""
    returned: str
    """And in the end."""
    hosts: set[str]
    """Nodes of the normal pods in the end."""


def pods() -> list[Object]:
    """The second node is full of normal pods."""
    return [
        Pod(name="room", cpu=CPU).deployment("room", 1),
        Pod(name="crowded", cpu=CPU).deployment("crowded", 1),
        Pod(name="crowd", cpu=CPU).deployment("crowded", 1),
    ]


def measure(stage: Stage) -> Room:
    """Both at once."""
    (pause,) = stage.pods(PAUSE)
    with ThreadPoolExecutor(2) as beside:
        room = beside.submit(_another, stage, "room")
        crowded = beside.submit(_another, stage, "crowded")
    back = wait(lambda: [one for one in stage.pods(PAUSE) if is_true(one, "Ready")], 180)
    return Room(
        with_pause_pods=room.result(),
        without=crowded.result(),
        pushed=pause["spec"]["nodeName"],
        returned=back[0]["spec"]["nodeName"],
        hosts={one["spec"]["nodeName"] for one in stage.pods(Workload("default", "room"))},
    )


def _another(stage: Stage, app: str) -> float:
    workload = Workload("default", app)
    began = time.monotonic()
    stage.scale(workload, 2)
    wait(lambda: [is_true(pod, "Ready") for pod in stage.pods(workload)] == [True, True], 240)
    return time.monotonic() - began
