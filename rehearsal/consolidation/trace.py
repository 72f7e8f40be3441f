"""Records of a replay: demand, nodes and prices over time, and Karpenter's decisions."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path

from rehearsal.consolidation.disruptions import Disruption


@dataclass(frozen=True)
class NodeSeen:
    """One of Karpenter's nodes; prices in USD an hour, 0 if there is none."""

    name: str
    instance_type: str
    capacity: str
    zone: str
    price: float
    on_demand: float
    """On-demand price of the same type."""
    pods: int

    def __str__(self) -> str:
        return f"{self.instance_type} {self.capacity} {self.zone}"


@dataclass(frozen=True)
class Moment:
    """State from `at` until the next moment, in seconds since the replay began."""

    at: float
    pods: int
    """Pods that the workload asks for."""
    nodes: tuple[NodeSeen, ...]

    @property
    def cost(self) -> float:
        """Cost in USD an hour."""
        return sum(node.price for node in self.nodes)


@dataclass(frozen=True)
class Scene:
    """One step of the session, once everything had come to rest."""

    title: str
    began: float
    ended: float
    pods: int
    nodes: tuple[NodeSeen, ...]
    disruptions: tuple[Disruption, ...]
    changes: tuple[str, ...] = ()
    """Changes by `pulumi up` in this step, such as `update NodePool default`."""

    @property
    def last(self) -> Moment:
        """Last moment of the step; the next step may have begun in the same instant."""
        return Moment(self.ended, self.pods, self.nodes)

    @property
    def cost(self) -> float:
        """Cost in USD an hour."""
        return self.last.cost


@dataclass(frozen=True)
class Offer:
    """The cheapest way to run one pod of the workload, if every node were filled to the brim."""

    instance_type: str
    capacity: str
    zone: str
    price: float
    """Price of a whole instance, USD an hour."""
    pods: float
    """Number of pods that fit, fractions included, with nothing reserved for the system."""

    @property
    def per_pod(self) -> float:
        """Price per pod, USD an hour."""
        return self.price / self.pods


@dataclass
class Trace:
    """One replay."""

    workload: str
    region: str
    prices_of: str
    """Date of the list prices."""
    narrowed: tuple[str, ...] = ()
    """Pools that began with on-demand only."""
    moments: list[Moment] = field(default_factory=list[Moment])
    scenes: list[Scene] = field(default_factory=list[Scene])
    offer: Offer | None = None

    @property
    def end(self) -> float:
        """Seconds since the beginning at which the last step had come to rest."""
        return self.scenes[-1].ended if self.scenes else 0.0

    @property
    def disruptions(self) -> list[Disruption]:
        """All decisions of Karpenter, in order."""
        return [disruption for scene in self.scenes for disruption in scene.disruptions]

    def add(self, moment: Moment) -> None:
        """Adds a moment, unless it equals the last one."""
        last = self.moments[-1] if self.moments else None
        if last is None or (last.pods, last.nodes) != (moment.pods, moment.nodes):
            self.moments.append(moment)

    def write(self, file: Path) -> None:
        """Writes the trace as JSON."""
        file.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n")
