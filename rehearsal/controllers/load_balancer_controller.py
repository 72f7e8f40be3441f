"""Plays the AWS Load Balancer Controller: Services and Ingresses get balancers, and stay until
these are deleted.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

from lightkube.core.client import Client
from lightkube.core.exceptions import ApiError
from lightkube.resources.core_v1 import Service
from lightkube.resources.networking_v1 import Ingress, IngressClass
from lightkube.types import PatchType

from rehearsal.controllers import ingress_model, running, service_model
from rehearsal.controllers.arguments import Arguments, ArgumentsError
from rehearsal.controllers.balancers import LoadBalancers
from rehearsal.controllers.model import Model, ModelError, Owner, Settings
from rehearsal.controllers.pod_session import PodSessions
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AWS_ERRORS, NoCredentialsError, PlayedAws

NAME = "aws-load-balancer-controller"
NLB_DELETE_SECONDS = 12.0
"""Until AWS lets go of a deleted balancer's security group. On AWS it takes 25 to 32 s. ExternalDNS
comes in between as there: it acts 5 s after the last of several events."""
RETRY_SECONDS = 3.0
"""Seconds between tries after an error, and while the controller waits for AWS."""

Thing = Service | Ingress


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A Service or Ingress that has a balancer, or should have one."""

    thing: Thing
    owner: Owner
    finalizer: str
    wanted: bool
    """False if what was created for it must be deleted."""
    model: Callable[[], Model]


class LoadBalancerController:
    """Plays the controller, only while a pod of its Deployment is ready, as on AWS."""

    def __init__(self, client: Client, aws: PlayedAws, sessions: PodSessions) -> None:
        self.client, self.aws, self.sessions = client, aws, sessions
        self.events = cluster.Events(client, NAME)
        self.released_at: dict[str, float] = {}
        """Times at which balancers were deleted, by the owner's uid; monotonic seconds."""

    def reconcile(self) -> float | None:
        """Reconciles once; returns the seconds until the next look, None if never."""
        controllers = running.running(self.client, NAME)
        if not controllers:
            return None
        leader = controllers[0]
        try:
            arguments = leader.arguments()
            settings = Settings.read(arguments)
        except ArgumentsError as error:
            self.events.warn(leader.pod, "BackOff", str(error))
            return RETRY_SECONDS
        claims = self._claims(arguments, settings)
        if not claims:
            return None
        try:
            session = self.sessions.open(leader)
        except (NoCredentialsError, *AWS_ERRORS) as error:
            for claim in claims:
                self.events.warn(claim.thing, "FailedBuildModel", f"no AWS credentials: {error}")
            return RETRY_SECONDS
        balancers = LoadBalancers(session, settings, self.aws.ec2)
        waits = [self._settle(claim, balancers) for claim in claims]
        return min((seconds for seconds in waits if seconds is not None), default=None)

    def _claims(self, arguments: Arguments, settings: Settings) -> list[Claim]:
        services = cluster.listed(self.client, Service, namespace=cluster.ALL)
        ingresses = cluster.listed(self.client, Ingress, namespace=cluster.ALL)
        classes = ingress_model.our_classes(cluster.listed(self.client, IngressClass))
        by_name = {cluster.name_of(service): service for service in services}
        claims = [
            _claim(
                service,
                "service",
                service_model.is_ours(service, arguments),
                _of_service(service, settings),
            )
            for service in services
        ]
        claims += [
            _claim(
                ingress,
                "ingress",
                ingress_model.is_ours(ingress, classes, arguments),
                _of_ingress(ingress, by_name, settings),
            )
            for ingress in ingresses
        ]
        return [
            claim for claim in claims if claim.wanted or claim.finalizer in finalizers(claim.thing)
        ]

    def _settle(self, claim: Claim, balancers: LoadBalancers) -> float | None:
        """Settles one claim; returns the seconds until more is to do, None if it is done."""
        try:
            left = None
            if claim.wanted:
                self._deploy(claim, balancers)
            else:
                left = self._release(claim, balancers)
            self.events.well(claim.thing)
            return left
        except ModelError as error:
            self.events.warn(claim.thing, "FailedBuildModel", str(error))
        except AWS_ERRORS as error:
            self.events.warn(claim.thing, "FailedDeployModel", str(error))
        except ApiError as error:
            if error.status.code not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:
                raise
        return RETRY_SECONDS

    def _deploy(self, claim: Claim, balancers: LoadBalancers) -> None:
        model = claim.model()
        self.released_at.pop(claim.owner.uid, None)
        held = finalizers(claim.thing)
        if claim.finalizer not in held:
            self._patch_finalizers(claim.thing, [*held, claim.finalizer])
        hostname = balancers.ensure(model)
        if hostname != hostname_of(claim.thing):
            self._patch_status(claim.thing, {"ingress": [{"hostname": hostname}]})

    def _release(self, claim: Claim, balancers: LoadBalancers) -> float | None:
        uid = claim.owner.uid
        if balancers.delete_balancers(claim.owner) or uid not in self.released_at:
            self.released_at.setdefault(uid, time.monotonic())
        left = self.released_at[uid] + NLB_DELETE_SECONDS - time.monotonic()
        if left > 0:
            return left
        balancers.delete_rest(claim.owner)
        held = finalizers(claim.thing)
        self._patch_finalizers(
            claim.thing, [finalizer for finalizer in held if finalizer != claim.finalizer]
        )
        if not cluster.leaving(claim.thing):
            self._patch_status(claim.thing, None)
        del self.released_at[uid]
        return None

    def _patch_finalizers(self, thing: Thing, finalizers: list[str]) -> None:
        namespace, name = cluster.name_of(thing)
        # Only if nobody else has changed the list in between.
        version = cast(Any, thing.metadata).resourceVersion
        body = {"metadata": {"finalizers": finalizers, "resourceVersion": version}}
        self._send(type(thing), name, namespace, body)

    def _patch_status(self, thing: Thing, balancer: dict[str, Any] | None) -> None:
        namespace, name = cluster.name_of(thing)
        kind = Service.Status if isinstance(thing, Service) else Ingress.Status
        self._send(kind, name, namespace, {"status": {"loadBalancer": balancer}})

    def _send(self, kind: type, name: str, namespace: str, body: dict[str, Any]) -> None:
        client = cast(Any, self.client)
        client.patch(kind, name, body, namespace=namespace, patch_type=PatchType.MERGE)


def finalizers(thing: Thing) -> list[str]:
    """Finalizers of an object, which delay its deletion."""
    return list(cast(Any, thing.metadata).finalizers or [])


def hostname_of(thing: Thing) -> str | None:
    """Hostname of the balancer in the object's status."""
    status = cast(Any, thing.status)
    balancer = status and status.loadBalancer
    return balancer.ingress[0].hostname if balancer and balancer.ingress else None


def _claim(thing: Thing, kind: str, ours: bool, model: Callable[[], Model]) -> Claim:
    namespace, name = cluster.name_of(thing)
    return Claim(
        thing=thing,
        owner=Owner(kind=kind, namespace=namespace, name=name, uid=cluster.uid_of(thing)),
        finalizer=service_model.FINALIZER if kind == "service" else ingress_model.FINALIZER,
        wanted=ours and not cluster.leaving(thing),
        model=model,
    )


def _of_service(service: Service, settings: Settings) -> Callable[[], Model]:
    return lambda: service_model.model(service, settings)


def _of_ingress(
    ingress: Ingress, services: ingress_model.Services, settings: Settings
) -> Callable[[], Model]:
    return lambda: ingress_model.model(ingress, services, settings)
