"""Client of the local API server for the played data plane and the played controllers."""

import datetime
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol, TypeVar, cast

import httpx2
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError, LoadResourceError
from lightkube.models.authentication_v1 import TokenRequestSpec
from lightkube.models.core_v1 import EventSource, ObjectReference
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Event, Pod, Service, ServiceAccount
from lightkube.resources.networking_v1 import Ingress
from lightkube.types import PatchType

from rehearsal.state import State

ALL = "*"
"""All namespaces, in lightkube's spelling."""
NOT_READY = "rehearsal.frugal-eks/not-ready"
"""Annotation with the reason why a pod's containers cannot run: kwok then plays that they crash."""
HEALTHY = "rehearsal.frugal-eks/healthy"
"""Annotation on the pods of REAL_PROGRAMS while the real program answers its health probe."""
REAL_PROGRAMS = ("karpenter", "aws-node-termination-handler")
"""Programs by the label app.kubernetes.io/name of their pods; kwok's stages name them too."""
UNREACHABLE = (httpx2.HTTPError, OSError)
PAUSE = 0.5
"""Seconds before a broken watch is restarted."""

Kind = TypeVar("Kind")
API_VERSIONS: dict[type, str] = {
    Pod: "v1",
    Service: "v1",
    Deployment: "apps/v1",
    Ingress: "networking.k8s.io/v1",
}
"""API versions of the kinds that are watched, and that events are about."""
TOKEN_SECONDS = 24 * 60 * 60


class HasMetadata(Protocol):
    """Any object of the API."""

    @property
    def metadata(self) -> ObjectMeta | None: ...


def connect(state: State, manager: str = "rehearsal-nodes") -> Client:
    """A client for one thread, as administrator; `manager` owns the fields that it sets."""
    config = KubeConfig.from_file(state.control_plane / "kubeconfig").get()
    return Client(config=config, trust_env=False, field_manager=manager)


def listed(client: Client, kind: type[Kind], **options: object) -> list[Kind]:
    """Objects of a kind; the options are those of `Client.list`."""
    # lightkube's own types leave dictionaries open, here and below.
    return list(cast(Any, client).list(kind, **options))


def labels(thing: HasMetadata) -> dict[str, str]:
    """The labels of an object, {} if it has none."""
    return cast(Any, thing.metadata).labels or {} if thing.metadata else {}


def annotations(thing: HasMetadata) -> dict[str, str]:
    """The annotations of an object, {} if it has none."""
    return cast(Any, thing.metadata).annotations or {} if thing.metadata else {}


def name_of(thing: HasMetadata) -> tuple[str, str]:
    """Namespace and name of an object."""
    assert thing.metadata
    return thing.metadata.namespace or "default", thing.metadata.name or ""


def uid_of(thing: HasMetadata) -> str:
    assert thing.metadata
    return thing.metadata.uid or ""


def node_of(pod: Pod) -> str | None:
    """Node that a pod is bound to."""
    return pod.spec.nodeName if pod.spec else None


def leaving(thing: HasMetadata) -> bool:
    """True if the object is being deleted."""
    return bool(thing.metadata and thing.metadata.deletionTimestamp)


def annotate(client: Client, pod: Pod, changes: Mapping[str, str | None]) -> None:
    """Sets annotations of a pod, or removes those whose value is None; a missing pod is no
    error.
    """
    current = annotations(pod)
    wanted = {key: value for key, value in changes.items() if current.get(key) != value}
    if not wanted:
        return
    namespace, name = name_of(pod)
    body = {"metadata": {"annotations": wanted}}
    try:
        cast(Any, client).patch(Pod, name, body, namespace=namespace, patch_type=PatchType.MERGE)
    except ApiError as error:
        if not gone(error):
            raise


def gone(error: ApiError) -> bool:
    """True if the API server says that there is no such object (any more)."""
    return error.status.code == HTTPStatus.NOT_FOUND


def token(client: Client, namespace: str, account: str, audiences: Sequence[str] = ()) -> str:
    """Token of a service account as its pods get it; without audiences for the API server."""
    spec = TokenRequestSpec(audiences=list(audiences), expirationSeconds=TOKEN_SECONDS)
    request = ServiceAccount.Token(spec=spec, metadata=ObjectMeta())
    answer = client.create(request, account, namespace=namespace)
    assert answer.status
    assert answer.status.token
    return answer.status.token


class Events:
    """Warning events about objects; a repeated message about one object is sent once."""

    def __init__(self, client: Client, component: str) -> None:
        self.client, self.component = client, component
        self.last_words: dict[str, str] = {}

    def well(self, thing: HasMetadata) -> None:
        """Notes that an object is well: the next message is sent even if it is the same."""
        self.last_words.pop(uid_of(thing), None)

    def warn(self, thing: HasMetadata, reason: str, message: str) -> None:
        """Sends a message as an event, and logs it."""
        if self.last_words.get(uid_of(thing)) == message:
            return
        self.last_words[uid_of(thing)] = message
        namespace, name = name_of(thing)
        kind = type(thing).__name__
        print(f"{kind} {namespace}/{name}: {reason}: {message}", flush=True)
        now = datetime.datetime.now(datetime.UTC)
        about = ObjectReference(
            apiVersion=API_VERSIONS[type(thing)],
            kind=kind,
            namespace=namespace,
            name=name,
            uid=uid_of(thing),
        )
        event = Event(
            metadata=ObjectMeta(generateName=f"{name}.", namespace=namespace),
            involvedObject=about,
            type="Warning",
            reason=reason,
            message=message[:1024],
            source=EventSource(component=self.component),
            firstTimestamp=now,
            lastTimestamp=now,
            count=1,
        )
        try:
            self.client.create(event, namespace=namespace)
        except ApiError as error:
            # The namespace is going: nobody will read it there.
            print(f"event not stored: {error.status.message}", flush=True)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Objects of a kind to watch, in all namespaces."""

    kind: type
    """Kind of the objects, one of API_VERSIONS."""
    fields: Mapping[str, str] | None = None
    labels: Mapping[str, str | Sequence[str]] | None = None
    """Labels to select by; of several values any one matches."""


def watch(
    client: Client, chosen: Selection, changed: threading.Event, stopping: threading.Event
) -> None:
    """Set `changed` after each change of these objects until `stopping`; never raises.

    What exists counts as changed at first and after each time that the watch broke off.
    """
    reachable = True
    while not stopping.is_set():
        try:
            for _ in cast(Any, client).watch(
                chosen.kind, namespace=ALL, fields=chosen.fields, labels=chosen.labels
            ):
                reachable = True
                changed.set()
        except (ApiError, LoadResourceError, *UNREACHABLE) as error:
            if reachable:
                print(f"watching {chosen.kind.__name__} broke off: {error}", flush=True)
            reachable = False
            time.sleep(PAUSE)
