"""Plays the session with the real Karpenter, and records its course."""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape

from rehearsal.at_rest import CLAIMS
from rehearsal.aws import prices
from rehearsal.clients import Cluster
from rehearsal.consolidation import offers
from rehearsal.consolidation.disruptions import Log
from rehearsal.consolidation.peace import Peace
from rehearsal.consolidation.session import SessionStep
from rehearsal.consolidation.trace import Moment, NodeSeen, Scene, Trace
from rehearsal.engine import Outcome
from rehearsal.engine_events import EngineStep
from rehearsal.errors import RehearsalError
from rehearsal.nodes_now import INSTANCE_TYPE, KARPENTER_CAPACITY, Node
from rehearsal.scenario import NODE_SECONDS, Scenario, Workload
from rehearsal.state import State

NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
TURN_SECONDS = 120.0
"""Seconds for one node after the other: found within 10 s, checked for 15, its replacement there
after 30, its pods moved in 20.
"""

Apply = Callable[[Mapping[str, Any]], Outcome]
"""Runs `pulumi up` with settings that override the stack file's."""


class Replay:
    """Plays on one running stack; shows on `console` what it waits for."""

    def __init__(self, state: State, console: Console, workload: Workload) -> None:
        self.state, self.console, self.workload = state, console, workload
        self.endpoints, self.cluster = state.endpoints, Cluster(state)
        self.scenario = Scenario(self.cluster, self.endpoints, console)
        self.peace = Peace(state, self.cluster)
        self.offered: set[str] = set()
        """Instance types, and capacity types, that a claim of Karpenter allowed."""
        self.capacities: set[str] = set()
        self.began = time.monotonic()
        self.trace = Trace(
            workload=f"{workload.namespace}/{workload.name}",
            region=self.endpoints["region"],
            prices_of=prices.load().date,
        )

    def play(
        self, steps: Sequence[SessionStep], apply: Apply, settings: Mapping[str, Any]
    ) -> Trace:
        """Begin with an `up` with `settings` and without pods, then do one step after the other.

        Raises RehearsalError if a step does not come to rest, with what Karpenter says, or if an
        `up` replaces a pool.
        """
        if settings:
            apply(settings)
        if self.scenario.replicas(self.workload):
            self._scale(0)
        self.began = time.monotonic()
        with self._recorded():
            for step in steps:
                self._play(step, apply)
        self.trace.offer = offers.cheapest(
            self.endpoints, self.offered, self.capacities, self._requests()
        )
        return self.trace

    def _play(self, step: SessionStep, apply: Apply) -> None:
        began, log = self._now(), Log(self.state.logs / "karpenter.log")
        self.console.print(f"[bold]{escape(step.title)}[/bold]", highlight=False)
        changes: tuple[str, ...] = ()
        if step.replicas is None:
            changes = tuple(_told(step) for step in apply({}).steps if _changes(step))
            self._rest(step.title)
        else:
            self._scale(step.replicas, step.title)
        self._sample()
        moment = self.trace.moments[-1]
        scene = Scene(
            title=step.title,
            began=began,
            ended=self._now(),
            pods=moment.pods,
            nodes=moment.nodes,
            disruptions=tuple(log.disruptions()),
            changes=changes,
        )
        self.trace.scenes.append(scene)
        for line in (*changes, *map(str, scene.disruptions)):
            self.console.print(f"  {escape(line)}", highlight=False)
        nodes = ", ".join(map(str, scene.nodes)) or "no node"
        self.console.print(f"  {escape(nodes)}: {scene.cost:.4f} USD/h", highlight=False)

    def _scale(self, count: int, title: str = "") -> None:
        title, before = title or f"{count} pods", self.scenario.replicas(self.workload)
        self.cluster.patch(self.workload.path + "/scale", {"spec": {"replicas": count}})
        self.scenario.wait(title, lambda: self.scenario.all_run(self.workload, count), NODE_SECONDS)
        if count > before:
            self.scenario.wait(title, self.scenario.settled, NODE_SECONDS)
        else:
            self._rest(title)

    def _rest(self, title: str) -> None:
        """Waits until Karpenter leaves the nodes as they are."""

        def look() -> tuple[bool, str]:
            settled, seen = self.scenario.settled()
            if not settled:
                return False, seen
            return self.peace.look(self.scenario.karpenter_nodes())

        turns = len(self.scenario.karpenter_nodes()) + 1
        patience = turns * (self.scenario.consolidate_after() + TURN_SECONDS)
        self.scenario.wait(title, look, patience)

    @contextmanager
    def _recorded(self) -> Generator[None]:
        """Records once a second, in parallel to whatever else is done."""
        ended = threading.Event()

        def record() -> None:
            while not ended.wait(1.0):
                # The API server may be busy for a moment; the next look tells the same.
                try:
                    self._sample()
                except (RehearsalError, LookupError):
                    continue

        watcher = threading.Thread(target=record, daemon=True)
        self._sample()
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join(timeout=30)

    def _sample(self) -> None:
        for claim in self.cluster.items(CLAIMS):
            required = {
                requirement["key"]: requirement.get("values", [])
                for requirement in claim["spec"]["requirements"]
            }
            self.offered.update(required.get(INSTANCE_TYPE, []))
            self.capacities.update(required.get(KARPENTER_CAPACITY, []))
        nodes = tuple(self._seen(node) for node in self.scenario.karpenter_nodes())
        pods = self.scenario.replicas(self.workload)
        self.trace.add(Moment(self._now(), pods, nodes))

    def _seen(self, node: Node) -> NodeSeen:
        return NodeSeen(
            name=node.name,
            instance_type=node.instance_type,
            capacity=node.capacity,
            zone=node.zone,
            price=node.price or 0.0,
            on_demand=self.scenario.prices.on_demand(node.instance_type) or 0.0,
            pods=len(node.pods),
        )

    def _requests(self) -> dict[str, str]:
        """Requests of one pod of the workload."""
        pod = self.cluster.get(self.workload.path)["spec"]["template"]["spec"]
        (container, *_) = pod["containers"]
        return container.get("resources", {}).get("requests", {})

    def _now(self) -> float:
        return round(time.monotonic() - self.began, 3)


def _changes(step: EngineStep) -> bool:
    return step.custom and step.op not in {"same", "read"}


def _told(step: EngineStep) -> str:
    if step.type == NODE_POOL and step.op != "update":
        raise RehearsalError(
            f"Pulumi would not change the pool {step.name} in place ({step.op}): its nodes go."
        )
    return f"{step.op} {step.type.rpartition(':')[2]} {step.name}"
