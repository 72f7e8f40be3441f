"""Finds controllers that run: Deployments with a ready pod."""

from dataclasses import dataclass
from typing import Any, cast

from lightkube.core.client import Client
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Pod

from rehearsal.controllers.arguments import Arguments
from rehearsal.nodes import cluster
from rehearsal.nodes.fargate import service_account
from rehearsal.nodes.pod_credentials import ServiceAccount

NAME = "app.kubernetes.io/name"


@dataclass(frozen=True, kw_only=True)
class Running:
    """A controller; if it has several replicas, the leading one."""

    pod: Pod
    account: ServiceAccount

    def arguments(self) -> Arguments:
        """Arguments of the controller. Raises ArgumentsError about a word that is no option."""
        assert self.pod.spec
        return Arguments(self.pod.spec.containers[0].args or [])


def running(client: Client, name: str) -> list[Running]:
    """One controller for each Deployment with the label app.kubernetes.io/name, oldest first."""
    deployments = cluster.listed(client, Deployment, namespace=cluster.ALL, labels={NAME: name})
    pods = [_ready_pod(client, deployment) for deployment in sorted(deployments, key=_age)]
    return [
        Running(pod=pod, account=service_account(client, pod)) for pod in pods if pod is not None
    ]


def _ready_pod(client: Client, deployment: Deployment) -> Pod | None:
    """Newest ready pod, whose arguments count while an old one is being replaced."""
    if cluster.leaving(deployment):
        return None
    assert deployment.spec
    namespace, _ = cluster.name_of(deployment)
    selector = cast(Any, deployment.spec.selector).matchLabels
    pods = cluster.listed(client, Pod, namespace=namespace, labels=selector)
    ready = [pod for pod in pods if is_ready(pod) and not cluster.leaving(pod)]
    return max(ready, key=_age, default=None)


def is_ready(pod: Pod) -> bool:
    """True if the pod's Ready condition is true."""
    conditions = (pod.status and pod.status.conditions) or []
    return any(condition.type == "Ready" and condition.status == "True" for condition in conditions)


def _age(thing: cluster.HasMetadata) -> str:
    return str(thing.metadata and thing.metadata.creationTimestamp)
