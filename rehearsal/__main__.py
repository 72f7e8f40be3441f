"""Tries a stack on this machine, without an AWS account: the real Pulumi engine, a real Kubernetes
control plane and the real Karpenter, with AWS played.

  python -m rehearsal run              the whole of it: start, up, load, preview, destroy, stop
  python -m rehearsal start            or step by step: what `up` needs
  python -m rehearsal up               as often as you like, after changes to the stack file
  python -m rehearsal scale 3 10 0     load for Karpenter
  python -m rehearsal interrupt        a spot node's two minutes, and where its pods go
  python -m rehearsal destroy          and what is left
  python -m rehearsal stop             ends all that `start` began
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rehearsal import report
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import EngineError
from rehearsal.errors import RehearsalError
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.spot_commands import not_run
from rehearsal.scenario import REPLICAS
from rehearsal.state import DEFAULT

FAILED, INTERRUPTED = 1, 130
ANNOUNCED = {
    Kind.SPOT: "the two-minute warning of a spot interruption (so without an option)",
    Kind.REBALANCE: "a rebalance recommendation: spot may be interrupted soon",
    Kind.MAINTENANCE: "retirement by AWS Health; with a name also of an on-demand node",
}
LOG_WIDTH = 160
"""Columns where no terminal says how wide it is."""


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all is well. 1: something failed, or was left behind. 130: Ctrl-C."""
    chosen = _parser().parse_args(arguments)
    out = Console()
    console = out if out.is_terminal else Console(width=LOG_WIDTH, soft_wrap=True)
    errors = Console(stderr=True, soft_wrap=True)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        options = Options(
            state=chosen.state,
            stack=chosen.stack,
            stack_file=chosen.stack_file,
            eks=chosen.eks,
            charts=chosen.charts,
        )
        chosen.command(Rehearsal(options, console), chosen)
    except RehearsalError as error:
        errors.print(escape(str(error)), style="red", highlight=False)
        interrupted = isinstance(error, EngineError) and error.outcome.interrupted
        return INTERRUPTED if interrupted else FAILED
    except KeyboardInterrupt:
        errors.print("Interrupted. `python -m rehearsal stop` ends what still runs.")
        return INTERRUPTED
    return 0


def _run(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    """All steps, and stop whatever happens, unless it was asked to keep all running."""
    if rehearsal.state.started:
        raise RehearsalError(
            f"A rehearsal runs already in {rehearsal.state.path}: `python -m rehearsal stop` "
            "ends it; `up`, `scale` and `destroy` go on with it."
        )
    steps = _Steps(rehearsal.console)
    try:
        _run_steps(rehearsal, steps, scenario=chosen.scenario)
    finally:
        if chosen.keep:
            rehearsal.console.print("Left running: `python -m rehearsal stop` ends it.")
        else:
            steps.do("stop", rehearsal.stop)
        steps.sum_up()
    report.print_not_checked(rehearsal.console, not_run(rehearsal.stack_file))


def _run_steps(rehearsal: Rehearsal, steps: "_Steps", *, scenario: bool) -> None:
    steps.do("start", rehearsal.start)
    steps.do("up", rehearsal.up)
    if scenario and rehearsal.has_workload():
        steps.do("scale", rehearsal.scale)
    if scenario and rehearsal.stack_file.has_spot_groups:
        steps.do("samples", lambda: rehearsal.spot().samples())
        steps.do("resize", rehearsal.resize)
        if rehearsal.stack_file.has_termination_handler:
            steps.do("interrupt", lambda: rehearsal.spot().interrupt())
            steps.do("storm", lambda: rehearsal.spot().storm())
    steps.do("preview", lambda: rehearsal.preview(expect_no_changes=True))
    steps.do("destroy", rehearsal.destroy)


class _Steps:
    """The steps of `run` with the seconds that each took."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.taken: list[tuple[str, float, bool]] = []

    def do(self, name: str, step: Callable[[], object]) -> None:
        """Headed by its name; an error passes through."""
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


def _interrupt_nodes(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    if chosen.all_spot:
        rehearsal.spot().storm()
    else:
        rehearsal.spot().interrupt(chosen.node, chosen.kind)


def _stop(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    ended = rehearsal.stop()
    rehearsal.console.print(f"Ended: {', '.join(ended)}." if ended else "Nothing was running.")
    if chosen.wipe:
        rehearsal.wipe()


def _parser() -> argparse.ArgumentParser:
    description, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m rehearsal",
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, help: str, command: Callable[[Rehearsal, argparse.Namespace], object]
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
        added.set_defaults(command=command)
        _common(added, name)
        return added

    run = add("run", "the whole rehearsal of a stack, from nothing to nothing", _run)
    run.add_argument(
        "--no-scenario",
        dest="scenario",
        action="store_false",
        help="leave out scaling and interruptions",
    )
    run.add_argument(
        "--keep", action="store_true", help="leave the control plane running, for a look"
    )
    add("start", "start the control plane, the played AWS and the nodes", lambda r, _: r.start())
    add("up", "run pulumi up, then show resources, pods, pools and nodes", lambda r, _: r.up())
    preview = add(
        "preview", "run pulumi preview", lambda r, c: r.preview(expect_no_changes=c.empty)
    )
    preview.add_argument(
        "--expect-no-changes", dest="empty", action="store_true", help="fail if there are any"
    )
    scale = add(
        "scale",
        "scale a workload of the stack, waiting for Karpenter each time",
        lambda r, c: r.scale(c.replicas or REPLICAS, c.workload),
    )
    scale.add_argument(
        "replicas",
        nargs="*",
        type=_count,
        help=f"one number after the other ({' '.join(map(str, REPLICAS))})",
    )
    scale.add_argument("--workload", metavar="NAME", help="a Deployment of the stack (the first)")
    interrupt = add(
        "interrupt",
        "announce the end of a node and watch it being drained",
        _interrupt_nodes,
    )
    interrupt.add_argument("node", nargs="?", help="its name or instance id (the fullest on spot)")
    which = interrupt.add_mutually_exclusive_group()
    for kind, told in ANNOUNCED.items():
        which.add_argument(
            f"--{kind}", dest="kind", action="store_const", const=kind, default=Kind.SPOT, help=told
        )
    which.add_argument("--all-spot", action="store_true", help="every spot node within a minute")
    add(
        "groups",
        "show Auto Scaling groups as the Cluster Autoscaler would see them",
        lambda r, _: r.groups(),
    )
    add("nodes", "show all nodes with their prices", lambda r, _: r.nodes())
    add("pools", "show Karpenter's pools and node classes, Ready or not", lambda r, _: r.pools())
    add("destroy", "run pulumi destroy, then show what is left", lambda r, _: r.destroy())
    record = add(
        "record",
        "write the stack's state to a file, for tests of later releases",
        lambda r, c: r.record(c.file),
    )
    record.add_argument("file", type=Path, help="tests/data/states/RELEASE-STACK.json")
    stop = add("stop", "end everything that was started", _stop)
    stop.add_argument("--wipe", action="store_true", help="empty the state folder, logs too")
    return parser


def _common(parser: argparse.ArgumentParser, command: str) -> None:
    parser.add_argument(
        "--state",
        type=Path,
        default=DEFAULT,
        metavar="DIR",
        help="where all that a rehearsal writes lies (.rehearsal in the checkout)",
    )
    which = "the stack of stacks/Pulumi.STACK.yaml (as started, else nodeless)"
    if command == "run":
        parser.add_argument("stack", nargs="?", metavar="STACK", help=which)
    else:
        parser.add_argument("--stack", metavar="STACK", help=which)
    parser.add_argument(
        "--stack-file", type=Path, metavar="FILE", help="a stack file that lies elsewhere"
    )
    parser.add_argument(
        "--eks",
        choices=("auto", "real", "stand-in"),
        default="auto",
        help="the eks plugin: the real one, what plays it, or (auto) the real one if installed",
    )
    parser.add_argument(
        "--charts",
        choices=("auto", "real", "stand-in"),
        default="auto",
        help="Helm charts: upstream's from their repositories or the stack file's own chartMirror, "
        "or (stand-in, and auto) those of the rehearsal; choose real where they can be reached",
    )


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number of pods is 0 or more, not {text}")
    return int(text)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
