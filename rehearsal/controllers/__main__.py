"""`python -m rehearsal.controllers --state DIR` plays controllers of AWS until SIGTERM."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Service
from lightkube.resources.networking_v1 import Ingress

from rehearsal.controllers import external_dns, load_balancer_controller
from rehearsal.controllers.external_dns import ExternalDns
from rehearsal.controllers.load_balancer_controller import LoadBalancerController
from rehearsal.controllers.pod_session import PodSessions
from rehearsal.controllers.running import NAME
from rehearsal.lifecycle import CONTROLLERS_READY
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AWS_ERRORS, PlayedAws
from rehearsal.state import State
from rehearsal.until_sigterm import main

CONTROLLERS = (load_balancer_controller.NAME, external_dns.NAME)
SHORTEST = 0.2
"""Minimum seconds between two reconciliations: changes come in bursts."""


def play(state: State, stopping: threading.Event) -> None:
    """Watches and reconciles until `stopping`."""
    aws, due = PlayedAws(state.endpoints), threading.Event()
    client = cluster.connect(state, "rehearsal-controllers")
    sessions = PodSessions(client, aws, state.endpoints)
    controllers = (LoadBalancerController(client, aws, sessions), ExternalDns(client, sessions))
    _watch(cluster.connect(state), due, stopping)
    with ThreadPoolExecutor(1) as threads:
        worker = threads.submit(run, controllers, due, stopping)
        (state.path / CONTROLLERS_READY).touch()
        # In slices: a signal must reach this thread, and so must the end of the worker.
        while not stopping.wait(0.5) and not worker.done():
            pass
        stopping.set()
        due.set()
    # A bug of ours: it must end this process, which then is told of.
    worker.result()


def run(
    controllers: tuple[LoadBalancerController, ExternalDns],
    due: threading.Event,
    stopping: threading.Event,
) -> None:
    """Reconciles after each change, and when a controller asks for it; sleeps otherwise."""
    while not stopping.is_set():
        due.clear()
        try:
            waits = [controller.reconcile() for controller in controllers]
        except (ApiError, *AWS_ERRORS, *cluster.UNREACHABLE) as error:
            print(f"controllers: {error}", flush=True)
            waits = [cluster.PAUSE]
        stopping.wait(SHORTEST)
        due.wait(min((seconds for seconds in waits if seconds is not None), default=None))


def _watch(client: Client, due: threading.Event, stopping: threading.Event) -> None:
    """Starts the watches. Their threads end with the process."""
    for chosen in (
        cluster.Selection(kind=Service),
        cluster.Selection(kind=Ingress),
        cluster.Selection(kind=Deployment, labels={NAME: CONTROLLERS}),
    ):
        arguments = (client, chosen, due, stopping)
        threading.Thread(target=cluster.watch, args=arguments, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main("rehearsal.controllers", __doc__, play))
