"""Lists what a preview would change, and what of it replaces running nodes."""

from components.karpenter import drift
from rehearsal.engine import Outcome
from rehearsal.engine_events import EngineStep


def lines(outcome: Outcome) -> list[str]:
    """A line for each change, then their count."""
    changes = [] if outcome.is_empty else [_line(step) for step in outcome.steps if _counts(step)]
    counts = ", ".join(f"{count} {op}" for op, count in outcome.changes.items())
    return [*changes, f"Preview: {counts or 'nothing'}."]


def _counts(step: EngineStep) -> bool:
    return step.op not in {"same", "read"}


def _line(step: EngineStep) -> str:
    line = f"  {step.op} {step.type} {step.name} {', '.join(step.changed)}".rstrip()
    rolls = drift.rolling(step.type, step.changed) if step.op == "update" else ""
    return f"{line}: {rolls}" if rolls else line
