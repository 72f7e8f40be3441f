"""The life of the consolidation stack, from nothing to nothing, as a record."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rehearsal.account_things import Thing
from rehearsal.commands import Rehearsal
from rehearsal.consolidation.replay import Replay
from rehearsal.consolidation.session import SessionStep, narrowed
from rehearsal.consolidation.trace import Scene, Trace
from rehearsal.engine import Outcome
from rehearsal.karpenter_commands import PICTURE, TRACE, workload
from rehearsal.nodes_now import NODE_POOL
from tests.rehearsal.nodeless.stage import pool, watching
from tests.rehearsal.variants.stage import Stage

CONSOLIDATE_AFTER = "10s"
SMALLER = (SessionStep("6 pods", 6), SessionStep("3 pods", 3), SessionStep("0 pods", 0))
"""On demand, with all six pods on one node."""
ON_SPOT = (SessionStep("3 pods", 3), SessionStep("10 pods", 10), SessionStep("6 pods", 6))
POOL = "/apis/karpenter.sh/v1/nodepools/default"

Object = dict[str, Any]


class Life(NamedTuple):
    up: Outcome
    before: Object
    """The pool before the session."""
    trace: Trace
    told: str
    """All that the replay printed."""
    picture: str
    written: str
    """The trace as it lies in the state folder."""
    nodes: dict[str, Object]
    """Each of Karpenter's nodes that ever was, by name, as it was last seen."""
    after: Object
    """The pool after it."""
    preview: Outcome
    smaller: list[Scene]
    """Of SMALLER."""
    spot: list[Scene]
    """Of ON_SPOT: pods come to the pool with both capacity types."""
    destroy: Outcome
    left: list[Thing]


def hasten(config: Object) -> None:
    """Let Karpenter consolidate nodes sooner than the stack file says."""
    pool(config)["disruption"]["consolidateAfter"] = CONSOLIDATE_AFTER


def play(stage: Stage) -> Life:
    """From nothing to nothing; the session is played by the command's own code."""
    rehearsal, seen = stage.first, dict[str, Object]()

    def look() -> None:
        listed = stage.cluster.items("/api/v1/nodes")
        seen.update(
            (node["metadata"]["name"], node)
            for node in listed
            if NODE_POOL in node["metadata"]["labels"]
        )

    up = rehearsal.engine().up()
    before = stage.cluster.get(POOL)
    with watching(look, every=1.0):
        smaller = replay(rehearsal, SMALLER, narrowed(rehearsal.stack_file))
        trace = rehearsal.replay()
        after, preview = stage.cluster.get(POOL), rehearsal.engine().preview()
        spot = replay(rehearsal, ON_SPOT, {})

    destroy = rehearsal.engine().destroy()
    return Life(
        up=up,
        before=before,
        trace=trace,
        told=rehearsal.console.file.getvalue(),  # pyright: ignore[reportAttributeAccessIssue]
        picture=(rehearsal.state.path / PICTURE).read_text(),
        written=(rehearsal.state.path / TRACE).read_text(),
        nodes=seen,
        after=after,
        preview=preview,
        smaller=smaller,
        spot=spot,
        destroy=destroy,
        left=stage.left(),
    )


def replay(rehearsal: Rehearsal, steps: Sequence[SessionStep], settings: Object) -> list[Scene]:
    """Steps of a test's own, after an `up` with these settings if there are any."""
    chosen = workload(rehearsal.engine(), rehearsal.stack_path)
    made = Replay(rehearsal.state, rehearsal.console, chosen)
    return made.play(steps, rehearsal.apply, settings).scenes
