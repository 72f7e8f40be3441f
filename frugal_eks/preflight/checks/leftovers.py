"""Looks for what an earlier cluster of the same name left."""

from collections.abc import Iterator

from botocore.exceptions import ClientError  # pyright: ignore[reportMissingTypeStubs]

from frugal_eks.preflight.account import is_denied, missing_action
from frugal_eks.preflight.findings import Finding, ok, unknown, unread
from frugal_eks.preflight.situation import Situation
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.search import Search
from frugal_eks.sweep.things import Fate

NAMED = "log group"
"""Kind with a line of its own among the names, since it would stop `up`."""
SHOWN = 3
"""Number of things that are shown; others are only counted."""


def leftovers(situation: Situation) -> Iterator[Finding]:
    """Lists what `./frugal-eks sweep` would find, if there is no cluster of that name."""
    if situation.new_cluster is None:
        return
    cluster = situation.cluster_name
    search = Search(account=situation.account, cluster=cluster)
    left, missing = list[str](), list[str]()
    for kind in KINDS:
        if kind.name == NAMED:
            continue
        try:
            findings = search.of(kind)
        except ClientError as error:
            if not is_denied(error):
                raise
            missing.append(missing_action(error))
        else:
            left += [str(each) for each in findings if each.fate is not Fate.NOT_OURS]
    if missing:
        yield unread("leftovers", *dict.fromkeys(missing))
    if left:
        shown = ", ".join(left[:SHOWN])
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        yield unknown(
            "leftovers",
            f"{len(left)} of an earlier cluster {cluster}: {shown}{more}",
            "controllers of the new cluster would take them for their own: `./frugal-eks sweep "
            f"--cluster {cluster} --region {situation.account.region}` lists and removes them",
        )
    elif not missing:
        yield ok("leftovers", f"none of an earlier cluster {cluster}")
