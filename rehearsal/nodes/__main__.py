"""`python -m rehearsal.nodes --state DIR` plays the data plane until SIGTERM."""

import argparse
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

from lightkube.core.client import Client
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Pod

from rehearsal import toolchain
from rehearsal.errors import RehearsalError
from rehearsal.lifecycle import NODES_READY
from rehearsal.nodes import cluster, fargate, karpenter
from rehearsal.nodes.pod_credentials import PlayedAws
from rehearsal.state import State


def main() -> int:
    """Exit code 0 after SIGTERM, 1 if there is no rehearsal in the folder."""
    parser = argparse.ArgumentParser(prog="python -m rehearsal.nodes", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, metavar="DIR")
    state = State(parser.parse_args().state)
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        play(state, stopping)
    except RehearsalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def play(state: State, stopping: threading.Event) -> None:
    """Watch and reconcile until `stopping`; Karpenter is ended before this returns."""
    aws = PlayedAws(state.endpoints)
    binary = toolchain.ensure(["karpenter"])["karpenter"]
    pods, controller = threading.Event(), threading.Event()
    on_fargate = fargate.Fargate(cluster.connect(state), aws)
    runner = karpenter.Karpenter(state, cluster.connect(state), aws, binary)
    _watch(cluster.connect(state), pods, controller, stopping)
    with ThreadPoolExecutor(2) as threads:
        workers = [
            threads.submit(fargate.run, on_fargate, pods, stopping),
            threads.submit(karpenter.run, runner, controller, stopping),
        ]
        (state.path / NODES_READY).touch()
        # In slices: a signal must reach this thread, and so must the end of a worker.
        while not stopping.wait(0.5) and not any(worker.done() for worker in workers):
            pass
        stopping.set()
        pods.set()
        controller.set()
    for worker in workers:
        # A bug of ours: it must end this process, which then is told of, not one thread of it.
        worker.result()


def _watch(
    client: Client,
    pods: threading.Event,
    controller: threading.Event,
    stopping: threading.Event,
) -> None:
    """Wake each reconciler at what concerns it. These threads end with the process."""
    for wakes, chosen in (
        (pods, cluster.Selection(kind=Pod, fields={"spec.schedulerName": fargate.SCHEDULER})),
        (controller, cluster.Selection(kind=Pod, labels=karpenter.LABEL)),
        (controller, cluster.Selection(kind=Deployment, labels=karpenter.LABEL)),
    ):
        arguments = (client, chosen, wakes, stopping)
        threading.Thread(target=cluster.watch, args=arguments, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
