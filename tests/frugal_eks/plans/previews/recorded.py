"""Recorded previews: what the engine printed, made small, and without the machine it ran on.

.venv/bin/python -m tests.frugal_eks.plans.previews.recorded preview.json nodeless-change
"""

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / "data" / "previews"
NAMES = [
    f"{stack}-{what}"
    for stack in ("nodeless", "spot", "consolidation")
    for what in ("create", "change", "same")
]
# What no reader of a preview looks at: places in the source, times.
_DROPPED = ("sourcePosition", "stackTrace", "created", "modified", "propertyDependencies")
_CHARTS = re.compile(r'(\\?")/[^"\\]*/charts(?=[/"\\])')
"""The rehearsal's folder of charts, as a value of its own or within JSON text."""


def text(name: str) -> str:
    """What `pulumi preview --json --show-sames` printed."""
    return gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()).decode()


def shrunk(told: str) -> dict[str, Any]:
    """The same preview, with what the rehearsal and this machine left in it taken out."""
    whole = json.loads(_CHARTS.sub(r"\1charts", told))
    for step in whole["steps"]:
        for side in ("oldState", "newState"):
            state = step.get(side) or {}
            for key in _DROPPED:
                state.pop(key, None)
            if step["op"] == "same":
                state.pop("outputs", None)
    # Which plugins are installed is the machine's.
    whole["diagnostics"] = [
        one for one in whole["diagnostics"] if "resource plugin" not in one["message"]
    ]
    return whole


def main(file: str, name: str) -> None:
    """Read a preview, and write it among the recorded ones."""
    small = json.dumps(shrunk(Path(file).read_text()), separators=(",", ":"))
    FOLDER.joinpath(f"{name}.json.gz").write_bytes(gzip.compress(small.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
