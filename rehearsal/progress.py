"""Shows that a long operation is alive: a moving line in a terminal, plain lines elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from rehearsal.engine_events import EngineStep, Message, Record

QUIET_SECONDS = 15.0
"""Without a terminal a line says at least this often what is being waited for."""

SHOWN_WAITS = 5
"""Number of concurrent steps that are shown; others are only counted."""

PAST = {
    "create": "created",
    "create-replacement": "created in place of the old",
    "delete": "deleted",
    "delete-replaced": "deleted after its replacement",
    "discard": "forgotten",
    "import": "imported",
    "read": "read",
    "refresh": "refreshed",
    "replace": "replaced",
    "update": "updated",
}


class EngineProgress:
    """Progress of an engine's operation, for one console."""

    def __init__(self, console: Console, title: str, record: Record) -> None:
        self.console, self.title, self.record = console, title, record
        self.last_line = self.began = time.monotonic()
        self.live = (
            Live(console=console, get_renderable=self._moving, transient=True, refresh_per_second=4)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> "EngineProgress":
        if self.live:
            self.live.start()
        else:
            self.console.print(f"{self.title} …", markup=False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live:
            self.live.stop()

    def ended(self, step: EngineStep) -> None:
        """Prints a line for a finished step, unless it was a no-op or only planned."""
        if self.record.previewing or not step.custom or step.op in {"same", "replace"}:
            return
        self.last_line = time.monotonic()
        what = "failed to " + step.op if step.failed else PAST.get(step.op, step.op)
        line = f"{self._count()} {what} {kind(step.type)} {step.name} ({step.seconds:.1f} s)"
        self.console.print(escape(line), style="red" if step.failed else None, highlight=False)

    def said(self, message: Message) -> None:
        """Prints a message or warning of a program or a provider; errors come at the end."""
        style = "yellow" if message.severity == "warning" else None
        self.console.print(escape(message.text), style=style, highlight=False)

    def tick(self) -> None:
        """Updates the display; call it about every second, so that a log without a terminal shows
        life.
        """
        if self.live or time.monotonic() - self.last_line < QUIET_SECONDS:
            return
        self.last_line = time.monotonic()
        self.console.print(escape(f"{self._count()} {self._waits()}"), highlight=False)

    def _count(self) -> str:
        if self.record.previewing:
            return f"[{self._elapsed()}]"
        total = self.record.planned
        return f"[{self._elapsed()}] {self.record.done():>3}/{max(total, self.record.done())}"

    def _elapsed(self) -> str:
        return f"{time.monotonic() - self.began:4.0f} s"

    def _waits(self) -> str:
        waits = self.record.waiting()
        if not waits:
            return "previewing" if self.record.previewing else "the program runs"
        texts = [
            f"{kind(step.type)} {step.name} ({seconds:.0f} s)"
            for step, seconds in waits[:SHOWN_WAITS]
        ]
        more = len(waits) - len(texts)
        return "waiting for " + ", ".join(texts) + (f" and {more} more" if more else "")

    def _moving(self) -> RenderableType:
        head = Text(f"{self.title} {self._count()}", style="bold")
        return Group(head, Text("  " + self._waits(), style="dim"))


def kind(type_token: str) -> str:
    """Short type token: `aws:ec2/Vpc` for `aws:ec2/vpc:Vpc`."""
    package, _, rest = type_token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{package}:{module.split('/')[0]}/{name}" if module else type_token


def wait_for(
    console: Console,
    title: str,
    look: Callable[[], tuple[bool, str]],
    *,
    timeout: float,
    every: float = 1.0,
) -> float:
    """Call `look` until its first value is true, showing its second; return the seconds it took.

    Raises TimeoutError with the last thing seen.
    """
    began = last_line = time.monotonic()
    said = ""
    with console.status(escape(title)) as status:
        while True:
            finished, seen = look()
            now = time.monotonic()
            if finished:
                return now - began
            if now - began > timeout:
                raise TimeoutError(f"{title}: not so after {timeout:.0f} s ({seen})")
            status.update(escape(f"{title}: {seen} ({now - began:.0f} s)"))
            if not console.is_terminal and (seen != said or now - last_line > QUIET_SECONDS):
                console.print(escape(f"[{now - began:4.0f} s] {title}: {seen}"), highlight=False)
                said, last_line = seen, now
            time.sleep(every)
