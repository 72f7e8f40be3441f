"""Tries a stack on this machine, without an AWS account: the real Pulumi engine, a real Kubernetes
control plane and the real Karpenter, with AWS played.

  frugal-eks rehearse run              the whole of it: start, up, load, preview, destroy, stop
  frugal-eks rehearse start            or step by step: what `up` needs
  frugal-eks rehearse up               as often as you like, after changes to the stack file
  frugal-eks rehearse scale 3 10 0     load for Karpenter
  frugal-eks rehearse replay           a day's load, on-demand and then spot, and what it costs
  frugal-eks rehearse interrupt        a spot node's two minutes, and where its pods go
  frugal-eks rehearse destroy          and what is left
  frugal-eks rehearse stop             ends all that `start` began

The exit code is 1 if something failed, or was left behind.
"""

import argparse
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from rich.console import Console

from frugal_eks.arguments import STACK, add_output, page
from frugal_eks.errors import CommandError
from frugal_eks.inputs import stack_path
from rehearsal import whole_run
from rehearsal.commands import Options, Rehearsal
from rehearsal.errors import RehearsalError
from rehearsal.interruptions.announcements import Kind
from rehearsal.karpenter_commands import PICTURE
from rehearsal.scenario import REPLICAS
from rehearsal.state import DEFAULT

WIDTH = 160
"""Columns without a terminal."""
ANNOUNCED = {
    Kind.SPOT: "the two-minute warning of a spot interruption (so without an option)",
    Kind.REBALANCE: "a rebalance recommendation: spot may be interrupted soon",
    Kind.MAINTENANCE: "retirement by AWS Health; with a name also of an on-demand node",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands; each sets `command`, a function of the rehearsal."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, line: str, command: Callable[[Rehearsal, argparse.Namespace], object]
    ) -> argparse.ArgumentParser:
        added = page(commands, name, line)
        added.set_defaults(command=command)
        _common(added, name)
        return added

    whole = add("run", "the whole rehearsal of a stack, from nothing to nothing", _run)
    whole.add_argument(
        "--no-scenario",
        dest="scenario",
        action="store_false",
        help="leave out scaling and interruptions",
    )
    whole.add_argument(
        "--keep", action="store_true", help="leave the control plane running, for a look"
    )
    add("start", "start the control plane, the played AWS and the nodes", lambda r, _: r.start())
    add("up", "run pulumi up, then show resources, pods, pools and nodes", lambda r, _: r.up())
    preview = add("preview", "run pulumi preview", _preview)
    how = preview.add_mutually_exclusive_group()
    how.add_argument(
        "--expect-no-changes", dest="empty", action="store_true", help="fail if there are any"
    )
    how.add_argument(
        "--json",
        action="store_true",
        help="write what `pulumi preview --json` prints, for `frugal-eks review`",
    )
    add_output(preview, json=False)
    preview.add_argument(
        "--policy-pack",
        type=Path,
        metavar="DIR",
        help="fail if a mandatory rule of the pack is broken; ours is frugal_eks/plans/policy "
        "(`make policy` first)",
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
    replay = add(
        "replay",
        "play a day's load while pools go from on-demand to spot, and reckon what it costs",
        lambda r, c: r.replay(c.workload, c.picture),
    )
    replay.add_argument("--workload", metavar="NAME", help="a Deployment of the stack (the first)")
    replay.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help=f"where its SVG goes ({PICTURE} in the state folder)",
    )
    interrupt = add(
        "interrupt",
        "announce the end of a node and watch it being drained",
        _interrupt_nodes,
    )
    interrupt.add_argument("node", nargs="?", help="its name or instance id (the fullest on spot)")
    which = interrupt.add_mutually_exclusive_group()
    for kind, help_text in ANNOUNCED.items():
        which.add_argument(
            f"--{kind}",
            dest="kind",
            action="store_const",
            const=kind,
            default=Kind.SPOT,
            help=help_text,
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


def run(arguments: argparse.Namespace) -> int:
    """Runs the subcommand and returns 0. Raises CommandError if it failed, or left something
    behind.
    """
    stack, path = stack_path(arguments.stack) if arguments.stack else (None, None)
    options = Options(
        state=arguments.state,
        stack=stack,
        stack_file=path,
        eks=arguments.eks,
        charts=arguments.charts,
    )
    # Alone in its output is what programs read.
    out = Console(stderr=getattr(arguments, "json", False))
    console = out if out.is_terminal else Console(stderr=out.stderr, width=WIDTH, soft_wrap=True)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        arguments.command(Rehearsal(options, console), arguments)
    except RehearsalError as error:
        raise CommandError(str(error), code=error.code) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("`./frugal-eks rehearse stop` ends what still runs.") from None
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _common(parser: argparse.ArgumentParser, command: str) -> None:
    parser.add_argument(
        "--state",
        type=Path,
        default=DEFAULT,
        metavar="DIR",
        help="where all that a rehearsal writes lies (.rehearsal in the checkout)",
    )
    which = f"{STACK} (as started, else nodeless)"
    if command == "run":
        parser.add_argument("stack", nargs="?", metavar="STACK", help=which)
    else:
        parser.add_argument("--stack", metavar="STACK", help=which)
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


def _run(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    whole_run.run(rehearsal, scenario=chosen.scenario, keep=chosen.keep)


def _interrupt_nodes(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    if chosen.all_spot:
        rehearsal.spot().storm()
    else:
        rehearsal.spot().interrupt(chosen.node, chosen.kind)


def _preview(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    if chosen.json:
        print(rehearsal.preview_json(), end="")
    else:
        rehearsal.preview(expect_no_changes=chosen.empty, policy_pack=chosen.policy_pack)


def _stop(rehearsal: Rehearsal, chosen: argparse.Namespace) -> None:
    ended = rehearsal.stop()
    rehearsal.console.print(f"Ended: {', '.join(ended)}." if ended else "Nothing was running.")
    if chosen.wipe:
        rehearsal.wipe()
