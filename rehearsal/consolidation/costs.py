"""Cost of a replay's load, as it ran and in four other ways, calculated from its trace."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rehearsal.consolidation.trace import Moment, NodeSeen, Trace

HOUR = 3600.0


@dataclass(frozen=True)
class Bill:
    """Cost of one way to run the load."""

    name: str
    rule: str
    """How the cost is calculated, in one line."""
    scenes: tuple[float, ...]
    """USD an hour at the end of each step."""
    measured: float
    """USD for the time that the replay took."""

    @property
    def held(self) -> float:
        """USD if every step were held for an hour."""
        return sum(self.scenes)

    def above(self, other: "Bill") -> float:
        """Extra cost relative to `other`: 0.25 is a quarter more, -0.25 a quarter less."""
        return self.held / other.held - 1 if other.held else 0.0


def bills(trace: Trace) -> list[Bill]:
    """Bills of all ways to run the load on Karpenter's nodes: as measured first, the lower bound
    last if an offer is known.
    """
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
    """USD from the beginning to the end; the rate changes only at moments."""
    moments = [moment for moment in trace.moments if moment.at < trace.end]
    ends = [*(moment.at for moment in moments[1:]), trace.end]
    # Without a moment there is an end all the same.
    spans = zip(moments, ends, strict=False)
    return sum(rate(moment) * (end - moment.at) / HOUR for moment, end in spans)


def _kept(trace: Trace, at: float) -> Iterable[NodeSeen]:
    """Nodes seen so far, without replacements and without those of a demand that existed before."""
    replacements = {
        replacement.node
        for disruption in trace.disruptions
        for replacement in disruption.replacements
    }
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
    scene = max(trace.scenes, key=lambda scene: scene.pods, default=None)
    return scene.nodes if scene else ()


def _during(trace: Trace, begin: float, end: float) -> list[Moment]:
    return [moment for moment in trace.moments if begin <= moment.at <= end]


def _cost(nodes: Iterable[NodeSeen]) -> float:
    return sum(node.price for node in nodes)
