"""What the load of a replay costs, as it ran and in four other ways, reckoned from its trace."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rehearsal.consolidation.trace import Moment, NodeSeen, Trace

HOUR = 3600.0


@dataclass(frozen=True)
class Bill:
    """One way to run the load."""

    name: str
    rule: str
    """How it is reckoned, in one line."""
    scenes: tuple[float, ...]
    """USD an hour at the end of each step."""
    measured: float
    """USD for the time that the replay took."""

    @property
    def held(self) -> float:
        """USD if every step were held for an hour."""
        return sum(self.scenes)

    def above(self, other: "Bill") -> float:
        """How much dearer than `other`: 0.25 is a quarter more, -0.25 a quarter less."""
        return self.held / other.held - 1 if other.held else 0.0


def bills(trace: Trace) -> list[Bill]:
    """As measured first; the lower bound, if an offer is known, last. All of Karpenter's nodes."""
    ways: list[tuple[str, str, Callable[[Moment], float]]] = [
        (
            "as measured",
            "the nodes that were there, each from when it joined, at its price",
            lambda moment: moment.cost,
        ),
        (
            "on-demand only",
            "the same nodes, each at its price on demand",
            lambda moment: sum(node.on_demand for node in moment.nodes),
        ),
        (
            "no consolidation",
            "nodes that came for a demand higher than any before stay until the end",
            lambda moment: _cost(_kept(trace, moment.at)),
        ),
        (
            "fixed nodes",
            "the nodes of the highest demand, from the beginning to the end",
            lambda _: _cost(_peak(trace)),
        ),
    ]
    if offer := trace.offer:
        ways.append(
            (
                "lower bound",
                f"each pod's share of the cheapest offering ({offer.instance_type} "
                f"{offer.capacity} {offer.zone}), nothing left over",
                lambda moment: moment.pods * offer.per_pod,
            )
        )
    return [
        Bill(
            name,
            rule,
            tuple(rate(scene.last) for scene in trace.scenes),
            _integral(trace, rate),
        )
        for name, rule, rate in ways
    ]


def _integral(trace: Trace, rate: Callable[[Moment], float]) -> float:
    """USD from the beginning to the end: a rate changes with a moment, and with nothing else."""
    moments = [moment for moment in trace.moments if moment.at < trace.end]
    ends = [*(moment.at for moment in moments[1:]), trace.end]
    # Without a moment there is an end all the same.
    spans = zip(moments, ends, strict=False)
    return sum(rate(moment) * (end - moment.at) / HOUR for moment, end in spans)


def _kept(trace: Trace, at: float) -> Iterable[NodeSeen]:
    """Nodes seen until then, without replacements and those of a demand that was there before."""
    replacements = {one.node for disruption in trace.disruptions for one in disruption.replacements}
    kept: dict[str, NodeSeen] = {}
    highest = 0
    for scene in trace.scenes:
        if scene.pods > highest:
            highest = scene.pods
            for moment in _during(trace, scene.began, min(scene.ended, at)):
                new = [node for node in moment.nodes if node.name not in replacements]
                kept |= {node.name: node for node in new}
    return kept.values()


def _peak(trace: Trace) -> Iterable[NodeSeen]:
    scene = max(trace.scenes, key=lambda one: one.pods, default=None)
    return scene.nodes if scene else ()


def _during(trace: Trace, begin: float, end: float) -> list[Moment]:
    return [moment for moment in trace.moments if begin <= moment.at <= end]


def _cost(nodes: Iterable[NodeSeen]) -> float:
    return sum(node.price for node in nodes)
