"""Comment for a preview that failed, in place of its review."""

import json
import re
from pathlib import Path
from typing import Any, cast

LONGEST = 20_000
"""Maximum characters of the quoted output; the job's log has the rest."""
LOG_LINES = 60


def failure(*, project: str, stack: str, source: str, preview: Path, log: Path) -> str:
    """Markdown with the marker of this stack's review, so that it replaces that comment."""
    output = (_diagnostics(preview) or _last_lines(log) or "(nothing was said)")[:LONGEST]
    # Longer than any run of backticks in it: nothing gets out of the fence.
    fence = "`" * max(3, 1 + max(map(len, _runs(output)), default=0))
    return (
        f"<!-- frugal-eks review: {project}/{stack} -->\n"
        f"## `{stack}`: the preview failed\n\n"
        f"{source}\n\n{fence}text\n{output}\n{fence}\n\n"
        "The whole log is in the job's own.\n"
    )


def _diagnostics(preview: Path) -> str:
    """Errors in the engine's JSON; empty if the JSON is not whole."""
    try:
        content: object = json.loads(preview.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    if not isinstance(content, dict):
        return ""
    messages = cast("dict[str, Any]", content).get("diagnostics") or ()
    return "\n".join(
        message["message"].strip() for message in messages if message["severity"] == "error"
    )


def _last_lines(log: Path) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.strip().splitlines()[-LOG_LINES:])


def _runs(text: str) -> list[str]:
    return re.findall("`+", text)
