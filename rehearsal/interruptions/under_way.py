"""An interruption in progress: announcements, drains, and ends that are due."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rehearsal.at_rest import claims_at_rest, waiting_pods
from rehearsal.clients import Cluster
from rehearsal.interruptions.announcements import Ec2, Kind
from rehearsal.interruptions.draining import Budgets, Moves
from rehearsal.nodes_now import Node

HOOK_SECONDS = 5.0
"""A drained instance that its group ends through a hook is gone within these. Where nobody
completes the hook (no handler with a queue, or one that took the group's event for done while it
drained the node for the warning), EC2 takes it then instead of at the end of its two minutes."""


@dataclass(frozen=True)
class Plan:
    """Nodes whose end is announced, the reason, and the seconds between two announcements."""

    victims: Sequence[Node]
    kind: Kind
    gap: float = 0.0
    held: Sequence[str] = ()
    """Groups that launch nothing until all victims are gone."""


class UnderWay:
    """An interruption in progress; call `look` often. `nodes` returns all current nodes."""

    def __init__(
        self, cluster: Cluster, ec2: Ec2, nodes: Callable[[], list[Node]], plan: Plan
    ) -> None:
        self.cluster, self.ec2, self.now = cluster, ec2, nodes
        self.victims, self.kind, self.held = plan.victims, plan.kind, plan.held
        self.began = time.monotonic()
        self.due = {victim.name: number * plan.gap for number, victim in enumerate(plan.victims)}
        self.moves = Moves(cluster, self._clock)
        self.budgets = Budgets(cluster)
        self.cordoned: set[str] = set()
        """Victims that were seen without taking new pods; others were not drained."""
        self.stay: set[str] = set()
        """Victims that nobody ends."""
        self.drained_at: dict[str, float] = {}
        self.ended: set[str] = set()
        """Drained victims that EC2 was asked to end."""
        self.nodes = self.now()
        self.owners = self._able()
        self.notes: list[str] = []
        self.budgets.look()

    def _clock(self) -> float:
        return time.monotonic() - self.began

    def look(self) -> tuple[bool, str]:
        """Announces what is due, looks at pods and budgets, and ends drained victims."""
        for victim in self.victims:
            if victim.name in self.due and self._clock() >= self.due[victim.name]:
                del self.due[victim.name]
                self._announce(victim)
        self.nodes = self.now()
        self.moves.look({node.name for node in self.nodes if not node.leaving})
        self.budgets.look()
        waiting = waiting_pods(self.cluster)
        there = {node.name for node in self.nodes}
        self.cordoned |= {node.name for node in self.nodes if node.leaving}
        left = [victim for victim in self.victims if victim.name in there - self.stay]
        for victim in left:
            self._end_if_drained(victim)
        seen = (
            f"{len(self.moves.drained)} of {len(self.victims)} nodes drained, "
            f"{len(left)} not yet gone, {len(waiting)} pods wait"
        )
        drained = len(self.moves.drained) == len(self.victims)
        if drained and not left and self.held:
            self._release(waiting)
        whole = self._replaced() and claims_at_rest(self.cluster)
        return drained and not left and not waiting and whole, seen

    def _announce(self, victim: Node) -> None:
        self.moves.tell(victim.name)
        self.ec2.announce(self.kind, victim.instance_id)
        if victim.karpenter:
            # Its simulated fleet launched it: Karpenter ends it itself.
            return
        if self.kind is Kind.SPOT:
            self.ec2.end_after_notice(victim.instance_id)
        if self.kind is Kind.REBALANCE and not self.ec2.rebalance(victim.instance_id):
            self.stay.add(victim.name)
            self.notes.append(
                f"{victim.name} stays, drained: its group has no capacityRebalance, so nobody "
                "launches another or ends it."
            )

    def _end_if_drained(self, victim: Node) -> None:
        """Ends a drained instance early, since EC2 may take it now."""
        if victim.karpenter or victim.name in self.ended or victim.name not in self.moves.drained:
            return
        drained_at = self.drained_at.setdefault(victim.name, self._clock())
        if self._clock() - drained_at < HOOK_SECONDS:
            return
        self.ended.add(victim.name)
        if self.kind is Kind.SPOT:
            self.ec2.end_after_notice(victim.instance_id, 0)
        if self.kind is Kind.MAINTENANCE:
            self.ec2.retire(victim.instance_id)

    def _release(self, waiting: Sequence[str]) -> None:
        """Reports where the pods are once all victims are gone, and lets groups launch again."""
        on_demand = {node.name for node in self.nodes if node.capacity == "on-demand"}
        moved = [pod for pod in self.moves.pods.values() if pod.now_on in on_demand]
        self.notes.append(
            f"With no spot instance to be had, {len(moved)} pods from spot nodes ran on demand and "
            f"{len(waiting)} waited for room."
        )
        self.notes += [f"  {line}" for line in waiting]
        self.ec2.release_launches(self.held)
        self.held = ()

    def _replaced(self) -> bool:
        """True if each group has as many nodes that take pods as before."""
        able = self._able()
        stay = [victim.owner for victim in self.victims if victim.name in self.stay]
        return all(
            able.count(owner) >= self.owners.count(owner) - stay.count(owner)
            for owner in set(self.owners)
        )

    def _able(self) -> list[str]:
        """Owners of self-managed nodes that take pods, one entry for each node."""
        return [
            node.owner
            for node in self.nodes
            if node.self_managed and node.ready and not node.leaving
        ]
