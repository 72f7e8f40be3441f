"""Selects the previews of a run that have something to approve."""

from collections.abc import Iterable, Mapping
from pathlib import Path

NOTHING = "nothing"
"""Content in place of a digest if the preview has no change."""


def changed(folder: Path, jobs: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Jobs whose preview has something to approve: `plan-STACK/approval` holds a digest.
    A job without that file has failed, and is not approved.
    """
    return [
        {"stack": job["stack"], "region": job["region"]}
        for job in jobs
        if _digest(folder / f"plan-{job['stack']}" / "approval") not in {NOTHING, ""}
    ]


def _digest(file: Path) -> str:
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""
