"""Shows that a build is alive: how much is compiled and how long it has taken."""

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TextIO

from rehearsal.toolchain.families import Family

QUIET_SECONDS = 15.0
"""Without a terminal a line comes about this often."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """How far the build of one tool is."""

    tool: str
    minutes: float
    """About how long its family takes if nothing is cached."""
    total: int = 0
    """Packages that it is made of; 0 while that is not known."""
    compiled: int = 0
    """Packages compiled just now: with a warm build cache that stays far below the total."""
    downloaded: int = 0

    def after(self, line: str) -> "Step":
        """The step once go has said this line: a package's name, or `go: downloading …`."""
        if line.startswith("go: downloading "):
            return replace(self, downloaded=self.downloaded + 1)
        if line.startswith(("go: ", "#", " ", "\t")):
            return self
        return replace(self, compiled=self.compiled + 1)

    def __str__(self) -> str:
        if not self.total:
            got = f", {self.downloaded} modules downloaded" if self.downloaded else ""
            return f"looking at its modules{got}"
        if not self.compiled:
            return f"{self.total} packages, none to compile yet"
        return f"{self.compiled} packages compiled (of at most {self.total})"


class Progress(Protocol):
    """What a builder tells while it works."""

    def plan(self, families: Sequence[Family]) -> None:
        """Which families are going to be built."""
        ...

    def show(self, step: Step, seconds: float) -> None:
        """At least each second while a tool is built."""
        ...

    def done(self, step: Step, seconds: float) -> None:
        """A tool is built."""
        ...

    def say(self, text: str) -> None:
        """Something worth a line of its own."""
        ...


class LineProgress:
    """One moving line in a terminal, a line about every 15 seconds elsewhere."""

    def __init__(self, out: TextIO | None = None) -> None:
        self.out = out or sys.stderr
        self.shown = 0.0
        self.width = 0

    def plan(self, families: Sequence[Family]) -> None:
        if families:
            minutes = sum(family.minutes for family in families)
            names = ", ".join(family.name for family in families)
            self.say(
                f"building {names}: once per machine, up to {minutes:.0f} minutes on 2 cores; "
                "Ctrl-C breaks off and loses little"
            )

    def show(self, step: Step, seconds: float) -> None:
        line = f"{step.tool}: {step}, {seconds:.0f} s"
        if self.out.isatty():
            self.out.write("\r" + line.ljust(self.width)[: _columns()])
            self.out.flush()
            self.width = len(line)
        elif time.monotonic() - self.shown > QUIET_SECONDS:
            self.shown = time.monotonic()
            self.out.write(line + "\n")
            self.out.flush()

    def done(self, step: Step, seconds: float) -> None:
        self.say(f"{step.tool}: built in {seconds:.0f} s, {step.compiled} packages compiled")

    def say(self, text: str) -> None:
        if self.width:
            self.out.write("\r" + " " * min(self.width, _columns()) + "\r")
            self.width = 0
        self.out.write(text + "\n")
        self.out.flush()


def _columns() -> int:
    return shutil.get_terminal_size().columns
