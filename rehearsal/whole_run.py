"""Runs `frugal-eks rehearse run`: every step, from nothing to nothing, with its duration."""

import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from rehearsal import report
from rehearsal.commands import Rehearsal
from rehearsal.errors import RehearsalError
from rehearsal.interruptions.spot_commands import not_run
from rehearsal.karpenter_commands import has_session, has_workload


def run(rehearsal: Rehearsal, *, scenario: bool, keep: bool) -> None:
    """All steps, and stop whatever happens, unless it was asked to keep all running.

    Raises RehearsalError if one runs already, and what the first step that fails raises.
    """
    if rehearsal.state.started:
        raise RehearsalError(
            f"A rehearsal runs already in {rehearsal.state.path}: `./frugal-eks rehearse stop` "
            "ends it; `up`, `scale` and `destroy` go on with it."
        )
    steps = _Steps(rehearsal.console)
    try:
        _run_steps(rehearsal, steps, scenario=scenario)
    finally:
        if keep:
            rehearsal.console.print("Left running: `./frugal-eks rehearse stop` ends it.")
        else:
            steps.do("stop", rehearsal.stop)
        steps.sum_up()
    report.print_not_checked(rehearsal.console, not_run(rehearsal.stack_file))


def _run_steps(rehearsal: Rehearsal, steps: "_Steps", *, scenario: bool) -> None:
    steps.do("start", rehearsal.start)
    steps.do("up", rehearsal.up)
    file = rehearsal.stack_file
    if scenario and has_session(file):
        steps.do("replay", rehearsal.replay)
    elif scenario and has_workload(file):
        steps.do("scale", rehearsal.scale)
    if scenario and file.has_spot_groups:
        steps.do("samples", lambda: rehearsal.spot().samples())
        steps.do("resize", rehearsal.resize)
        if file.has_termination_handler:
            steps.do("interrupt", lambda: rehearsal.spot().interrupt())
            steps.do("storm", lambda: rehearsal.spot().storm())
    steps.do("preview", lambda: rehearsal.preview(expect_no_changes=True))
    steps.do("destroy", rehearsal.destroy)


class _Steps:
    """Steps of `run` with their durations in seconds."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.taken: list[tuple[str, float, bool]] = []

    def do(self, name: str, step: Callable[[], object]) -> None:
        """Runs a step under its name as heading; an error passes through."""
        self.console.rule(name, align="left")
        began = time.monotonic()
        well = False
        try:
            step()
            well = True
        finally:
            self.taken.append((name, time.monotonic() - began, well))

    def sum_up(self) -> None:
        table = Table("step", "seconds", "", title="Steps")
        for name, seconds, well in self.taken:
            table.add_row(name, f"{seconds:.1f}", "well" if well else "FAILED")
        table.add_section()
        table.add_row("together", f"{sum(seconds for _, seconds, _ in self.taken):.1f}", "")
        self.console.print(table)
