"""The second life of a stack of the same name: its pods in trouble, as a record."""

from functools import partial
from typing import Any, NamedTuple

from rehearsal import health
from rehearsal.engine import Outcome
from tests.rehearsal.nodeless import guarding, moving, upgrading
from tests.rehearsal.nodeless.stage import INFLATE, PAUSE, Stage, pool, wait

LIMIT = "20s"
"""That a drain may take."""
LIVE = {
    "namespace": "/api/v1/namespaces/pause",
    "priority": "/apis/scheduling.k8s.io/v1/priorityclasses/pause-pods",
    "pause": PAUSE.path,
    "inflate": INFLATE.path,
}


class Second(NamedTuple):
    """The record of the second life."""

    up: Outcome
    live: dict[str, dict[str, Any]]
    """Objects as they are in the cluster, by the keys of LIVE."""
    preempted: moving.Preempted
    cordoned: moving.Moved
    expired: moving.Moved
    without_room: moving.Moved
    defaults: upgrading.Defaults
    upgraded: upgrading.Upgraded
    stuck: upgrading.Stuck
    held: guarding.Held


def play(stage: Stage) -> Second:
    """One part after the other."""
    stage.keep(
        lambda config: pool(config).update(terminationGracePeriod=LIMIT),
        # So that no node is moved but by the tests.
        lambda config: pool(config)["disruption"].update(consolidationPolicy="WhenEmpty"),
    )
    up = stage.engine.up()
    health.pods(stage.cluster, stage.rehearsal.console)
    live = {key: stage.cluster.get(path) for key, path in LIVE.items()}
    preempted = moving.preempt(stage)
    cordoned = moving.move(stage, partial(moving.cordon_and_drain, stage))
    # Meanwhile pause pods wait for their node.
    told_by_up = upgrading.collide(stage)
    wait(stage.is_settled)
    expired = moving.move(stage, partial(moving.expire, stage))
    moving.give_up_room(stage)
    without_room = moving.move(stage, partial(moving.expire, stage))
    stage.keep(upgrading.with_default)
    upgraded, stuck = upgrading.upgrade(stage)
    default = stage.cluster.get("/apis/scheduling.k8s.io/v1/priorityclasses/default")
    return Second(
        up=up,
        live=live,
        preempted=preempted,
        cordoned=cordoned,
        expired=expired,
        without_room=without_room,
        defaults=upgrading.Defaults(told_by_up, default, upgrading.collide_again(stage)),
        upgraded=upgraded,
        stuck=stuck,
        held=guarding.hold(stage),
    )
