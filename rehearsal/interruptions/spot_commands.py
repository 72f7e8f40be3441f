"""Commands with groups of instances: `interrupt`, `groups`, and their part of `run`."""

import datetime
from collections import Counter
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rehearsal import groups
from rehearsal.at_rest import last_events, waiting_pods
from rehearsal.clients import Cluster
from rehearsal.errors import RehearsalError
from rehearsal.groups import Group
from rehearsal.interruptions import spot_report
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.interruption import PATIENCE_SECONDS, Interruption
from rehearsal.nodes import namespaces
from rehearsal.nodes_now import Node
from rehearsal.progress import wait_for
from rehearsal.stack_file import StackFile
from rehearsal.state import State

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class SpotCommands:
    """Plays on one running rehearsal."""

    def __init__(self, state: State, console: Console) -> None:
        self.state, self.console, self.cluster = state, console, Cluster(state)
        self.interruption = Interruption(state, self.cluster, console)

    def interrupt(self, node: str | None = None, kind: Kind = Kind.SPOT) -> None:
        """Announces the end of a node and shows what became of its pods. Raises RehearsalError if a
        deadline or a disruption budget was violated.
        """
        victim = self.interruption.victim(node, kind)
        if self._cannot_run([victim]):
            return
        outcome = self.interruption.play(victim, kind)
        spot_report.print_outcome(self.console, outcome)
        outcome.require_held()

    def storm(self) -> None:
        """Interrupts every spot node within a minute. Raises RehearsalError as `interrupt` does,
        and if a pod on an on-demand node was lost.
        """
        if self._cannot_run(self.interruption.spot_nodes()):
            return
        outcome = self.interruption.storm()
        spot_report.print_outcome(self.console, outcome)
        outcome.require_held()
        self.say("No pod of an on-demand node was lost, and none is left Pending.")

    def groups(self, cluster_name: str) -> None:
        """Shows sizes, instances and tags of all groups, and the pods that an autoscaler would
        see.
        """
        all_groups = groups.groups_now(self.state.endpoints)
        self.console.print(spot_report.groups_table(all_groups, cluster_name))
        waiting = waiting_pods(self.cluster)
        for line in waiting:
            self.say(f"waits: {line}")
        self.say(
            f"{len(waiting)} pods wait. The Cluster Autoscaler does not run in a rehearsal: nobody "
            "resizes a group by these tags, only `aws autoscaling set-desired-capacity` does."
        )

    def samples(self) -> None:
        """Show where the pods run that prefer some nodes: those are the samples' spot nodes.

        A preference counts when a pod is placed: Deployments of which nothing is on spot, since
        its nodes joined later, are restarted as with `kubectl rollout restart`. Raises
        RehearsalError if there are such pods and none of them is on spot even then.
        """
        placed = self._preferring()
        on_spot = {owner for owner, capacity in placed if capacity == "spot"}
        elsewhere = {owner for owner, _ in placed} - on_spot
        for owner in sorted(elsewhere):
            self._restart(*owner)
            self.say(f"{owner[1]} was placed before spot nodes had joined: restarted.")
        if elsewhere:
            self._settle("pods that prefer spot")
            placed = self._preferring()
        table = Table("namespace", "workload", "capacity", "pods", title="Pods that prefer spot")
        for ((namespace, workload), capacity), count in sorted(placed.items()):
            table.add_row(escape(namespace), escape(workload), capacity, str(count))
        self.console.print(table)
        if placed and not any(capacity == "spot" for _, capacity in placed):
            raise RehearsalError(
                "No pod that prefers spot runs on spot: look at its node affinity and at the "
                "labels and taints of the spot nodes (`kubectl get nodes --show-labels`)."
            )

    def _preferring(self) -> Counter[tuple[tuple[str, str], str]]:
        """Number of pods on each capacity, by the Deployment's namespace and name."""
        nodes = {node.name: node for node in self.interruption.nodes()}
        return Counter(
            (
                (pod["metadata"]["namespace"], _workload(pod)),
                nodes[pod["spec"]["nodeName"]].capacity,
            )
            for pod in self.cluster.items("/api/v1/pods")
            if _prefers(pod) and pod["spec"].get("nodeName") in nodes
        )

    def _restart(self, namespace: str, name: str) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat()
        template = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": now}}}
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
        self.cluster.patch(path, {"spec": {"template": template}})

    def _settle(self, title: str) -> None:
        """Waits until no Deployment has pods that come or go."""

        def settled() -> tuple[bool, str]:
            deployments = self.cluster.items("/apis/apps/v1/deployments")
            moving = [
                deployment["metadata"]["name"]
                for deployment in deployments
                if not _is_rolled_out(deployment)
            ]
            return not moving, f"{', '.join(moving)} not rolled out"

        self._wait(title, settled)

    def resize(self) -> Group:
        """Give a spot group one instance more, as the Cluster Autoscaler would: it becomes a node.

        Returns the group as it was. Raises RehearsalError if no node comes of it.
        """
        all_groups = groups.groups_now(self.state.endpoints)
        growable = [each for each in all_groups if each.key and each.desired < each.maximum]
        if not growable:
            raise RehearsalError("There is no spot group below its maximum, so none can grow.")
        group, before = growable[0], len(self._members(growable[0]))
        groups.set_desired(self.state.endpoints, group, group.desired + 1)

        def joined() -> tuple[bool, str]:
            ready = [node for node in self._members(group) if node.ready]
            waiting = waiting_pods(self.cluster)
            seen = f"{len(ready)} of {before + 1} nodes are ready, {len(waiting)} pods wait"
            return len(ready) > before and not waiting, seen

        title = f"{group.name} at {group.desired + 1}"
        seconds = self._wait(title, joined)
        self.say(f"{title}: its new node was ready after {seconds:.0f} s.")
        return group

    def _wait(self, title: str, look: Callable[[], tuple[bool, str]]) -> float:
        try:
            return wait_for(self.console, title, look, timeout=PATIENCE_SECONDS)
        except TimeoutError as error:
            lines = [f"  {line}" for line in last_events(self.cluster)]
            raise RehearsalError("\n".join([f"{error}. The last events:", *lines])) from None

    def say(self, text: str) -> None:
        """Prints a line."""
        self.console.print(escape(text), highlight=False)

    def _members(self, group: Group) -> list[Node]:
        ids = {
            instance.id
            for instance in _named(groups.groups_now(self.state.endpoints), group).instances
        }
        return [node for node in self.interruption.nodes() if node.instance_id in ids]

    def _cannot_run(self, victims: list[Node]) -> bool:
        """True if the handler that these nodes need cannot run here; says so in that case."""
        why = namespaces.missing()
        if not why or not any(victim.self_managed for victim in victims):
            return False
        self.say(f"Not run: {_no_handler(why)}.")
        return True


def not_run(file: StackFile) -> list[str]:
    """What the stack has and a rehearsal on this machine does not run."""
    why = namespaces.missing()
    missed = [spot_report.CLUSTER_AUTOSCALER] if file.has_cluster_autoscaler else []
    return missed + ([_no_handler(why)] if why and file.has_termination_handler else [])


def _no_handler(why: str) -> str:
    return (
        "the real Node Termination Handler: it needs a Linux namespace of its own for the service "
        f"account's files, and {why}. No node was interrupted"
    )


def _named(all_groups: list[Group], group: Group) -> Group:
    return next(each for each in all_groups if each.name == group.name)


def _is_rolled_out(deployment: dict[str, Any]) -> bool:
    status, wanted = deployment.get("status", {}), deployment["spec"].get("replicas", 1)
    counts = [status.get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")]
    seen = status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
    return seen and counts == [wanted] * len(counts)


def _prefers(pod: dict[str, Any]) -> bool:
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    return bool(affinity.get(PREFERRED))


def _workload(pod: dict[str, Any]) -> str:
    """Name of the Deployment, without the two suffixes of its pods' names."""
    return pod["metadata"]["name"].rsplit("-", 2)[0]
