"""Shows that a build is alive: how much is compiled and how long it has taken."""

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TextIO

from rehearsal.toolchain.families import Family

QUIET_SECONDS = 15.0
"""Seconds between lines without a terminal."""


@dataclass(frozen=True, kw_only=True)
class BuildStep:
    """Progress of building one tool."""

    tool: str
    minutes: float
    """Approximate minutes to build its family if nothing is cached."""
    total: int = 0
    """Number of packages; 0 while that is not known."""
    compiled: int = 0
    """Packages compiled now: with a warm build cache far fewer than the total."""
    downloaded: int = 0

    def after(self, line: str) -> "BuildStep":
        """Step after a line of go's output: a package's name, or `go: downloading …`."""
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
    """Reports of a builder at work."""

    def plan(self, families: Sequence[Family]) -> None:
        """Reports the families that are going to be built."""
        ...

    def show(self, step: BuildStep, seconds: float) -> None:
        """Reports a step, at least each second while a tool is built."""
        ...

    def done(self, step: BuildStep, seconds: float) -> None:
        """Reports that a tool is built."""
        ...

    def say(self, text: str) -> None:
        """Prints a line."""
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

    def show(self, step: BuildStep, seconds: float) -> None:
        line = f"{step.tool}: {step}, {seconds:.0f} s"
        if self.out.isatty():
            self.out.write("\r" + line.ljust(self.width)[: _columns()])
            self.out.flush()
            self.width = len(line)
        elif time.monotonic() - self.shown > QUIET_SECONDS:
            self.shown = time.monotonic()
            self.out.write(line + "\n")
            self.out.flush()

    def done(self, step: BuildStep, seconds: float) -> None:
        self.say(f"{step.tool}: built in {seconds:.0f} s, {step.compiled} packages compiled")

    def say(self, text: str) -> None:
        if self.width:
            self.out.write("\r" + " " * min(self.width, _columns()) + "\r")
            self.width = 0
        self.out.write(text + "\n")
        self.out.flush()


def _columns() -> int:
    return shutil.get_terminal_size().columns
