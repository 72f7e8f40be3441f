"""Runs the real Karpenter while its Deployment has a pod with a place to run."""

import http.client
import json
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Pod

from rehearsal.errors import RehearsalError
from rehearsal.nodes import cluster, karpenter_login
from rehearsal.nodes.container_env import UnreadableError, environment
from rehearsal.nodes.fargate import SCHEDULER, service_account
from rehearsal.nodes.pod_credentials import AWS_ERRORS, NoCredentialsError, PlayedAws
from rehearsal.processes import Processes, how_ended, last_lines
from rehearsal.state import State, free_ports

NAME = "karpenter"
LABEL = {"app.kubernetes.io/name": "karpenter"}
HEALTH_SECONDS = 60.0
"""It takes 3 to 5 on 2 idle cores; after that it is told that the probe does not answer."""
RESTART_SECONDS = 10.0
"""Between a crash and the next try, as the kubelet's first back-off."""


@dataclass(frozen=True, kw_only=True)
class Running:
    """The controller's process, and what it was started with."""

    environment: dict[str, str]
    port: int
    """Of its health probe."""
    since: float
    """Monotonic seconds."""


class Karpenter:
    """One process for all replicas: they would elect one leader, and this is it."""

    def __init__(self, state: State, client: Client, aws: PlayedAws, binary: Path) -> None:
        self.client, self.aws, self.state, self.binary = client, aws, state, binary
        self.endpoints = state.endpoints
        self.processes = Processes(state)
        self.events = cluster.Events(client, "kubelet")
        self.running: Running | None = None
        self.healthy = False
        self.again_at = 0.0

    def reconcile(self) -> None:
        """Look at the Deployment, its pods and the process once, and do what is missing."""
        chosen = {"namespace": cluster.ALL, "labels": LABEL}
        deployments = cluster.listed(self.client, Deployment, **chosen)
        alive = [one for one in deployments if not cluster.leaving(one)]
        pods = self._pods(alive[0]) if alive else []
        if not pods:
            self.stop()
            return
        try:
            wanted = self._environment(pods)
        except (NoCredentialsError, UnreadableError) as error:
            self.stop()
            self._fail(pods, str(error))
            return
        if self.running and self.running.environment != wanted:
            self.stop()
        if not self.running and time.monotonic() >= self.again_at:
            self._start(wanted, pods[-1])
        if self.running:
            self._probe(pods)

    def stop(self) -> None:
        """End the controller, if it runs."""
        if self.running:
            self.processes.stop([NAME])
            print("karpenter: stopped", flush=True)
        self.running, self.healthy = None, False

    def _pods(self, deployment: Deployment) -> list[Pod]:
        """The pods that have a node and stay, the newest last."""
        assert deployment.spec
        namespace, _ = cluster.name_of(deployment)
        selector = cast(Any, deployment.spec.selector).matchLabels
        found = cluster.listed(self.client, Pod, namespace=namespace, labels=selector)
        placed = [pod for pod in found if cluster.node_of(pod) and not cluster.leaving(pod)]
        return sorted(placed, key=lambda pod: str(pod.metadata and pod.metadata.creationTimestamp))

    def _environment(self, pods: Sequence[Pod]) -> dict[str, str]:
        """What the newest pod's container has, and what the webhook and the agent of EKS add.

        Raises NoCredentialsError, or UnreadableError about a variable that cannot be had here.
        """
        pod = pods[-1]
        assert pod.spec
        account = service_account(self.client, pod)
        granted = self.aws.grant(account, on_fargate=pod.spec.schedulerName == SCHEDULER)
        added = karpenter_login.aws_environment(self.state, self.aws, granted)
        # The region of the container itself comes first, as with the webhook.
        return added | environment(pod) | karpenter_login.OFFLINE

    def _start(self, wanted: dict[str, str], pod: Pod) -> None:
        assert pod.spec
        account = service_account(self.client, pod)
        login = karpenter_login.write(self.state, self.client, account)
        metrics, health = free_ports(2)
        ours = {
            "KUBECONFIG": str(login),
            "AWS_ENDPOINT_URL": self.endpoints["aws"],
            # The SDK for Go gets its credentials before it reads the line above.
            "AWS_ENDPOINT_URL_STS": self.endpoints["aws"],
            "METRICS_PORT": str(metrics),
            "HEALTH_PROBE_PORT": str(health),
            # It would wait for the lease of the process before it.
            "DISABLE_LEADER_ELECTION": "true",
        }
        self.processes.stop([NAME])
        self.processes.start(NAME, [self.binary], wanted | ours)
        print(f"karpenter: started for {account.namespace}/{account.name}", flush=True)
        self.running = Running(environment=wanted, port=health, since=time.monotonic())
        self.healthy = False

    def _probe(self, pods: Sequence[Pod]) -> None:
        """Pass the state of the process on to its pods."""
        assert self.running
        record = self.processes.find(NAME)
        if not record or not record.alive:
            how = how_ended(record) if record else "has ended"
            why = last_words(self.state.logs / f"{NAME}.log")
            self.stop()
            self.again_at = time.monotonic() + RESTART_SECONDS
            self._fail(pods, f"the controller {how}; its log says: {why}")
            return
        seconds = time.monotonic() - self.running.since
        answers = _answers(self.running.port)
        if answers and not self.healthy:
            self.healthy = True
            print(f"karpenter: healthy after {seconds:.1f} s", flush=True)
        if answers:
            for pod in pods:
                changes = {cluster.NOT_READY: None, cluster.HEALTHY: "true"}
                cluster.annotate(self.client, pod, changes)
        elif seconds > HEALTH_SECONDS:
            self._fail(pods, f"no answer on its health probe in {seconds // 10 * 10:.0f} s")

    def _fail(self, pods: Sequence[Pod], why: str) -> None:
        for pod in pods:
            cluster.annotate(self.client, pod, {cluster.NOT_READY: why, cluster.HEALTHY: None})
            self.events.warn(pod, "BackOff", why)


def last_words(log: Path) -> str:
    """What a controller's log says in the end: of a panic its reason, else the last message."""
    end = last_lines(log, 60)
    if panic := re.search(r"(?m)^\s*(panic: .*)$", end):
        return panic.group(1)
    line = end.splitlines()[-1].strip()
    try:
        said = json.loads(line)
        return ": ".join(said[key] for key in ("message", "error") if said.get(key))
    except (json.JSONDecodeError, TypeError, AttributeError):
        return line


def run(karpenter: Karpenter, due: threading.Event, stopping: threading.Event) -> None:
    """Reconcile after each change and, while the controller starts, five times a second."""
    while not stopping.is_set():
        due.wait(timeout=0.2 if karpenter.running and not karpenter.healthy else 2)
        due.clear()
        try:
            karpenter.reconcile()
        except RehearsalError as error:
            print(f"karpenter: {error}", flush=True)
        except (ApiError, *AWS_ERRORS, *cluster.UNREACHABLE) as error:
            print(f"karpenter: {error}", flush=True)
            stopping.wait(cluster.PAUSE)
    karpenter.stop()


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
