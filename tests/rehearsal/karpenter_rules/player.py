"""Makes and takes away what the rules are about."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from rehearsal.engine import Outcome
from rehearsal.nodes_now import NODE_POOL, is_true
from tests.rehearsal.karpenter_rules import film, keeping_room, scenes
from tests.rehearsal.karpenter_rules.film import Decision, Frame
from tests.rehearsal.karpenter_rules.pools import RULE, Object, Pod, Pool, ballast, budget
from tests.rehearsal.nodeless.stage import Stage, wait, watching

UNTOUCHED = "Unconsolidatable"
"""The reason of an event about a node that Karpenter has looked at in vain."""
BALLAST = {
    "fewer": "6",
    **dict.fromkeys(("attracted", "repelled", "spread"), "1200m"),
    **dict.fromkeys(scenes.LARGER, "12"),
}
"""So much cpu that each node of the rule has room for one such pod; 3 elsewhere."""
LEFT = {"attracted": 3, "repelled": 2, "spread": 2, "apart": 2}
"""Nodes in the end of those in scenes.TOGETHER; 1 elsewhere."""


class Gate(NamedTuple):
    """With the feature gate for swaps of spot for spot."""

    up: Outcome
    since: datetime
    frames: list[Frame]
    decisions: list[Decision]
    events: list[Object]


class Player:
    """Plays on a stack that is up."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.log = stage.rehearsal.state.logs / "karpenter.log"
        self.emptied = scenes.emptied()
        self.weights = [scenes.FIRST, scenes.SECOND]
        self.others = [*scenes.SPOT_POOLS, scenes.EXPIRED, scenes.LIMITED, *scenes.PACKED]
        self.laid = [*scenes.EMPTY, *scenes.LARGER, "deleted", *scenes.TOGETHER]
        """Rules whose nodes have a layout."""
        self.on_nodes: dict[str, list[str]] = {}
        """By rule: the names of its nodes at first, in the order of the layout."""

    def lay(self) -> None:
        """Pools, nodes, and pods on them that Karpenter leaves alone as yet."""
        pools = [*self.emptied, *self.weights, *self.others]
        self.apply(
            *scenes.classes(),
            *(one.manifest() for one in pools if one is not scenes.OLD),
            scenes.OLD.manifest(expireAfter="20m"),
            *(_ballast(rule) for rule in self.laid if rule != "old"),
            ballast("old", 1),
            Pod(name="weights", cpu="3").deployment("weights", 2),
            Pod(name="expired", cpu="3").deployment("expired", 1),
            Pod(name="limited", cpu="3").deployment("limited", 2),
            *keeping_room.pods(),
            budget("deleted", "deleted-guarded"),
            budget("guarded", "guarded-pod"),
        )
        wait(lambda: any(_pool(one) == "old" for one in self.stage.claims().values()))
        self.apply(scenes.OLD.manifest(), _ballast("old"))
        wanted = {rule: len(_layout(rule)) for rule in self.laid}
        wanted |= {"weights": 2, "limited": 1, "room": 1, "crowded": 1, "fixed": 2}
        wait(lambda: {rule: len(self._ready(rule)) for rule in wanted} == wanted, 300)
        self.on_nodes = {rule: self._ready(rule) for rule in wanted}
        self._pin()
        # Karpenter takes no note of a second change of a node's pods within 10 seconds.
        time.sleep(10)

    def _pin(self) -> None:
        pinned = [
            (pod, node, rule)
            for rule in self.laid
            for node, pods in zip(self.on_nodes[rule], _layout(rule), strict=True)
            for pod in pods
        ]
        self.apply(*(pod.on(node, rule) for pod, node, rule in pinned))
        # An owner that came with them would make a second pod before it sees the first.
        self.apply(*(pod.owner(rule) for pod, _, rule in pinned if pod.owned))

    def _ready(self, rule: str) -> list[str]:
        """Names of a rule's nodes, the oldest claim first."""
        claims = [one for one in self.stage.claims().values() if _rule(one) == rule]
        claims.sort(key=lambda one: one["metadata"]["creationTimestamp"])
        return [one["status"]["nodeName"] for one in claims if is_true(one, "Initialized")]

    def leave(self, rules: Iterable[str]) -> None:
        """Their nodes to Karpenter."""
        names = [f"{rule}-ballast" for rule in rules]
        self.stage.kubectl("delete", "deployment", "--wait=false", *names)

    def swap(self, frames: list[Frame]) -> None:
        """Nodes that are empty or too large; then nothing of them is in the way of others."""
        self.apply(scenes.FIRST.manifest(limits={"cpu": "8"}))
        weights = self.on_nodes["weights"]
        (dear,) = (one for one in weights if frames[-1].nodes[one].capacity == "on-demand")
        chosen = {dear, *(self.on_nodes[rule][0] for rule in ("soon", "later", "cheaper"))}
        spot = {self.on_nodes[rule][0] for rule in ("spot-many", "spot-few")}

        def over() -> bool:
            going = {name for one in film.decisions(self.log) for name in one.nodes}
            return chosen <= going and spot <= set(self.told())

        soon(over, 300)
        asleep = {"disruption": {"consolidateAfter": "Never"}}
        self.apply(*(one.manifest(**asleep) for one in scenes.SPOT_POOLS))

        def swapped() -> bool:
            return not chosen & set(frames[-1].nodes)

        soon(swapped, 120)
        self.remove(self.weights)

    def pack(self, frames: list[Frame]) -> None:
        """Nodes whose pods fit elsewhere, and such that only seem to."""
        self.leave(scenes.TOGETHER)
        wanted = {rule: LEFT.get(rule, 1) for rule in scenes.TOGETHER}
        stay = {*self.on_nodes["repelled"], *self.on_nodes["spread"], self.on_nodes["attracted"][2]}

        def over() -> bool:
            now = frames[-1]
            there = {name: len(now.of(name)) for name in wanted}
            return there == wanted and stay <= set(self.told())

        soon(over, 300)

    def open_gate(self) -> Gate:
        """Nothing but what may be swapped for spot is there to be looked at."""
        stage = self.stage
        stage.keep(
            lambda c: c["frugal-eks:karpenter"].update(controller={"spotToSpotConsolidation": True})
        )
        # Before it starts anew: of each node it tells one reason only in a quarter of an hour.
        self.apply(*(one.manifest() for one in scenes.SPOT_POOLS))
        old, few = set(self.on_nodes["spot-many"]), self.on_nodes["spot-few"][0]
        before = len(film.decisions(self.log))
        with watching(lambda: film.look(stage.cluster), every=1.0) as frames:
            up = stage.engine.up()

            def over() -> bool:
                many = set(frames[-1].of("spot-many"))
                told = " ".join(self.told().get(few, []))
                return bool(many) and many.isdisjoint(old) and "requires" in told

            soon(over, 240)
        events = stage.cluster.items("/api/v1/events")
        return Gate(up, frames[0].at, frames, film.decisions(self.log)[before:], events)

    def told(self) -> dict[str, list[str]]:
        """Why Karpenter has left a node as it is, by the names of nodes and claims."""
        return film.said(self.stage.cluster.items("/api/v1/events"), UNTOUCHED)

    def apply(self, *objects: Object) -> None:
        if objects:
            self.stage.kubectl("apply", "-f", "-", given=list(objects))

    def lose_one_of(self, pool: str) -> None:
        """As if an instance had failed."""
        (node, *_) = self.on_nodes[pool]
        self.stage.kubectl("delete", "node", "--wait=false", node)

    def remove(self, pools: Iterable[Pool]) -> None:
        """Their pods first: else a held one would hold its node."""
        chosen = list(pools)
        rules = sorted({rule for one in chosen for rule in one.served})
        kinds = "poddisruptionbudgets,deployments,replicasets,pods"
        selector = f"rule in ({','.join(rules)})"
        self.stage.kubectl("delete", kinds, "--wait=false", "--selector", selector)
        names = [one.name for one in chosen]
        self.stage.kubectl("delete", "nodepools", "--wait=false", *names)

    def wait_until_gone(self, pools: Iterable[Pool]) -> None:
        """All of their nodes, and the priorities of their pods."""
        names = {one.name for one in pools}
        self.stage.kubectl("delete", "-f", "-", given=scenes.classes())
        wait(lambda: not any(_pool(one) in names for one in self.stage.claims().values()), 180)


def soon(look: Callable[[], bool], seconds: float) -> None:
    """Wait so long for it at the most: a test tells what did not come about."""
    end = time.monotonic() + seconds
    while not look() and time.monotonic() < end:
        time.sleep(0.5)


def _ballast(rule: str) -> Object:
    spec = scenes.across_zones("spread-ballast") if rule == "spread" else {}
    return ballast(rule, len(_layout(rule)), BALLAST.get(rule, "3"), **spec)


def _layout(rule: str) -> Sequence[Sequence[Pod]]:
    return scenes.LAYOUT.get(rule, [[]])


def _pool(one: Object) -> str:
    return one["metadata"]["labels"].get(NODE_POOL, "")


def _rule(one: Object) -> str:
    return one["metadata"]["labels"].get(RULE, "")
