"""Shows what was found, what is awaited, and what is left."""

import time
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from frugal_eks.sweep.things import Fate, Finding, Kind

QUIET_SECONDS = 15.0
"""Without a terminal, seconds between lines about waiting."""
SHOWN_WAITS = 3
"""Number of awaited things that are shown; others are only counted."""
STYLES = {Fate.REMOVE: None, Fate.KEEP: "yellow", Fate.NOT_OURS: "dim"}


def findings_table(findings: Sequence[Finding], *, removing: bool) -> Table:
    """A row for each finding; `removing` is True if a removal follows."""
    title = "Removed in this order" if removing else "A dry run: nothing is changed"
    drawn = Table(title=title, show_lines=True)
    for column in ("kind", "id", "name", "found by", "it costs", "what happens"):
        drawn.add_column(column, overflow="fold")
    for finding in findings:
        thing = finding.thing
        row = (
            finding.kind.name,
            thing.id.rpartition(":")[2],
            thing.name,
            finding.by,
            thing.cost,
            _what_happens(finding, removing=removing),
        )
        drawn.add_row(*(escape(text) for text in row), style=STYLES[finding.fate])
    return drawn


def as_json(left: Sequence[Finding], problems: Sequence[str]) -> dict[str, object]:
    """What is left, and what could not be listed, for programs."""
    things = [
        {
            "kind": finding.kind.name,
            "id": finding.thing.id,
            "name": finding.thing.name,
            "foundBy": finding.by,
            "cost": finding.thing.cost,
            "fate": finding.fate.value,
        }
        for finding in left
    ]
    return {"left": things, "problems": list(problems)}


def left_lines(left: Sequence[Finding], reasons: Mapping[tuple[str, str], str]) -> list[str]:
    """A sentence for each thing that is left after a removal, with the reason."""
    return [
        f"{finding} is left: "
        f"{finding.why_not or reasons.get(finding.key) or finding.thing.busy or 'it is new'}"
        for finding in left
    ]


class Progress:
    """Shows removals and waiting: a moving line in a terminal, plain lines elsewhere."""

    def __init__(self, console: Console, status: Status) -> None:
        self.console, self.status = console, status
        self._began = self._last_line = time.monotonic()

    def removed(self, finding: Finding) -> None:
        """Prints a line for a removed finding."""
        self._line(f"removed {finding}")

    def waiting(self, kind: Kind, reasons: Mapping[str, str]) -> None:
        """Updates the moving line, or now and then prints a plain one."""
        shown = [f"{id.rpartition(':')[2]} ({why})" for id, why in reasons.items()][:SHOWN_WAITS]
        more = len(reasons) - len(shown)
        text = f"waiting for {len(reasons)} x {kind.name}: {', '.join(shown)}"
        text += f" and {more} more" if more else ""
        self.status.update(escape(text))
        if not self.console.is_terminal and time.monotonic() - self._last_line > QUIET_SECONDS:
            self._line(text)

    def _line(self, text: str) -> None:
        self._last_line = time.monotonic()
        seconds = self._last_line - self._began
        self.console.print(escape(f"[{seconds:4.0f} s] {text}"), highlight=False, soft_wrap=True)


def _what_happens(finding: Finding, *, removing: bool) -> str:
    if finding.fate is Fate.NOT_OURS:
        return f"not touched, {finding.why_not}"
    if finding.fate is Fate.KEEP:
        return f"kept, {finding.why_not}"
    what = "removed" if removing else "removed with --yes"
    return f"{what}, once it is free: {finding.thing.busy}" if finding.thing.busy else what
