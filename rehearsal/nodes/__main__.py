"""`python -m rehearsal.nodes --state DIR` plays the data plane until SIGTERM."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from lightkube.core.client import Client
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Pod

from rehearsal import toolchain
from rehearsal.lifecycle import NODES_READY
from rehearsal.nodes import cluster, fargate, karpenter, reconciling, termination_handler
from rehearsal.nodes.pod_credentials import PlayedAws
from rehearsal.state import State
from rehearsal.until_sigterm import main


class Due:
    """Events that wake the reconcilers."""

    def __init__(self) -> None:
        self.fargate, self.karpenter, self.handlers = (threading.Event() for _ in range(3))

    def all(self) -> None:
        """Wakes all reconcilers."""
        for event in (self.fargate, self.karpenter, self.handlers):
            event.set()


def play(state: State, stopping: threading.Event) -> None:
    """Watches and reconciles until `stopping`; ends real programs before it returns."""
    aws = PlayedAws(state.endpoints)
    tools = toolchain.ensure([karpenter.Karpenter.name, termination_handler.NAME])
    due = Due()
    on_fargate = fargate.Fargate(cluster.connect(state), aws)
    controller = karpenter.Karpenter(
        state, cluster.connect(state), aws, tools[karpenter.Karpenter.name]
    )
    handlers = termination_handler.TerminationHandlers(
        state, cluster.connect(state), aws, tools[termination_handler.NAME]
    )
    _watch(cluster.connect(state), due, stopping)
    with ThreadPoolExecutor(3) as threads:
        workers = [
            threads.submit(fargate.run, on_fargate, due.fargate, stopping),
            threads.submit(reconciling.run, controller, due.karpenter, stopping),
            threads.submit(reconciling.run, handlers, due.handlers, stopping),
        ]
        (state.path / NODES_READY).touch()
        # In slices: a signal must reach this thread, and so must the end of a worker.
        while not stopping.wait(0.5) and not any(worker.done() for worker in workers):
            pass
        stopping.set()
        due.all()
    for worker in workers:
        # A bug of ours: it must end this process, which then is told of, not one thread of it.
        worker.result()


def _watch(client: Client, due: Due, stopping: threading.Event) -> None:
    """Wakes each reconciler when a change concerns it. The threads end with the process."""
    on_fargate = {"spec.schedulerName": fargate.SCHEDULER}
    for wakes, chosen in (
        (due.fargate, cluster.Selection(kind=Pod, fields=on_fargate)),
        (due.karpenter, cluster.Selection(kind=Pod, labels=karpenter.LABEL)),
        (due.karpenter, cluster.Selection(kind=Deployment, labels=karpenter.LABEL)),
        (due.handlers, cluster.Selection(kind=Pod, labels=termination_handler.LABEL)),
    ):
        arguments = (client, chosen, wakes, stopping)
        threading.Thread(target=cluster.watch, args=arguments, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main("rehearsal.nodes", __doc__, play))
