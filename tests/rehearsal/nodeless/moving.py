"""Pods that need another place: with pause pods in the cluster, and without, as a record."""

import time
from collections.abc import Callable
from typing import NamedTuple

from rehearsal.nodes_now import is_true
from tests.rehearsal.nodeless.stage import INFLATE, PAUSE, Stage, wait, watching

PODS = 3
"""Of inflate: as many as fit on the smallest node, and one more than fit beside pause pods."""


class Moment(NamedTuple):
    """What a watcher saw of inflate's pods, and right after of Karpenter's nodes."""

    at: float
    """Monotonic seconds."""
    hosts: tuple[str, ...]
    """The node of each pod that is ready."""
    nodes: frozenset[str]
    """Those that have joined."""


class Preempted(NamedTuple):
    """Normal pods came where only pause pods could make room."""

    before: frozenset[str]
    """Nodes at first."""
    moments: list[Moment]
    """Until all pods ran."""
    pushed: set[str]
    """The pause pods that were there before."""
    said_of_pushed: set[str]
    """Those of which the scheduler says that it has preempted them."""
    waiting: int
    """Pause pods without a node, once all others ran."""
    claims: set[str]
    """Those that the pause pods have caused by then."""
    pause_hosts: set[str]
    """The nodes of the pause pods in the end."""


class Moved(NamedTuple):
    """The pods of one node had to leave it."""

    left: str
    others: frozenset[str]
    """Nodes that were there beside it."""
    moments: list[Moment]
    """From before until as many pods ran as before."""

    @property
    def gap(self) -> float:
        """Seconds in which pods were missing."""
        missing = [moment.at for moment in self.moments if len(moment.hosts) < PODS]
        return missing[-1] - missing[0] if missing else 0.0


def preempt(stage: Stage) -> Preempted:
    """Scale up on the node that holds the pause pods, and wait until those have another."""
    before, claims = frozenset(stage.nodes()), set(stage.claims())
    pushed = {pod["metadata"]["name"] for pod in stage.pods(PAUSE)}
    with watching(lambda: _moment(stage)) as moments:
        stage.scale(INFLATE, PODS)
        wait(lambda: _until_whole(moments))
    waiting = sum("nodeName" not in pod["spec"] for pod in stage.pods(PAUSE))
    caused = wait(lambda: set(stage.claims()) - claims)
    wait(stage.is_settled)
    return Preempted(
        before=before,
        moments=_until_whole(moments),
        pushed=pushed,
        said_of_pushed={
            event["involvedObject"]["name"]
            for event in stage.cluster.items("/api/v1/namespaces/pause/events")
            if event["reason"] == "Preempted"
        },
        waiting=waiting,
        claims=caused,
        pause_hosts={pod["spec"]["nodeName"] for pod in stage.pods(PAUSE)},
    )


def move(stage: Stage, leave: Callable[[str], object]) -> Moved:
    """Have the pods leave their node, by `leave`, and wait until all run on another."""
    (left,) = {pod["spec"]["nodeName"] for pod in stage.pods(INFLATE)}
    others = frozenset(stage.nodes()) - {left}
    with watching(lambda: _moment(stage)) as moments:
        leave(left)
        wait(lambda: _until_whole(moments, left))
    return Moved(left, others, _until_whole(moments, left))


def cordon_and_drain(stage: Stage, node: str) -> None:
    """As a person does it."""
    stage.kubectl("drain", node, "--ignore-daemonsets")


def expire(stage: Stage, node: str) -> None:
    """All that Karpenter does with a node that has expired: it deletes the claim."""
    (claim,) = [
        name for name, one in stage.claims().items() if one["status"].get("nodeName") == node
    ]
    stage.kubectl("delete", "nodeclaim", claim, "--wait=false")


def give_up_room(stage: Stage) -> None:
    """No pause pods any more, and none of the nodes that were there for them."""
    (host,) = {pod["spec"]["nodeName"] for pod in stage.pods(INFLATE)}

    def others() -> list[str]:
        claims = stage.claims().items()
        return [name for name, one in claims if one["status"].get("nodeName") != host]

    # A node that is still to be asked for could not be sent away.
    wait(lambda: stage.is_settled() or _launching(stage))
    stage.scale(PAUSE, 0)
    wait(lambda: not stage.pods(PAUSE))
    if superfluous := others():
        stage.kubectl("delete", "nodeclaim", "--wait=false", *superfluous)
    wait(lambda: not others() and set(stage.nodes()) == {host})


def _launching(stage: Stage) -> bool:
    return any("nodeName" not in claim["status"] for claim in stage.claims().values())


def _moment(stage: Stage) -> Moment:
    at = time.monotonic()
    ready = [pod for pod in stage.pods(INFLATE) if is_true(pod, "Ready")]
    hosts = tuple(pod["spec"]["nodeName"] for pod in ready)
    return Moment(at, hosts, frozenset(stage.nodes()))


def _until_whole(moments: list[Moment], without: str = "") -> list[Moment]:
    """The moments up to the first in which all pods ran, none on that node; [] if there is none."""
    for count, moment in enumerate(moments, 1):
        if len(moment.hosts) == PODS and without not in moment.hosts:
            return moments[:count]
    return []
