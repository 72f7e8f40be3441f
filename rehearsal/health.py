"""Checks that a platform works: pods, their nodes, pools, load balancers."""

from rich.console import Console

from rehearsal import report
from rehearsal.at_rest import SUCCEEDED, waiting_pods
from rehearsal.clients import Cluster
from rehearsal.controllers.balancers_now import load_balancers_table, waiting
from rehearsal.errors import RehearsalError
from rehearsal.progress import wait_for
from rehearsal.state import Endpoints

PODS_SECONDS = 90.0
POOLS_SECONDS = 60.0
BALANCERS_SECONDS = 30.0


def pods(cluster: Cluster, console: Console) -> None:
    """Waits until every pod runs. Raises RehearsalError about pods without a node."""

    def look() -> tuple[bool, str]:
        waiting = waiting_pods(cluster, SUCCEEDED)
        return not waiting, f"{len(waiting)} pods wait"

    try:
        wait_for(console, "all pods run", look, timeout=PODS_SECONDS)
    except TimeoutError:
        lines = [f"  {line}" for line in waiting_pods(cluster, SUCCEEDED)]
        raise RehearsalError(
            "\n".join(["These pods have no place to run, or do not get ready:", *lines])
        ) from None


def system_pods(cluster: Cluster, console: Console, *, on_fargate: bool) -> None:
    """Shows the pods of kube-system. Raises RehearsalError if they should be `on_fargate` and one
    is not.
    """
    table, elsewhere = report.system_pods_table(cluster)
    console.print(table)
    if elsewhere and on_fargate:
        raise RehearsalError(
            f"These pods of kube-system are not on Fargate: {', '.join(elsewhere)}. "
            "A profile selects their namespace, so they were made before it was active: "
            "restart their Deployment."
        )


def pools(cluster: Cluster, console: Console) -> None:
    """Shows pools and node classes. Raises RehearsalError if one is not Ready in time."""
    try:
        wait_for(
            console,
            "pools and node classes",
            lambda: (report.pools_table(cluster)[1], "not all are Ready"),
            timeout=POOLS_SECONDS,
        )
    except TimeoutError:
        console.print(report.pools_table(cluster)[0])
        raise RehearsalError(
            "Not every pool and node class is Ready: the table says why not."
        ) from None
    table = report.pools_table(cluster)[0]
    if table.row_count:
        console.print(table)


def load_balancers(cluster: Cluster, endpoints: Endpoints, console: Console) -> None:
    """Shows load balancers and their records, if any. Raises RehearsalError about Services and
    Ingresses that get no address in time.
    """

    def look() -> tuple[bool, str]:
        return not waiting(cluster), f"{len(waiting(cluster))} Services or Ingresses wait"

    try:
        wait_for(console, "load balancers", look, timeout=BALANCERS_SECONDS)
    except TimeoutError:
        lines = [f"  {line}" for line in waiting(cluster)]
        raise RehearsalError("\n".join(["These get no address:", *lines])) from None
    table = load_balancers_table(cluster, endpoints)
    if table.row_count:
        console.print(table)
