"""Assembles the comment: risks, then cost, then all changes, folded."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import block, clipped, code, counted, folded, size, visible
from frugal_eks.plans.review import secrets
from frugal_eks.plans.review.changes import Changes
from frugal_eks.plans.review.risk import Concern, Risk, changed, is_reviewed
from frugal_eks.plans.review.risks import risks
from frugal_eks.plans.review.room import fitting

LIMIT = 65_536
"""Maximum characters of a comment: https://github.com/orgs/community/discussions/27190."""
RISKS, COST, WARNINGS = 24_000, 12_000, 3_000
"""Maximum characters of these sections; the section of all changes has the rest."""
_WARNING = 300
_ORDER = ("replace", "delete", "update", "import", "create")


class Costs(Protocol):
    """Cost of a change, as Markdown."""

    def markdown(self, max_chars: int) -> str:
        """A table with its assumptions, of at most `max_chars` characters."""
        ...


def marker(preview: Preview) -> str:
    """First line of the comment, which identifies it in later runs."""
    # Pulumi allows no other signs in names; a comment of HTML could be ended by some.
    project, stack = (
        re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:100] for name in _names(preview)
    )
    return f"<!-- frugal-eks review: {project}/{stack} -->"


def comment(preview: Preview, *, source: str = "", costs: Costs | None = None) -> str:
    """The comment as Markdown of at most LIMIT characters. `source` says where the preview was
    made.
    """
    findings = risks(preview)
    parts = [_head(preview, source, findings), *_risks(findings)]
    if costs:
        parts.append(f"#### Cost\n\n{costs.markdown(COST).strip()}")
    warned = _warnings(preview)
    # Line breaks between the parts are part of them.
    room = LIMIT - sum(size(part) + 2 for part in [*parts, *warned])
    parts += Changes(list(changed(preview)), preview).markdown(room)
    return "\n\n".join([*parts, *warned]) + "\n"


def tally(changes: Iterable[Change]) -> str:
    """Counts by operation, such as `1 to replace, 2 to update`."""
    count = Counter(change.operation for change in changes)
    return ", ".join(f"{count[name]:,} to {name}" for name in _ORDER if count[name])


def _names(preview: Preview) -> tuple[str, str]:
    return preview.project, preview.stack


def _head(preview: Preview, source: str, findings: Sequence[Risk]) -> str:
    same = sum(change.operation == "same" and is_reviewed(change) for change in preview.changes)
    counts = tally(changed(preview))
    unchanged = f", {same:,} unchanged" if same else ""
    if not preview.is_whole:
        unchanged = ", those unchanged are not told (no `--show-sames`)"
    lines = [
        marker(preview),
        f"### {code(preview.stack)} of {code(preview.project)}: {counts or 'nothing changes'}",
        "",
        f"{counted(len(findings), 'finding') if findings else 'No finding'} for a human{unchanged}."
        + (f" Made by {code(source, 200)}." if source else ""),
    ]
    return "\n".join(lines)


def _risks(findings: Sequence[Risk]) -> list[str]:
    by_concern = [
        (concern, [risk for risk in findings if risk.concern is concern]) for concern in Concern
    ]
    present = [(concern, many) for concern, many in by_concern if many]
    parts: list[str] = []
    room = RISKS
    for i, (concern, many) in enumerate(present):
        # What one concern leaves, the next ones have.
        title = f"#### {concern.value}\n"
        share = room // (len(present) - i) - size(title) - 2
        lines = fitting(
            [f"- {risk}" for risk in many], share, lambda left: f"- … and {left:,} more like these"
        )
        parts.append("\n".join([title, *lines]))
        room -= size(parts[-1]) + 2
    return parts


def _warnings(preview: Preview) -> list[str]:
    texts = [
        secrets.in_text(" ".join(message.message.split()).removeprefix("warning: "))
        for message in preview.messages
        if message.severity == "warning"
    ]
    lines = [clipped(visible(text), _WARNING) for text in dict.fromkeys(texts) if text]
    if not lines:
        return []
    kept = fitting(lines, WARNINGS, lambda left: f"… and {left:,} more")
    return [folded(f"Warnings: {len(lines):,}", block(kept))]
