"""What Karpenter says of the nodes that it launches, replaces and removes: its own log, read."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast

COMMAND = re.compile(
    r"^(?P<reason>\w+)/(?P<id>[^:]+): .*?(?:\(savings: \$(?P<savings>-?[\d.]+)\))?$"
)
"""As `Underutilized/83fa4c11-…: replace: nodepools=[default]: [a] -> [1 replacement] (savings:
$0.14)`; String() in pkg/controllers/disruption/types.go of karpenter 1.14.1."""
MORE = re.compile(r"^(?P<listed>.*) and (?P<more>\d+) other\(s\)$")

Decision = Literal["delete", "replace"]


@dataclass(frozen=True)
class Removed:
    """A node that a decision takes away."""

    node: str
    claim: str
    instance_type: str
    capacity: str
    gone: float | None = None
    """Seconds since the epoch at which Karpenter has deleted it."""


@dataclass(frozen=True)
class Replacement:
    """The node that comes instead."""

    offered: int
    """How many instance types EC2 could choose from."""
    capacity: str
    claim: str = ""
    node: str = ""
    instance_type: str = ""
    zone: str = ""
    launched: float | None = None
    ready: float | None = None
    """Seconds since the epoch at which Karpenter calls its claim initialized."""


@dataclass(frozen=True)
class Disruption:
    """One decision of Karpenter about nodes that run."""

    at: float
    """Seconds since the epoch."""
    decision: Decision
    reason: str
    """"underutilized", "empty" or "drifted"."""
    pods: int
    """That have to move."""
    removed: tuple[Removed, ...]
    replacements: tuple[Replacement, ...]
    savings: float | None
    """USD an hour as Karpenter reckons it, to the cent; None where it does not say."""

    @property
    def replaced_first(self) -> bool:
        """Whether each replacement was ready before the first of the old nodes was gone."""
        ready = [one.ready for one in self.replacements]
        gone = [one.gone for one in self.removed if one.gone is not None]
        return bool(ready) and all(
            moment is not None and moment <= min(gone, default=moment) for moment in ready
        )

    def __str__(self) -> str:
        """For example `replace a (c6a.2xlarge on-demand) by c6a.xlarge spot of 512 types:
        underutilized, saves 0.26 USD/h`."""
        which = ", ".join(
            f"{short(one.node)} ({one.instance_type} {one.capacity})" for one in self.removed
        )
        by = " and ".join(
            f"{one.instance_type or 'a node'} {one.capacity} of {one.offered} types"
            for one in self.replacements
        )
        saved = "" if self.savings is None else f", saves {self.savings:.2f} USD/h"
        return f"{self.decision} {which}{f' by {by}' * bool(by)}: {self.reason}{saved}"


def short(node: str) -> str:
    """A name without the domain, or without the number that a played node ends with."""
    return re.sub(r"-[a-z0-9]{10}-\d{5,}$", "", node.partition(".")[0])


class Log:
    """The log of one Karpenter from a moment on; it may be started anew meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.begin = path.stat().st_size if path.exists() else 0

    def disruptions(self) -> list[Disruption]:
        """All decisions since then, with what became of them so far."""
        try:
            with self.path.open("rb") as log:
                log.seek(self.begin)
                lines = log.read().decode(errors="replace").splitlines()
        except FileNotFoundError:
            return []
        return disruptions(lines)


def disruptions(lines: Iterable[str]) -> list[Disruption]:
    """The decisions in the lines of Karpenter's log, in their order."""
    said = list(_messages(lines))
    claims = _Claims(said)
    return [_disruption(one, claims) for one in said if one.get("message") == "disrupting node(s)"]


class _Claims:
    """What the log says of each claim and node."""

    def __init__(self, said: list[dict[str, Any]]) -> None:
        self.launched = {_name(one, "NodeClaim"): one for one in _about(said, "launched nodeclaim")}
        self.ready = {_name(one, "NodeClaim"): one for one in _about(said, "initialized nodeclaim")}
        # In the pass that finds the node at once ready, the other line does not name it yet.
        self.nodes = {
            _name(one, "NodeClaim"): _name(one, "Node")
            for one in _about(said, "registered nodeclaim")
        }
        self.gone = {_name(one, "Node"): _at(one) for one in _about(said, "deleted node")}
        self.created: dict[str, list[str]] = {}
        for one in _about(said, "created nodeclaim"):
            self.created.setdefault(one.get("reconcileID", ""), []).append(_name(one, "NodeClaim"))

    def replacement(self, one: dict[str, Any], claim: str) -> Replacement:
        launched, ready = self.launched.get(claim, {}), self.ready.get(claim, {})
        return Replacement(
            offered=_count(one.get("instance-types", "")),
            capacity=launched.get("capacity-type") or one.get("capacity-type", ""),
            claim=claim,
            node=_name(ready, "Node") or self.nodes.get(claim, ""),
            instance_type=launched.get("instance-type", ""),
            zone=launched.get("zone", ""),
            launched=_at(launched) if launched else None,
            ready=_at(ready) if ready else None,
        )


def _disruption(said: dict[str, Any], claims: _Claims) -> Disruption:
    found = COMMAND.match(said["command"])
    told = found["savings"] if found else None
    replacements, old = _listed(said, "replacement-nodes"), _listed(said, "disrupted-nodes")
    # Several decisions may come out of one pass, each followed by the claims that it makes.
    made = claims.created.get(said.get("reconcileID", ""), [])
    names = [*made[: len(replacements)], *[""] * (len(replacements) - len(made))]
    del made[: len(replacements)]
    return Disruption(
        at=_at(said),
        decision=said["decision"],
        reason=found["reason"].lower() if found else "unknown",
        pods=said.get("pod-count", 0),
        removed=tuple(
            Removed(
                node=_name(one, "Node"),
                claim=_name(one, "NodeClaim"),
                instance_type=one.get("instance-type", ""),
                capacity=one.get("capacity-type", ""),
                gone=claims.gone.get(_name(one, "Node")),
            )
            for one in old
        ),
        replacements=tuple(
            claims.replacement(one, name) for one, name in zip(replacements, names, strict=True)
        ),
        savings=None if told is None else float(told),
    )


def _messages(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The lines that are JSON objects: a panic is not, nor is a line that is still written."""
    for line in lines:
        try:
            said: object = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(said, dict):
            yield cast("dict[str, Any]", said)


def _about(said: list[dict[str, Any]], message: str) -> Iterator[dict[str, Any]]:
    return (one for one in said if one.get("message") == message)


def _listed(said: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", said.get(key) or [])


def _name(said: dict[str, Any], kind: str) -> str:
    return said.get(kind, {}).get("name", "")


def _at(said: dict[str, Any]) -> float:
    return datetime.fromisoformat(said["time"]).timestamp()


def _count(instance_types: str) -> int:
    """Of `c6a.xlarge, c5.xlarge and 19 other(s)`: 21."""
    found = MORE.match(instance_types)
    listed = found["listed"] if found else instance_types
    names = [name for name in listed.split(", ") if name]
    return len(names) + (int(found["more"]) if found else 0)
