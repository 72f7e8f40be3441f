"""Runs the real Karpenter while its Deployment has a pod with a node."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from lightkube.core.client import Client
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Pod

from rehearsal.nodes import cluster, karpenter_login, pod_login
from rehearsal.nodes.container import Container, Launch
from rehearsal.nodes.container_env import UnreadableError, environment
from rehearsal.nodes.fargate import service_account
from rehearsal.nodes.pod_credentials import NoCredentialsError, PlayedAws
from rehearsal.ports import free_ports
from rehearsal.state import State

LABEL = {"app.kubernetes.io/name": "karpenter"}


class Karpenter:
    """Runs one process for all replicas, as the leader that they would elect."""

    name = "karpenter"

    def __init__(self, state: State, client: Client, aws: PlayedAws, binary: Path) -> None:
        self.client, self.aws, self.state, self.binary = client, aws, state, binary
        self.container = Container(state, client, self.name, "/readyz")

    @property
    def comes_up(self) -> bool:
        return self.container.comes_up

    def reconcile(self) -> None:
        """Reconciles the Deployment, its pods and the process once."""
        chosen = {"namespace": cluster.ALL, "labels": LABEL}
        deployments = cluster.listed(self.client, Deployment, **chosen)
        alive = [deployment for deployment in deployments if not cluster.leaving(deployment)]
        pods = self._pods(alive[0]) if alive else []
        if not pods:
            self.stop()
            return
        try:
            wanted = self._environment(pods)
        except (NoCredentialsError, UnreadableError) as error:
            self.stop()
            self.container.fail(pods, str(error))
            return
        self.container.keep(pods, wanted, lambda: self._launch(pods[-1]))

    def stop(self) -> None:
        """Ends the controller, if it runs."""
        self.container.stop()

    def _pods(self, deployment: Deployment) -> list[Pod]:
        """Pods that have a node and stay, newest last."""
        assert deployment.spec
        namespace, _ = cluster.name_of(deployment)
        selector = cast(Any, deployment.spec.selector).matchLabels
        pods = cluster.listed(self.client, Pod, namespace=namespace, labels=selector)
        placed = [pod for pod in pods if cluster.node_of(pod) and not cluster.leaving(pod)]
        return sorted(placed, key=lambda pod: str(pod.metadata and pod.metadata.creationTimestamp))

    def _environment(self, pods: Sequence[Pod]) -> Mapping[str, str]:
        """Environment of the newest pod's container, plus what EKS's webhook and agent add. Raises
        NoCredentialsError, or UnreadableError about a variable that cannot be set here.
        """
        pod = pods[-1]
        assert pod.spec
        account = service_account(self.client, pod)
        granted = self.aws.grant(account, pod)
        token = karpenter_login.aws_token(self.state)
        added = pod_login.aws_environment(self.aws, granted, token)
        # The region of the container itself comes first, as with the webhook.
        return {**added, **environment(pod), **pod_login.OFFLINE}

    def _launch(self, pod: Pod) -> Launch:
        account = service_account(self.client, pod)
        login = karpenter_login.write(self.state, self.client, account)
        metrics, health = free_ports(2)
        self.state.karpenter_metrics.write_text(f"http://127.0.0.1:{metrics}/metrics\n")
        aws = self.state.endpoints["aws"]
        ours = {
            "KUBECONFIG": str(login),
            "AWS_ENDPOINT_URL": aws,
            # The SDK for Go gets its credentials before it reads the line above.
            "AWS_ENDPOINT_URL_STS": aws,
            "METRICS_PORT": str(metrics),
            "HEALTH_PROBE_PORT": str(health),
            # It would wait for the lease of the process before it.
            "DISABLE_LEADER_ELECTION": "true",
        }
        return Launch(argv=[self.binary], environment=ours, port=health)
