"""The comment of a preview that failed: what went wrong, where the reviewer looks for it."""

import json
import re
from pathlib import Path
from typing import Any, cast

LONGEST = 20_000
"""Characters of what is told; the rest is in the job's log."""
LOG_LINES = 60


def failure(*, project: str, stack: str, source: str, preview: Path, log: Path) -> str:
    """Markdown with the marker of this stack's review, so that it takes that one's place."""
    told = (_diagnostics(preview) or _last_lines(log) or "(nothing was said)")[:LONGEST]
    # Longer than any run of backticks in it: nothing gets out of the fence.
    fence = "`" * max(3, 1 + max(map(len, _runs(told)), default=0))
    return (
        f"<!-- frugal-eks review: {project}/{stack} -->\n"
        f"## `{stack}`: the preview failed\n\n"
        f"{source}\n\n{fence}text\n{told}\n{fence}\n\n"
        "The whole log is in the job's own.\n"
    )


def _diagnostics(preview: Path) -> str:
    """The errors that the engine wrote into its JSON; empty if there is no whole JSON."""
    try:
        found: object = json.loads(preview.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    if not isinstance(found, dict):
        return ""
    messages = cast("dict[str, Any]", found).get("diagnostics") or ()
    return "\n".join(one["message"].strip() for one in messages if one["severity"] == "error")


def _last_lines(log: Path) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.strip().splitlines()[-LOG_LINES:])


def _runs(text: str) -> list[str]:
    return re.findall("`+", text)
