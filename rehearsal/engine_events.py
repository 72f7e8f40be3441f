"""Reads the Pulumi engine's event stream (`--json`) as steps of one operation."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

MARKUP = re.compile(r"<\{%[^%]*%\}>")
QUIET = frozenset({"debug", "info#debug"})
KNOWN = re.compile(
    r"resource plugin kubernetes is expected to have version >=\S+, but has 4\.25\.0"
)
"""Harmless message: no newer Kubernetes provider can be built from modules, and nothing that a
stack uses differs.
"""

Severity = Literal["info", "warning", "error", "stderr"]
"""Severity of a message. stderr: what the program prints there, as Python does if the engine cuts a
run off.
"""


class Message(NamedTuple):
    """A message of the engine, a provider or the program. `urn` is "" if it concerns no
    resource.
    """

    severity: Severity
    urn: str
    text: str


@dataclass
class EngineStep:
    """One operation on one resource; times are seconds since the operation began."""

    op: str
    urn: str
    type: str
    custom: bool
    """False for a component, which has no operation of its own."""
    started: float
    finished: float | None = None
    failed: bool = False
    changed: tuple[str, ...] = ()
    """Paths that differ, from the provider's detailed diff."""

    @property
    def name(self) -> str:
        return self.urn.rpartition("::")[2]

    @property
    def seconds(self) -> float:
        return 0.0 if self.finished is None else self.finished - self.started


@dataclass
class Record:
    """Progress of one operation, preview and update apart, as the events come in.

    The engine previews before it updates: what the preview plans is the update's total.
    """

    previews_only: bool
    """True if the stream holds only a preview; otherwise a preview and then the update."""
    clock: Callable[[], float] = time.monotonic
    planned: int = 0
    """Number of changing steps that the preview before an update found."""
    steps: list[EngineStep] = field(default_factory=list[EngineStep])
    messages: list[Message] = field(default_factory=list[Message])
    changes: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.began = self.clock()
        self.previewing = True

    def read(self, line: str) -> EngineStep | Message | None:
        """Reads a line of the stream; returns the step that it ends, or a new message. Lines that
        are not JSON objects are ignored.
        """
        try:
            event: Any = json.loads(line)
        except json.JSONDecodeError:
            return None
        if not isinstance(event, dict):
            return None
        return self._take(event)  # pyright: ignore[reportUnknownArgumentType]

    def _take(self, event: dict[str, Any]) -> EngineStep | Message | None:
        if diagnostic := event.get("diagnosticEvent"):
            return self._note(diagnostic)
        if broken := event.get("policyEvent"):
            return self._judge(broken)
        if begun := event.get("resourcePreEvent"):
            self._begin(begun["metadata"])
        elif ended := event.get("resOutputsEvent"):
            return self._end(ended["metadata"], failed=False)
        elif ended := event.get("resOpFailedEvent"):
            return self._end(ended["metadata"], failed=True)
        elif summary := event.get("summaryEvent"):
            self._sum_up(summary)
        return None

    def waiting(self) -> list[tuple[EngineStep, float]]:
        """Resources being worked on with the seconds so far, the longest first."""
        now = self.clock() - self.began
        return [(step, now - step.started) for step in self.open_steps() if step.custom]

    def open_steps(self) -> list[EngineStep]:
        return [step for step in self.steps if step.finished is None]

    def done(self) -> int:
        return sum(step.finished is not None and step.op != "same" for step in self.steps)

    def _note(self, event: dict[str, Any]) -> Message | None:
        severity = str(event.get("severity", "info"))
        text = MARKUP.sub("", event.get("prefix", "") + event.get("message", "")).rstrip()
        if severity in QUIET or event.get("ephemeral") or not text or KNOWN.search(text):
            return None
        kind: Severity = "info"
        if severity == "info#err":
            kind = "stderr"
        elif severity in {"warning", "error"}:
            kind = cast(Severity, severity)
        message = Message(kind, event.get("urn", ""), text)
        if message in self.messages:  # the preview said it already
            return None
        self.messages.append(message)
        return message

    def _judge(self, event: dict[str, Any]) -> Message | None:
        """Handles a policy pack's result: an error fails the operation, a warning does not."""
        text = MARKUP.sub("", event["message"]).strip()
        severity = "error" if event.get("enforcementLevel") == "mandatory" else "warning"
        return self._note(
            {
                "severity": severity,
                "urn": event.get("resourceUrn", ""),
                "message": f"{event['policyName']}: {text}",
            }
        )

    def _begin(self, metadata: dict[str, Any]) -> None:
        resource: dict[str, Any] = metadata.get("new") or metadata.get("old") or {}
        self.steps.append(
            EngineStep(
                op=metadata["op"],
                urn=metadata["urn"],
                type=metadata["type"],
                custom=bool(resource.get("custom")),
                started=self.clock() - self.began,
                changed=tuple(metadata.get("detailedDiff") or metadata.get("diffs") or ()),
            )
        )

    def _end(self, metadata: dict[str, Any], *, failed: bool) -> EngineStep | None:
        for step in reversed(self.steps):
            if step.finished is None and (step.urn, step.op) == (metadata["urn"], metadata["op"]):
                step.finished, step.failed = self.clock() - self.began, failed
                return step
        return None

    def _sum_up(self, summary: dict[str, Any]) -> None:
        counts: dict[str, int] = summary.get("resourceChanges") or {}
        self.changes = {op: count for op, count in counts.items() if count}
        if summary.get("isPreview") and not self.previews_only:
            self.planned = sum(step.op != "same" for step in self.steps)
            self.previewing, self.steps, self.changes = False, [], {}
            self.began = self.clock()
