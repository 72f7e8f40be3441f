"""Lists what a destroyed cluster left in the account, and removes it.

  frugal-eks sweep nodeless
      a dry run of the cluster and region of a stack file: changes nothing
  frugal-eks sweep --cluster dev
      the same where there is no stack file any more
  frugal-eks sweep nodeless --yes
      removes all but volumes, and waits until it is gone
  frugal-eks sweep nodeless --yes --volumes
      volumes too, with what is on them
  frugal-eks sweep nodeless --state state.json
      what a broken-off `up` left beside the stack's state, while the cluster lives, too

AWS and controllers in the cluster make things that Pulumi's state does not know: nodes, load
balancers, network interfaces, volumes, launch templates, instance profiles, log groups. What
carries the tags of this cluster and of no other is listed; nothing else is ever touched. The exit
code is 1 if something is left or could not be looked at.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from frugal_eks.arguments import STACK, add_output, cluster_name
from frugal_eks.errors import CommandError
from frugal_eks.inputs import config_of, stack_file
from frugal_eks.output import console, print_json
from frugal_eks.sweep.account import (
    Account,
    SweepError,
    cluster_status,
    open_account,
    refuse_if_cluster_exists,
)
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.known import known_ids
from frugal_eks.sweep.removal import Removal
from frugal_eks.sweep.report import Progress, as_json, findings_table, left_lines
from frugal_eks.sweep.search import Search, Survey, survey
from frugal_eks.sweep.things import Fate, Kind

LEFT = 1
PATIENCE = 600.0
"""Seconds: AWS takes minutes to release the interfaces of a deleted load balancer."""
WIDTH = 320
"""Maximum width of the table: a log is searched for whole ids."""


def _account(text: str) -> str:
    if not re.fullmatch(r"[0-9]{12}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no account id: give its 12 digits")
    return text


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return float(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the cluster, its account, and what may be removed."""
    parser.add_argument("stack", nargs="?", metavar="STACK", help=f"{STACK}; - is standard input")
    parser.add_argument("--cluster", type=cluster_name, help="instead: the name it had in EKS")
    parser.add_argument(
        "--region", help="default: the stack file's, else AWS_REGION, or the profile's"
    )
    parser.add_argument(
        "--account", type=_account, metavar="ID", help="refuse if the credentials are of another"
    )
    parser.add_argument("--yes", action="store_true", help="remove what is listed")
    parser.add_argument("--volumes", action="store_true", help="volumes too; their data is lost")
    parser.add_argument(
        "--state",
        type=Path,
        metavar="FILE",
        help="what `pulumi stack export` wrote: what it has is left alone",
    )
    parser.add_argument(
        "--wait",
        type=_seconds,
        default=PATIENCE,
        metavar="SECONDS",
        help=f"how long each kind may stay in use (default {PATIENCE:.0f})",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Lists or removes; returns 1 if something is left or could not be listed. Raises CommandError
    if the sweep is refused.
    """
    terminal = console(width=WIDTH, stderr=arguments.json)
    if (arguments.stack is None) is (arguments.cluster is None):
        raise CommandError("Name the stack, or --cluster where there is no stack file any more.")
    if arguments.stack is not None:
        config = config_of(stack_file(arguments.stack))
        arguments.cluster = config.cluster_name
        arguments.region = arguments.region or config.region
    try:
        return _sweep(arguments, open_account(arguments.region, arguments.account), terminal)
    except SweepError as error:
        raise CommandError(f"Nothing was changed: {error}.") from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("What AWS was asked to remove still goes: run it again.") from None


def _kinds(arguments: argparse.Namespace, account: Account) -> Sequence[Kind]:
    """Kinds to look for: all if the cluster is gone, else those that the state can tell apart.
    Raises SweepError if the cluster exists and there is no state.
    """
    if arguments.state is None:
        refuse_if_cluster_exists(account, arguments.cluster)
    elif cluster_status(account, arguments.cluster):
        return [kind for kind in KINDS if kind.made_by_up]
    return KINDS


def _remove(
    search: Search, kinds: Sequence[Kind], patience: float, console: Console
) -> tuple[Survey, list[str]]:
    """The survey after the removal, and a sentence for each thing of the cluster that is left."""
    with console.status("removing") as status:
        progress = Progress(console, status)
        removal = Removal(
            search=search,
            patience=patience,
            removed=progress.removed,
            waiting=progress.waiting,
        )
        removed = removal.run(kinds)
        status.update("looking once more")
        after = survey(search, kinds)
    after.problems.extend(removed.problems)
    return after, left_lines(after.left, removed.reasons)


def _sweep(arguments: argparse.Namespace, account: Account, console: Console) -> int:
    where = f"of cluster {arguments.cluster} in account {account.id}, {account.region}"
    kinds = _kinds(arguments, account)
    known = known_ids(arguments.state) if arguments.state else frozenset[str]()
    search = Search(
        account=account, cluster=arguments.cluster, data_too=arguments.volumes, known=known
    )
    with console.status(f"looking for what is left {where}"):
        current = survey(search, kinds)
    if current.findings:
        console.print(findings_table(current.findings, removing=arguments.yes))
    problems, lines = current.problems, list[str]()
    if arguments.yes and any(finding.fate is Fate.REMOVE for finding in current.findings):
        current, lines = _remove(search, kinds, arguments.wait, console)
        problems = list(dict.fromkeys([*problems, *current.problems]))
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)
    if not problems:
        count = len(current.left)
        console.print(
            f"{count or 'Nothing'} {where} {'are' if count > 1 else 'is'} left.",
            highlight=False,
            soft_wrap=True,
        )
    for problem in problems:
        print(problem, file=sys.stderr)
    if arguments.json:
        print_json(as_json(current.left, problems))
    return LEFT if problems or current.left else 0
