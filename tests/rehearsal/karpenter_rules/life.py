"""All rules side by side on one cluster, and its end, as a record."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

from tests.rehearsal.karpenter_rules import buffering, draining, ending, film, keeping_room, scenes
from tests.rehearsal.karpenter_rules.film import Decision, Frame
from tests.rehearsal.karpenter_rules.player import Gate, Player
from tests.rehearsal.karpenter_rules.pools import Object
from tests.rehearsal.nodeless.stage import Config, Stage, pool, watching

DRAIN = "20s"
"""That a drain of the stack's own pool may take."""


class Rules(NamedTuple):
    """What Karpenter did in one cluster."""

    frames: list[Frame]
    began: datetime
    """When the nodes were left to Karpenter."""
    packing: datetime
    """The same of those in scenes.TOGETHER."""
    on_nodes: Mapping[str, Sequence[str]]
    """By rule: names of its nodes before, in the order of the layout."""
    decisions: list[Decision]
    events: list[Object]
    room: keeping_room.Room
    drained: draining.Drained
    gate: Gate
    buffered: buffering.Buffered
    ended: ending.Ended

    def of(self, rule: str) -> list[Decision]:
        """Decisions about its nodes."""
        nodes = set(self.on_nodes[rule])
        return [one for one in self.decisions if nodes & set(one.nodes)]


def prepare(stage: Stage) -> None:
    """The stack file as this life begins."""

    def change(config: Config) -> None:
        default = pool(config)
        default["terminationGracePeriod"] = DRAIN
        # Karpenter plays each of its decisions through with all types of all pools: with some
        # hundreds of them half a minute long on two busy cores.
        default["requirements"] += [scenes.TWO_FAMILIES]
        config["frugal-eks:overprovisioning"] = keeping_room.SETTINGS
        config["frugal-eks:karpenter"]["nodePools"]["fixed"] = scenes.FIXED

    stage.keep(change)


def play(stage: Stage) -> Rules:
    """From a stack that is up to one that is gone."""
    player = Player(stage)
    with watching(lambda: film.look(stage.cluster), every=1.0) as frames:
        player.lay()
        with ThreadPoolExecutor(2) as beside:
            began = frames[-1].at
            player.leave([*scenes.EMPTY, *scenes.LARGER, "deleted"])
            player.lose_one_of("fixed")
            room = beside.submit(keeping_room.measure, stage)
            drained = beside.submit(draining.drain, stage)
            player.swap(frames)
        packing = frames[-1].at
        player.pack(frames)
    decisions = film.decisions(player.log)
    events = stage.cluster.items("/api/v1/events")
    ending.guard(stage)
    others = [*player.emptied, scenes.EXPIRED, scenes.LIMITED, *scenes.PACKED]
    player.remove(others)
    gate = player.open_gate()
    player.remove(scenes.SPOT_POOLS)
    player.wait_until_gone([*others, *scenes.SPOT_POOLS])
    buffered = buffering.buffer(stage)
    return Rules(
        frames=frames,
        began=began,
        packing=packing,
        on_nodes=player.on_nodes,
        decisions=decisions,
        events=events,
        room=room.result(),
        drained=drained.result(),
        gate=gate,
        buffered=buffered,
        ended=ending.end(stage),
    )
