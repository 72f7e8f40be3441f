"""Runs the real Node Termination Handler for each of its pods that has a node."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError
from lightkube.resources.core_v1 import Node, Pod

from rehearsal.nodes import cluster, metadata, namespaces, pod_login
from rehearsal.nodes.container import Container, Launch
from rehearsal.nodes.container_env import UnreadableError, environment
from rehearsal.nodes.fargate import service_account
from rehearsal.nodes.pod_credentials import AUDIENCE, NoCredentialsError, PlayedAws
from rehearsal.ports import free_ports
from rehearsal.state import State, write_private

NAME = "node-termination-handler"
LABEL = {"app.kubernetes.io/name": "aws-node-termination-handler"}
QUEUE_MODE = "ENABLE_SQS_TERMINATION_DRAINING"
ENDED = ("Succeeded", "Failed")
TOKEN = "eks.amazonaws.com/serviceaccount/token"
"""Path of the token for STS below namespaces.SECRETS, as EKS's webhook sets it."""


class NoMetadataError(Exception):
    """Why a pod would not reach its instance's metadata, in one sentence."""


class NodeGoneError(Exception):
    """The pod's node is gone, and the pod will follow."""


class TerminationHandlers:
    """Runs a process for each pod: replicas share the queue, in IMDS mode each has its node.

    Where Linux namespaces cannot be had no program runs, and its pods are taken for ready.
    """

    name = NAME

    def __init__(self, state: State, client: Client, aws: PlayedAws, binary: Path) -> None:
        self.state, self.client, self.aws, self.binary = state, client, aws, binary
        self.metadata = metadata.Metadata(state)
        self.metadata_url = metadata.serve(self.metadata)
        self.containers: dict[str, Container] = {}
        """Containers by the uid of the pod."""

    @property
    def comes_up(self) -> bool:
        return any(container.comes_up for container in self.containers.values())

    def reconcile(self) -> None:
        """Reconciles all of the handler's pods and their processes once."""
        listed = cluster.listed(self.client, Pod, namespace=cluster.ALL, labels=LABEL)
        pods = {cluster.uid_of(pod): pod for pod in listed if _runs(pod)}
        for uid in self.containers.keys() - pods.keys():
            self.containers.pop(uid).stop()
            shutil.rmtree(self._folder(uid), ignore_errors=True)
        for pod in pods.values():
            if namespaces.missing():
                cluster.annotate(self.client, pod, {cluster.HEALTHY: "true"})
            else:
                self._keep(pod)

    def stop(self) -> None:
        """Ends all handlers."""
        for container in self.containers.values():
            container.stop()

    def _keep(self, pod: Pod) -> None:
        uid = cluster.uid_of(pod)
        if uid not in self.containers:
            named = cluster.name_of(pod)[1]
            self.containers[uid] = Container(self.state, self.client, named, "/healthz")
        container = self.containers[uid]
        try:
            wanted = self._environment(pod)
        except NodeGoneError:
            container.stop()
            return
        except (NoCredentialsError, NoMetadataError, UnreadableError) as error:
            container.stop()
            container.fail([pod], str(error))
            return
        container.keep([pod], wanted, lambda: self._launch(pod))

    def _environment(self, pod: Pod) -> Mapping[str, str]:
        """Environment of the container, including what EKS or its node adds. Raises
        NoCredentialsError, NoMetadataError, or UnreadableError about a variable.
        """
        assert pod.spec
        own = environment(pod)
        if own.get(QUEUE_MODE, "").lower() != "true":
            return {**own, **pod_login.OFFLINE, "INSTANCE_METADATA_URL": self._metadata_of(pod)}
        account = service_account(self.client, pod)
        granted = self.aws.grant(account, pod)
        token = Path(namespaces.SECRETS) / TOKEN
        added = pod_login.aws_environment(self.aws, granted, token)
        given = {name: value for name, value in own.items() if value or name not in added}
        return {**added, **given, **pod_login.OFFLINE}

    def _metadata_of(self, pod: Pod) -> str:
        """Address of the pod's instance metadata. Raises NoMetadataError or NodeGoneError."""
        assert pod.spec
        try:
            node = self.client.get(Node, cluster.node_of(pod) or "")
        except ApiError as error:
            if not cluster.gone(error):
                raise
            raise NodeGoneError from None
        assert node.spec
        instance = (node.spec.providerID or "").rpartition("/")[2]
        if not instance.startswith("i-"):
            raise NoMetadataError(f"node {cluster.node_of(pod)} is no instance of EC2")
        options = self.metadata.instance(instance).get("MetadataOptions", {})
        if not pod.spec.hostNetwork and options.get("HttpPutResponseHopLimit", 1) < 2:  # noqa: PLR2004
            raise NoMetadataError(
                f"the metadata of {instance} answers no pod (hop limit 1): "
                "it needs the network of its host"
            )
        return f"{self.metadata_url}/{instance}"

    def _launch(self, pod: Pod) -> Launch:
        assert pod.spec
        account = service_account(self.client, pod)
        named = (account.namespace, account.name)
        folder = self._folder(cluster.uid_of(pod))
        folder.mkdir(parents=True, exist_ok=True)
        write_private(folder / "token", cluster.token(self.client, *named))
        write_private(folder / "aws-token", cluster.token(self.client, *named, [AUDIENCE]))
        own = "kubernetes.io/serviceaccount"
        files = {
            f"{own}/token": folder / "token",
            f"{own}/ca.crt": self.state.certificate,
            TOKEN: folder / "aws-token",
        }
        arguments = pod.spec.containers[0].args or []
        host, _, port = self.state.endpoints["apiServer"].removeprefix("https://").partition(":")
        metrics, health = free_ports(2)
        ours = {
            "KUBERNETES_SERVICE_HOST": host,
            "KUBERNETES_SERVICE_PORT": port,
            # Its own setting for tests: the SDK of its time knows no AWS_ENDPOINT_URL.
            "AWS_ENDPOINT": self.state.endpoints["aws"],
            # The pods of a machine share its ports here, and a probe tells when it is up.
            "PROMETHEUS_SERVER_PORT": str(metrics),
            "ENABLE_PROBES_SERVER": "true",
            "PROBES_SERVER_PORT": str(health),
            "PROBES_SERVER_ENDPOINT": "/healthz",
        }
        argv = namespaces.command(files, [self.binary, *arguments])
        return Launch(argv=argv, environment=ours, port=health)

    def _folder(self, uid: str) -> Path:
        return self.state.path / NAME / uid


def _runs(pod: Pod) -> bool:
    """True if the pod has a node, has not ended and stays."""
    ended = bool(pod.status and pod.status.phase in ENDED)
    return bool(cluster.node_of(pod)) and not ended and not cluster.leaving(pod)
