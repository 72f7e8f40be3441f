"""The rehearsal's API server as EKS uses it: whole objects, applied and deleted."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import httpx2
import lightkube
from lightkube import ApiError, KubeConfig
from lightkube.codecs import from_dict, resource_registry
from lightkube.core.exceptions import ConfigError
from lightkube.core.resource import NamespacedResource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Pod
from lightkube.types import CascadeType

from rehearsal.aws.aws_errors import AwsError

Object = dict[str, Any]
"""A Kubernetes object in its manifest's form."""

NOT_FOUND, CONFLICT, TOO_MANY_REQUESTS = 404, 409, 429
TIMEOUT = 10.0  # seconds; the API server is on this machine
FIELD_MANAGER = "eks"
UNREACHABLE = (httpx2.TransportError, ConfigError)


class Conflict(Exception):
    """Another field manager owns a field to be applied."""


class Kubernetes(Protocol):
    """Operations that EKS needs of the API server. They raise AwsError if it does not answer."""

    def check(self) -> None:
        """Raises AwsError unless the API server answers."""
        ...

    def apply(self, objects: Iterable[Object], *, force: bool = True) -> None:
        """Creates or changes objects. Raises Conflict if others own fields and `force` is off."""
        ...

    def delete(self, objects: Iterable[Object], *, grace: int | None = None) -> None:
        """Deletes objects with all they own; absent objects are skipped. `grace` is the pods' grace
        period in seconds; None leaves it to the pods.
        """
        ...

    def evict(self, pod: Object) -> None:
        """Requests a pod's eviction; the pod stays if a disruption budget forbids it."""
        ...

    def get(self, wanted: Object) -> Object | None:
        """The object of that apiVersion, kind, name and namespace, or None."""
        ...

    def list(
        self, api_version: str, kind: str, labels: Mapping[str, str] | None = None
    ) -> list[Object]:
        """Objects of a kind with these labels, in all namespaces."""
        ...


class ApiServer:
    """The real API server, through a kubeconfig."""

    def __init__(self, kubeconfig: Path) -> None:
        """The kubeconfig file may appear later: it is read at the first call."""
        self._kubeconfig = kubeconfig
        self._connected: lightkube.Client | None = None

    def close(self) -> None:
        """Close the connections."""
        if self._connected:
            self._connected.close()

    def check(self) -> None:
        self.list("v1", "Namespace")

    def apply(self, objects: Iterable[Object], *, force: bool = True) -> None:
        for wanted in objects:
            try:
                self._client.apply(
                    cast(Any, from_dict(wanted)), field_manager=FIELD_MANAGER, force=force
                )
            except ApiError as error:
                if error.status.code == CONFLICT and not force:
                    raise Conflict(error.status.message) from error
                raise
            except UNREACHABLE as error:
                raise self._unreachable(error) from error

    def delete(self, objects: Iterable[Object], *, grace: int | None = None) -> None:
        for unwanted in objects:
            meta = unwanted["metadata"]
            options = {"namespace": meta["namespace"]} if "namespace" in meta else {}
            try:
                self._client.delete(
                    _resource(unwanted),
                    meta["name"],
                    grace_period=grace,
                    cascade=CascadeType.BACKGROUND,
                    **options,
                )
            except ApiError as error:
                if error.status.code != NOT_FOUND:
                    raise
            except UNREACHABLE as error:
                raise self._unreachable(error) from error

    def evict(self, pod: Object) -> None:
        meta = pod["metadata"]
        name, namespace = meta["name"], meta["namespace"]
        eviction = Pod.Eviction(metadata=ObjectMeta(name=name, namespace=namespace))
        try:
            self._client.create(eviction, name, namespace=namespace)
        except ApiError as error:
            if error.status.code not in (NOT_FOUND, TOO_MANY_REQUESTS):
                raise
        except UNREACHABLE as error:
            raise self._unreachable(error) from error

    def get(self, wanted: Object) -> Object | None:
        meta = wanted["metadata"]
        options = {"namespace": meta["namespace"]} if "namespace" in meta else {}
        try:
            return self._client.get(_resource(wanted), meta["name"], **options).to_dict()
        except ApiError as error:
            if error.status.code == NOT_FOUND:
                return None
            raise
        except UNREACHABLE as error:
            raise self._unreachable(error) from error

    def list(
        self, api_version: str, kind: str, labels: Mapping[str, str] | None = None
    ) -> list[Object]:
        resource = cast(Any, resource_registry.load(api_version, kind))
        options: dict[str, Any] = {"labels": dict(labels)} if labels else {}
        if issubclass(resource, NamespacedResource):
            options["namespace"] = "*"
        try:
            return [item.to_dict() for item in self._client.list(resource, **options)]
        except UNREACHABLE as error:
            raise self._unreachable(error) from error

    @property
    def _client(self) -> Any:
        if self._connected is None:
            try:
                config = KubeConfig.from_file(self._kubeconfig)
                self._connected = lightkube.Client(config, timeout=cast(Any, TIMEOUT))
            except (ConfigError, OSError) as error:
                raise self._unreachable(error) from error
        return self._connected

    def _unreachable(self, error: Exception) -> AwsError:
        return AwsError(
            "InvalidRequestException",
            f"The rehearsal's API server does not answer ({error}): start the control plane of "
            f"{self._kubeconfig}, then try again",
        )


def remove_nodes(kubernetes: Kubernetes, names: Collection[str]) -> None:
    """Deletes nodes and the pods on them."""
    if not names:
        return
    kubernetes.delete(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in names
    )
    pods = kubernetes.list("v1", "Pod")
    # Nobody is left on the node to tell that they ended.
    kubernetes.delete((pod for pod in pods if pod["spec"].get("nodeName") in names), grace=0)


def _resource(of: Object) -> Any:
    return resource_registry.load(of["apiVersion"], of["kind"])
