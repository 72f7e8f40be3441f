"""Stores EC2's announcements to instances, for the played metadata."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rehearsal.state import State

Scheduled = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Notices:
    """Announcements in instance metadata; None and empty if there are none."""

    spot_action: dict[str, str] | None = None
    rebalance: dict[str, str] | None = None
    scheduled: tuple[Scheduled, ...] = ()


def read(state: State, instance_id: str) -> Notices:
    """Announcements to an instance so far."""
    try:
        content: dict[str, Any] = json.loads(_file(state, instance_id).read_text())
    except FileNotFoundError:
        return Notices()
    content["scheduled"] = tuple(content["scheduled"])
    return Notices(**content)


def write(state: State, instance_id: str, notices: Notices) -> None:
    """Writes announcements to an instance, visible at the next look."""
    written = _file(state, instance_id).with_suffix(".new")
    written.parent.mkdir(exist_ok=True)
    written.write_text(json.dumps(asdict(notices)))
    # A reader sees the whole of it or nothing.
    written.rename(_file(state, instance_id))


def _file(state: State, instance_id: str) -> Path:
    return state.path / "notices" / f"{instance_id}.json"
