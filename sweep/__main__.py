"""Lists what a destroyed cluster left in the account, and removes it.

python -m sweep --cluster dev                  a dry run: changes nothing
python -m sweep --cluster dev --yes            removes all but volumes, and waits until it is gone
python -m sweep --cluster dev --yes --volumes  volumes too, with what is on them

AWS and controllers in the cluster make things that Pulumi's state does not know: nodes, load
balancers, network interfaces, volumes, launch templates, instance profiles, log groups. What
carries the tags of this cluster and of no other is listed; nothing else is ever touched.

Exit code: 0 nothing is left, 1 something is left or could not be looked at or is refused,
2 wrong usage, 130 Ctrl-C.
"""

import argparse
import re
import sys

from rich.console import Console
from rich.markup import escape

from sweep.account import Account, NoRegionError, SweepError, open_account, refuse_if_cluster_exists
from sweep.kinds import KINDS
from sweep.removal import Removal
from sweep.report import Progress, findings_table, left_lines
from sweep.search import Search, Survey, survey
from sweep.things import Fate

LEFT, USAGE, INTERRUPTED = 1, 2, 130
PATIENCE = 600.0
"""AWS takes minutes to let go of the interfaces of a deleted load balancer."""
WIDTH_WITHOUT_TERMINAL = 320
"""At most: a log is searched for whole ids."""


def _cluster(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z][\w-]{0,99}", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name of an EKS cluster: letters, digits, - and _, at most 100"
        )
    return text


def _account(text: str) -> str:
    if not re.fullmatch(r"[0-9]{12}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no account id: give its 12 digits")
    return text


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return float(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cluster", required=True, type=_cluster, help="the name it had in EKS")
    parser.add_argument("--region", help="default: AWS_REGION, or the profile's")
    parser.add_argument(
        "--account", type=_account, metavar="ID", help="refuse if the credentials are of another"
    )
    parser.add_argument("--yes", action="store_true", help="remove what is listed")
    parser.add_argument("--volumes", action="store_true", help="volumes too; their data is lost")
    parser.add_argument(
        "--wait",
        type=_seconds,
        default=PATIENCE,
        metavar="SECONDS",
        help=f"how long each kind may stay in use (default {PATIENCE:.0f})",
    )
    return parser


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH_WITHOUT_TERMINAL)


def _remove(search: Search, patience: float, console: Console) -> tuple[Survey, list[str]]:
    """What is there afterwards, and a sentence for each thing of the cluster's that is left."""
    with console.status("removing") as status:
        progress = Progress(console, status)
        removal = Removal(
            search=search,
            patience=patience,
            removed=progress.removed,
            waiting=progress.waiting,
        )
        removed = removal.run(KINDS)
        status.update("looking once more")
        after = survey(search, KINDS)
    after.problems.extend(removed.problems)
    return after, left_lines(after.left, removed.reasons)


def _sweep(asked: argparse.Namespace, account: Account, console: Console) -> int:
    where = f"of cluster {asked.cluster} in account {account.id}, {account.region}"
    search = Search(account=account, cluster=asked.cluster, data_too=asked.volumes)
    with console.status(f"looking for what is left {where}"):
        found = survey(search, KINDS)
    if found.findings:
        console.print(findings_table(found.findings, removing=asked.yes))
    problems, lines = found.problems, list[str]()
    if asked.yes and any(finding.fate is Fate.REMOVE for finding in found.findings):
        found, lines = _remove(search, asked.wait, console)
        problems = list(dict.fromkeys([*problems, *found.problems]))
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)
    if not problems:
        count = len(found.left)
        console.print(
            f"{count or 'Nothing'} {where} {'are' if count > 1 else 'is'} left.",
            highlight=False,
            soft_wrap=True,
        )
    for problem in problems:
        print(problem, file=sys.stderr)
    return LEFT if problems or found.left else 0


def main(argv: list[str] | None = None) -> int:
    """0 if nothing of the cluster is left; see the module's text for the others."""
    parser = _parser()
    asked = parser.parse_args(argv)
    try:
        account = open_account(asked.region, asked.account)
        refuse_if_cluster_exists(account, asked.cluster)
        return _sweep(asked, account, _console())
    except NoRegionError as error:
        parser.error(str(error))
    except SweepError as error:
        print(f"Nothing was changed: {error}.", file=sys.stderr)
        return LEFT
    except KeyboardInterrupt:
        print(
            "Interrupted: what AWS was asked to remove still goes. Run it again.", file=sys.stderr
        )
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
