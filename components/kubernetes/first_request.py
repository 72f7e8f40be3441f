"""The first request to a cluster's API, for whose answer an update waits.

EKS reports ACTIVE before the endpoint's name resolves, and an administrator's access before the API
servers know of it, one after the other (aws/containers-roadmap#654, gravitational/teleport#37958).
pulumi-kubernetes asks once, and treats a cluster that does not answer as unreachable until the run
ends.
"""

import asyncio
import http.client
import socket
import ssl
import time
import urllib.error
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple, Protocol

import pulumi

from .api import UNANSWERED, KubernetesApi, RefusedError

AS_ADMINISTRATOR = "/api/v1/namespaces/kube-system"
"""Path that the API serves to whoever may read every namespace."""
AS_ANYBODY_KNOWN = "/api"
"""Path that the API serves to everybody whom the cluster knows (system:discovery)."""


class Refusal(NamedTuple):
    """Why a request had no useful answer."""

    problem: str
    remedy: str
    """What to do if waiting does not help."""


class Api(Protocol):
    """The Kubernetes API of a cluster, used by whoever deploys."""

    def get(self, path: str) -> Refusal | None:
        """Requests a path; None if the API answers. Raises RunError if waiting cannot help."""
        ...


class ApiServer(KubernetesApi):
    """The API server that a kubeconfig of components/kubernetes/kubeconfig.py names."""

    def get(self, path: str) -> Refusal | None:
        """Requests a path, as in `Api`. Raises RunError if the kubeconfig's command prints no
        token.
        """
        try:
            self.ask(path)
        except RefusedError as error:
            return _refused(error.status, path)
        except urllib.error.URLError as error:
            return _unreached(error.reason, self.server)
        except UNANSWERED as error:
            return _unreached(error, self.server)
        return None


def _refused(status: int, path: str) -> Refusal:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return Refusal(
                "it does not know who deploys (401 Unauthorized)",
                "is the role or user that deploys in cluster.admins, and is this machine's clock "
                "right? An access entry knows a role by its id: for one that was deleted and made "
                "again, `aws eks delete-access-entry` and `pulumi up --refresh` make a new entry",
            )
        case HTTPStatus.FORBIDDEN:
            return Refusal(
                f"it lets who deploys not read {path} (403 Forbidden)",
                "`aws eks list-associated-access-policies` shows whether the entry of who deploys "
                "still has AmazonEKSClusterAdminPolicy; `pulumi up --refresh` gives it back",
            )
        case _:
            return Refusal(
                f"it answers {status} {http.client.responses.get(status, '')}".rstrip(),
                "a proxy may stand between (HTTPS_PROXY, NO_PROXY); else AWS's health dashboard "
                "tells of trouble with EKS",
            )


def _unreached(reason: object, server: str) -> Refusal:
    inside = "deploy from inside the VPC (bastion, VPN)"
    if isinstance(reason, socket.gaierror):
        return Refusal(
            f"its name does not resolve ({reason.strerror})",
            f"`nslookup {server.removeprefix('https://')}` asks this machine's resolver, which may "
            f"keep an old answer or refuse private addresses: wait and run again, or {inside}",
        )
    if isinstance(reason, ssl.SSLError):
        return Refusal(
            f"its certificate is not the cluster's ({reason})",
            "something between this machine and AWS answers in its place: name the endpoint in "
            "NO_PROXY",
        )
    return Refusal(
        f"no connection comes about ({reason})",
        "does cluster.endpoint.publicCidrs contain this machine's public address? Without a public "
        f"endpoint, {inside}",
    )


CONNECT: ContextVar[Callable[[str], Api]] = ContextVar("CONNECT", default=ApiServer)
"""Makes an Api from a kubeconfig; a recording of a program replaces it."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """For how long, and how often, an update asks the API."""

    seconds: float = 300.0
    """Longest wait. 30 to 120 have been seen for the endpoint's name, 5 to 60 for an access
    entry.
    """
    pause: float = 1.0
    """Seconds between two requests to the API."""
    told_every: float = 30.0
    """Seconds between two lines of the log."""
    in_a_row: int = 3
    """Answers in a row that are required after a refusal: API servers learn of an access entry one
    by one.
    """


PATIENT = Patience()


def usable(
    kubeconfig: pulumi.Output[str],
    path: str,
    *,
    owner: pulumi.Resource,
    needs: Sequence[pulumi.CustomResource] = (),
) -> pulumi.Output[str]:
    """The kubeconfig, which in an update resolves only once the API has answered.

    `path` is requested after the resources in `needs` exist. The output raises RunError with the
    last refusal and its remedy if the API does not answer in time.
    """
    # A preview asks nothing: it may run where the endpoint cannot be reached. Nor does it wait for
    # `needs`, which would make the kubeconfig unknown whenever an administrator is added.
    if pulumi.runtime.is_dry_run():
        return kubeconfig
    made = [resource.id for resource in needs]
    everything: pulumi.Output[list[str]] = pulumi.Output.all(kubeconfig, *made)
    return everything.apply(lambda known: answered(known[0], path, owner=owner))


async def answered(
    kubeconfig: str, path: str, *, owner: pulumi.Resource, patience: Patience = PATIENT
) -> str:
    """The kubeconfig as soon as the API answers; the event loop keeps running meanwhile.

    Raises RunError if the API does not answer in time.
    """
    api = CONNECT.get()(kubeconfig)
    began = logged = time.monotonic()
    wanted = answers = 0
    while True:
        refusal = await asyncio.to_thread(api.get, path)
        answers = 0 if refusal else answers + 1
        if not refusal and answers >= wanted:
            return kubeconfig
        now = time.monotonic()
        if refusal:
            if now - began >= patience.seconds:
                raise pulumi.RunError(
                    f"the Kubernetes API has not answered for {patience.seconds / 60:.0f} minutes; "
                    f"at last {refusal.problem}: {refusal.remedy}"
                )
            if not wanted or now - logged >= patience.told_every:
                logged = now
                pulumi.log.info(
                    f"the Kubernetes API is not usable yet, since {refusal.problem}; waiting up to "
                    f"{patience.seconds / 60:.0f} minutes, {now - began:.0f} s so far",
                    owner,
                )
            wanted = patience.in_a_row
        await asyncio.sleep(patience.pause)
