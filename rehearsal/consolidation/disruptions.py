"""Reads Karpenter's own log: which nodes it launches, replaces and removes."""

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
"""Format such as `Underutilized/83fa4c11-…: replace: nodepools=[default]: [a] -> [1 replacement]
(savings: $0.14)`; String() in pkg/controllers/disruption/types.go of karpenter 1.14.1.
"""
MORE = re.compile(r"^(?P<listed>.*) and (?P<more>\d+) other\(s\)$")

Decision = Literal["delete", "replace"]


@dataclass(frozen=True)
class Removed:
    """A node that a decision removes."""

    node: str
    claim: str
    instance_type: str
    capacity: str
    gone: float | None = None
    """Seconds since the epoch at which Karpenter has deleted it."""


@dataclass(frozen=True)
class Replacement:
    """A node that a decision launches instead."""

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
    """A decision of Karpenter about running nodes."""

    at: float
    """Seconds since the epoch."""
    decision: Decision
    reason: str
    """"underutilized", "empty" or "drifted"."""
    pods: int
    """Number of pods that have to move."""
    removed: tuple[Removed, ...]
    replacements: tuple[Replacement, ...]
    savings: float | None
    """Savings in USD an hour by Karpenter's calculation, to the cent; None if it does not say."""

    @property
    def replaced_first(self) -> bool:
        """True if each replacement was ready before the first of the old nodes was gone."""
        ready = [replacement.ready for replacement in self.replacements]
        gone = [node.gone for node in self.removed if node.gone is not None]
        return bool(ready) and all(
            moment is not None and moment <= min(gone, default=moment) for moment in ready
        )

    def __str__(self) -> str:
        """For example `replace a (c6a.2xlarge on-demand) by c6a.xlarge spot of 512 types:
        underutilized, saves 0.26 USD/h`."""
        which = ", ".join(
            f"{short(node.node)} ({node.instance_type} {node.capacity})" for node in self.removed
        )
        by = " and ".join(
            f"{new.instance_type or 'a node'} {new.capacity} of {new.offered} types"
            for new in self.replacements
        )
        saved = "" if self.savings is None else f", saves {self.savings:.2f} USD/h"
        return f"{self.decision} {which}{f' by {by}' * bool(by)}: {self.reason}{saved}"


def short(node: str) -> str:
    """A node's name without the domain, or without the suffix number of a played node."""
    return re.sub(r"-[a-z0-9]{10}-\d{5,}$", "", node.partition(".")[0])


class Log:
    """Log of one Karpenter from a moment on, across restarts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.begin = path.stat().st_size if path.exists() else 0

    def disruptions(self) -> list[Disruption]:
        """Decisions since then, with their results so far."""
        try:
            with self.path.open("rb") as log:
                log.seek(self.begin)
                lines = log.read().decode(errors="replace").splitlines()
        except FileNotFoundError:
            return []
        return disruptions(lines)


def disruptions(lines: Iterable[str]) -> list[Disruption]:
    """Decisions in the lines of Karpenter's log, in order."""
    said = list(_messages(lines))
    claims = _Claims(said)
    return [
        _disruption(line, claims) for line in said if line.get("message") == "disrupting node(s)"
    ]


class _Claims:
    """What the log says of each claim and node."""

    def __init__(self, said: list[dict[str, Any]]) -> None:
        self.launched = {
            _name(line, "NodeClaim"): line for line in _about(said, "launched nodeclaim")
        }
        self.ready = {
            _name(line, "NodeClaim"): line for line in _about(said, "initialized nodeclaim")
        }
        # In the pass that finds the node at once ready, the other line does not name it yet.
        self.nodes = {
            _name(line, "NodeClaim"): _name(line, "Node")
            for line in _about(said, "registered nodeclaim")
        }
        self.gone = {_name(line, "Node"): _at(line) for line in _about(said, "deleted node")}
        self.created: dict[str, list[str]] = {}
        for line in _about(said, "created nodeclaim"):
            self.created.setdefault(line.get("reconcileID", ""), []).append(
                _name(line, "NodeClaim")
            )

    def replacement(self, line: dict[str, Any], claim: str) -> Replacement:
        launched, ready = self.launched.get(claim, {}), self.ready.get(claim, {})
        return Replacement(
            offered=_count(line.get("instance-types", "")),
            capacity=launched.get("capacity-type") or line.get("capacity-type", ""),
            claim=claim,
            node=_name(ready, "Node") or self.nodes.get(claim, ""),
            instance_type=launched.get("instance-type", ""),
            zone=launched.get("zone", ""),
            launched=_at(launched) if launched else None,
            ready=_at(ready) if ready else None,
        )


def _disruption(said: dict[str, Any], claims: _Claims) -> Disruption:
    match = COMMAND.match(said["command"])
    savings = match["savings"] if match else None
    replacements, old = _listed(said, "replacement-nodes"), _listed(said, "disrupted-nodes")
    # Several decisions may come out of one pass, each followed by the claims that it makes.
    made = claims.created.get(said.get("reconcileID", ""), [])
    names = [*made[: len(replacements)], *[""] * (len(replacements) - len(made))]
    del made[: len(replacements)]
    return Disruption(
        at=_at(said),
        decision=said["decision"],
        reason=match["reason"].lower() if match else "unknown",
        pods=said.get("pod-count", 0),
        removed=tuple(
            Removed(
                node=_name(node, "Node"),
                claim=_name(node, "NodeClaim"),
                instance_type=node.get("instance-type", ""),
                capacity=node.get("capacity-type", ""),
                gone=claims.gone.get(_name(node, "Node")),
            )
            for node in old
        ),
        replacements=tuple(
            claims.replacement(line, name) for line, name in zip(replacements, names, strict=True)
        ),
        savings=None if savings is None else float(savings),
    )


def _messages(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Lines that are JSON objects; skips panics, and a line that is still being written."""
    for line in lines:
        try:
            said: object = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(said, dict):
            yield cast("dict[str, Any]", said)


def _about(said: list[dict[str, Any]], message: str) -> Iterator[dict[str, Any]]:
    return (line for line in said if line.get("message") == message)


def _listed(said: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", said.get(key) or [])


def _name(said: dict[str, Any], kind: str) -> str:
    return said.get(kind, {}).get("name", "")


def _at(said: dict[str, Any]) -> float:
    return datetime.fromisoformat(said["time"]).timestamp()


def _count(instance_types: str) -> int:
    """Number of types in `c6a.xlarge, c5.xlarge and 19 other(s)`: 21."""
    match = MORE.match(instance_types)
    listed = match["listed"] if match else instance_types
    names = [name for name in listed.split(", ") if name]
    return len(names) + (int(match["more"]) if match else 0)
