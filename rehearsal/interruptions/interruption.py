"""Plays interruptions: AWS announces the end of nodes, and their handlers drain them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console

from rehearsal.at_rest import last_events, waiting_pods
from rehearsal.clients import Cluster
from rehearsal.errors import RehearsalError
from rehearsal.group_members import Members
from rehearsal.interruptions.announcements import NOTICE_SECONDS, Ec2, Kind
from rehearsal.interruptions.draining import Budget, Moved, unmoved
from rehearsal.interruptions.under_way import Plan, UnderWay
from rehearsal.nodes.termination_handler import LABEL
from rehearsal.nodes_now import Node, is_true, nodes_now
from rehearsal.price_list import PriceList
from rehearsal.progress import wait_for
from rehearsal.state import State

LOOK_SECONDS = 0.3
PATIENCE_SECONDS = 180.0
"""Seconds for drain, end and replacement; Karpenter's simulated fleet alone takes 30 to register a
node.
"""
STORM_GAP_SECONDS = 10.0
STORM_SECONDS = 50.0
"""Seconds within which a storm announces the end of all spot nodes."""
REPORTED = "SpotRebalanceRecommendation"
"""Reason of Karpenter's event about a rebalance recommendation."""


@dataclass(kw_only=True)
class Outcome:
    """Result of an interruption."""

    kind: Kind
    victims: Sequence[Node]
    moves: Sequence[Moved]
    budgets: Sequence[Budget]
    drained: dict[str, float]
    """Seconds from a node's announcement until it had no pod to move, by its name."""
    seconds: float
    """Seconds until everything was at rest again."""
    nodes: Sequence[Node]
    """Nodes after the interruption."""
    new_nodes: Sequence[Node]
    undrained: Sequence[str] = ()
    """Nodes that ended without having been cordoned."""
    lost: Sequence[str] = ()
    """Pods of on-demand nodes that are gone."""
    notes: list[str] = field(default_factory=list[str])

    def failures(self) -> list[str]:
        """Violations, a sentence each."""
        deadline = NOTICE_SECONDS if self.kind is Kind.SPOT else PATIENCE_SECONDS
        late = [move for move in self.moves if move.gone is None or move.gone > deadline]
        return [
            *(f"nobody drained {name} before it ended" for name in self.undrained),
            *(f"{move.name} was still on {move.node} after {deadline:.0f} s" for move in late),
            *(
                f"PodDisruptionBudget {budget.name} wants {budget.desired} healthy pods, "
                f"and there were {budget.healthy}"
                for budget in self.budgets
                if budget.broken
            ),
            *(f"{name} ran on demand, and did not survive" for name in self.lost),
        ]

    def require_held(self) -> None:
        """Raises RehearsalError if a deadline or a budget broke, or a pod on demand was lost."""
        if failures := self.failures():
            lines = "\n".join(f"  {line}" for line in failures)
            raise RehearsalError(f"The interruption did harm:\n{lines}")


class Interruption:
    """Plays on one cluster; shows on `console` what it waits for."""

    def __init__(self, state: State, cluster: Cluster, console: Console) -> None:
        self.cluster, self.console, self.ec2 = cluster, console, Ec2(state)
        self.prices, self.members = PriceList(state.endpoints), Members(state.endpoints)

    def victim(self, name: str | None, kind: Kind) -> Node:
        """The node of this name or instance id, else the spot node with the most pods.

        Raises RehearsalError if there is none, or none that anybody here drains.
        """
        nodes = [node for node in self.nodes() if _minded(node)]
        spot = [node for node in nodes if node.capacity == "spot"]
        # Hardware fails under all instances, the other two only reach spot.
        chosen = nodes if kind is Kind.MAINTENANCE and name else spot
        named = [node for node in chosen if name in {None, node.name, node.instance_id}]
        if not named:
            raise RehearsalError(_nobody(name, chosen))
        return max(named, key=lambda node: len(node.pods))

    def play(self, victim: Node, kind: Kind = Kind.SPOT) -> Outcome:
        """Announce the end of a node; wait until its pods run elsewhere and all is at rest.

        Raises RehearsalError if that does not come about; whether a deadline or a budget broke,
        the outcome says.
        """
        if victim.karpenter and kind is Kind.REBALANCE:
            return self._reported(victim)
        return self._interrupt(Plan([victim], kind))

    def spot_nodes(self) -> list[Node]:
        """Spot nodes that a handler in the rehearsal drains."""
        return [node for node in self.nodes() if node.capacity == "spot" and _minded(node)]

    def storm(self) -> Outcome:
        """Interrupt every spot node, all within a minute, with no other to be had meanwhile.

        Only once they are gone their groups get instances again: until then pods must do with
        on-demand nodes.
        """
        victims = self.spot_nodes()
        if not victims:
            raise RehearsalError(_nobody(None, victims))
        gap = min(STORM_GAP_SECONDS, STORM_SECONDS / len(victims))
        held = self.ec2.hold_launches(
            [victim.instance_id for victim in victims if victim.self_managed]
        )
        try:
            return self._interrupt(Plan(victims, Kind.SPOT, gap, held))
        finally:
            self.ec2.release_launches(held)

    def _interrupt(self, plan: Plan) -> Outcome:
        victims = plan.victims
        if any(victim.self_managed for victim in victims):
            self._require_handler()
        before = self.nodes()
        on_demand = [node.name for node in before if node.capacity == "on-demand"]
        steady = unmoved(self.cluster, on_demand if len(victims) > 1 else [])
        act = UnderWay(self.cluster, self.ec2, self.nodes, plan)
        many = len(victims) > 1
        title = f"interrupting {f'{len(victims)} nodes' if many else victims[0].name}"
        patience = plan.gap * len(victims) + PATIENCE_SECONDS
        try:
            seconds = wait_for(self.console, title, act.look, timeout=patience, every=LOOK_SECONDS)
        except TimeoutError as error:
            lines = [*waiting_pods(self.cluster), "The last events:", *last_events(self.cluster)]
            raise RehearsalError("\n  ".join([f"{error}.", *lines])) from None
        survivors = unmoved(self.cluster, on_demand)
        nodes, known = self.nodes(), {node.name for node in before}
        return Outcome(
            kind=plan.kind,
            victims=victims,
            moves=list(act.moves.pods.values()),
            budgets=list(act.budgets.seen.values()),
            drained=act.moves.drained,
            seconds=seconds,
            nodes=nodes,
            new_nodes=[node for node in nodes if node.name not in known],
            undrained=[victim.name for victim in victims if victim.name not in act.cordoned],
            lost=sorted(name for uid, name in steady.items() if uid not in survivors),
            notes=act.notes,
        )

    def _reported(self, victim: Node) -> Outcome:
        """Karpenter drains nothing at a rebalance recommendation, it only writes an event."""

        def reported() -> tuple[bool, str]:
            events = self.cluster.items("/api/v1/events")
            reports = [entry for entry in events if entry.get("reason") == REPORTED]
            return bool(reports), "Karpenter has not told it yet"

        began = time.monotonic()
        self.ec2.announce(Kind.REBALANCE, victim.instance_id)
        try:
            wait_for(self.console, f"rebalancing {victim.name}", reported, timeout=PATIENCE_SECONDS)
        except TimeoutError as error:
            raise RehearsalError(f"{error}.") from None
        return Outcome(
            kind=Kind.REBALANCE,
            victims=[victim],
            moves=[],
            budgets=[],
            drained={},
            seconds=time.monotonic() - began,
            nodes=self.nodes(),
            new_nodes=[],
            notes=[
                "Karpenter only reports a rebalance recommendation, as an event: it drains at "
                "spot interruption warnings and at maintenance."
            ],
        )

    def _require_handler(self) -> None:
        name, value = next(iter(LABEL.items()))
        pods = self.cluster.items(f"/api/v1/pods?labelSelector={name}%3D{value}")
        if not any(is_true(pod, "Ready") for pod in pods):
            raise RehearsalError(
                "No Node Termination Handler runs, so nobody would drain the node: put "
                "`addons.nodeTerminationHandler` into the stack file and run `up`."
            )

    def nodes(self) -> list[Node]:
        """All current nodes."""
        return nodes_now(self.cluster, self.prices, self.members)


def _minded(node: Node) -> bool:
    """True if a handler in the rehearsal drains the node: EKS does that for its own groups, which
    is not played.
    """
    return node.karpenter or node.self_managed


def _nobody(name: str | None, nodes: Sequence[Node]) -> str:
    there = ", ".join(node.name for node in nodes)
    if there:
        return f"No node that can be interrupted is called {name}: there are {there}."
    return (
        "There is no spot node of Karpenter's or of a group of your own now: "
        "`./frugal-eks rehearse scale 3` brings one of Karpenter's."
    )
