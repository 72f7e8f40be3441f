"""What a preview would change, and which of it replaces nodes that run."""

from components.karpenter import drift
from rehearsal.engine import Outcome
from rehearsal.engine_events import Step


def lines(outcome: Outcome) -> list[str]:
    """One line a change, then their count."""
    changes = [] if outcome.is_empty else [_line(one) for one in outcome.steps if _counts(one)]
    counts = ", ".join(f"{count} {op}" for op, count in outcome.changes.items())
    return [*changes, f"Preview: {counts or 'nothing'}."]


def _counts(step: Step) -> bool:
    return step.op not in {"same", "read"}


def _line(step: Step) -> str:
    told = f"  {step.op} {step.type} {step.name} {', '.join(step.changed)}".rstrip()
    rolls = drift.rolling(step.type, step.changed) if step.op == "update" else ""
    return f"{told}: {rolls}" if rolls else told
