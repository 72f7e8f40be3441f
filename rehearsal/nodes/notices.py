"""What EC2 has announced to its instances, between who plays EC2 and the played metadata."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rehearsal.state import State

Scheduled = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Notices:
    """As instance metadata tells them; None and nothing where there is none."""

    spot_action: dict[str, str] | None = None
    rebalance: dict[str, str] | None = None
    scheduled: tuple[Scheduled, ...] = ()


def read(state: State, instance_id: str) -> Notices:
    """What an instance was told so far."""
    try:
        told: dict[str, Any] = json.loads(_file(state, instance_id).read_text())
    except FileNotFoundError:
        return Notices()
    told["scheduled"] = tuple(told["scheduled"])
    return Notices(**told)


def write(state: State, instance_id: str, notices: Notices) -> None:
    """Tell an instance; it holds from the next look on."""
    written = _file(state, instance_id).with_suffix(".new")
    written.parent.mkdir(exist_ok=True)
    written.write_text(json.dumps(asdict(notices)))
    # A reader sees the whole of it or nothing.
    written.rename(_file(state, instance_id))


def _file(state: State, instance_id: str) -> Path:
    return state.path / "notices" / f"{instance_id}.json"
