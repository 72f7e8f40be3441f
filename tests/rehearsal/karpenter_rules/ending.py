"""A destroy that a disruption budget holds up, and that is killed meanwhile, as a record."""

import os
import signal
import subprocess
from threading import Thread
from typing import NamedTuple

from rehearsal.account_things import Thing
from rehearsal.at_rest import CLAIMS
from rehearsal.engine import Outcome
from rehearsal.nodes_now import GROUP, is_true
from rehearsal.scenario import Workload
from tests.rehearsal.karpenter_rules import film
from tests.rehearsal.karpenter_rules.pools import Object
from tests.rehearsal.nodeless.guarding import BUDGETED, GUARDED
from tests.rehearsal.nodeless.stage import Stage, wait, watching

KARPENTER = Workload("karpenter", "karpenter")
APPS = {"intent": "apps"}
"""The nodes of the stack's own pool."""


class Glimpse(NamedTuple):
    """What there was at one moment of the destroys."""

    claims: int
    karpenter: bool
    base: int
    """Nodes of the group that the controller runs on."""


class Ended(NamedTuple):
    """Killed in the midst of a drain, and run again."""

    pods: set[str]
    """Those that the budget guards."""
    draining: list[Object]
    """Karpenter's nodes when the engine was killed."""
    destroy: Outcome
    """The second."""
    bypassed: dict[str, str]
    """What Karpenter says of pods that it has deleted in spite of their budget."""
    glimpses: list[Glimpse]
    left: list[Thing]


def guard(stage: Stage) -> None:
    """Pods on the stack's own pool that nobody may evict; their node takes a while to come."""
    deployment, budget = BUDGETED
    template = deployment["spec"]["template"]
    template = {**template, "spec": {**template["spec"], "nodeSelector": APPS}}
    spec = {**deployment["spec"], "template": template}
    stage.kubectl("apply", "-f", "-", given=[{**deployment, "spec": spec}, budget])


def end(stage: Stage) -> Ended:
    """Destroy, kill it, destroy again."""
    wait(lambda: [is_true(pod, "Ready") for pod in stage.pods(GUARDED)] == [True, True])
    pods = {pod["metadata"]["name"] for pod in stage.pods(GUARDED)}
    with watching(lambda: _glimpse(stage), every=0.5) as glimpses:
        draining = _kill(stage)
        destroy = stage.engine.destroy()
    events = stage.cluster.items("/api/v1/namespaces/default/events")
    bypassed = {name: told[0] for name, told in film.said(events, "Disrupted").items()}
    # They are somebody else's: on AWS they end with the control plane.
    stage.kubectl("delete", "-f", "-", given=BUDGETED)
    return Ended(pods, draining, destroy, bypassed, glimpses, stage.left())


def _kill(stage: Stage) -> list[Object]:
    """Begin to destroy, and kill the engine with all that it started while nodes are drained."""
    with stage.engine.started("destroy", ["--yes"], subprocess.DEVNULL) as running:
        # Else it waits for somebody to read what it prints.
        assert running.stdout
        Thread(target=running.stdout.read, daemon=True).start()
        try:
            wait(lambda: _leaving(stage))
            # By now a drain is in the midst of its time.
            wait(lambda: film.said(stage.cluster.items("/api/v1/events"), "FailedDraining"), 30)
            return _leaving(stage)
        finally:
            os.killpg(running.pid, signal.SIGKILL)


def _leaving(stage: Stage) -> list[Object]:
    return [one for one in stage.nodes().values() if "deletionTimestamp" in one["metadata"]]


def _glimpse(stage: Stage) -> Glimpse:
    # What must go later is looked at later.
    claims = len(stage.cluster.items(CLAIMS))
    try:
        stage.cluster.get(KARPENTER.path)
    except LookupError:
        karpenter = False
    else:
        karpenter = True
    nodes = stage.cluster.items("/api/v1/nodes")
    return Glimpse(claims, karpenter, sum(GROUP in one["metadata"]["labels"] for one in nodes))
