"""Which controllers run: Deployments with a pod that is ready."""

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
    """One controller: of several replicas one leads, and this is it."""

    pod: Pod
    account: ServiceAccount

    def arguments(self) -> Arguments:
        """Raises ArgumentsError about a word that is no option."""
        assert self.pod.spec
        return Arguments(self.pod.spec.containers[0].args or [])


def running(client: Client, name: str) -> list[Running]:
    """One a Deployment with the label app.kubernetes.io/name, the oldest Deployment first."""
    deployments = cluster.listed(client, Deployment, namespace=cluster.ALL, labels={NAME: name})
    pods = [_ready_pod(client, one) for one in sorted(deployments, key=_age)]
    return [
        Running(pod=pod, account=service_account(client, pod)) for pod in pods if pod is not None
    ]


def _ready_pod(client: Client, deployment: Deployment) -> Pod | None:
    """The newest, whose arguments count while an old one is being replaced."""
    if cluster.leaving(deployment):
        return None
    assert deployment.spec
    namespace, _ = cluster.name_of(deployment)
    selector = cast(Any, deployment.spec.selector).matchLabels
    found = cluster.listed(client, Pod, namespace=namespace, labels=selector)
    ready = [pod for pod in found if is_ready(pod) and not cluster.leaving(pod)]
    return max(ready, key=_age, default=None)


def is_ready(pod: Pod) -> bool:
    """Whether the pod's own condition says so."""
    conditions = (pod.status and pod.status.conditions) or []
    return any(one.type == "Ready" and one.status == "True" for one in conditions)


def _age(thing: cluster.HasMetadata) -> str:
    return str(thing.metadata and thing.metadata.creationTimestamp)
