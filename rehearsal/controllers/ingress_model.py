"""Models the Application Load Balancer of an Ingress."""

import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from lightkube.resources.core_v1 import Service
from lightkube.resources.networking_v1 import Ingress, IngressClass

from rehearsal.controllers.arguments import Arguments
from rehearsal.controllers.model import (
    APPLICATION,
    EVERYWHERE,
    INTERNAL,
    INTERNET_FACING,
    TARGETS,
    Listener,
    Model,
    ModelError,
    Owner,
    Settings,
    one_of,
    words,
)
from rehearsal.nodes import cluster

PREFIX = "alb.ingress.kubernetes.io/"
FINALIZER = "ingress.k8s.aws/resources"
CONTROLLER = "ingress.k8s.aws/alb"
OLD_CLASS = "kubernetes.io/ingress.class"

Services = Mapping[tuple[str, str], Service]
"""Services by namespace and name."""


def our_classes(classes: Collection[IngressClass]) -> set[str]:
    """Names of the ingress classes that the controller serves."""
    return {
        ingress_class.metadata.name or ""
        for ingress_class in classes
        if ingress_class.metadata
        and ingress_class.spec
        and ingress_class.spec.controller == CONTROLLER
    }


def is_ours(ingress: Ingress, classes: Collection[str], arguments: Arguments) -> bool:
    """True if the controller handles the Ingress."""
    old = cluster.annotations(ingress).get(OLD_CLASS)
    if old is not None:
        return old == arguments.text("ingress-class", "alb")
    return bool(ingress.spec and ingress.spec.ingressClassName in classes)


def model(ingress: Ingress, services: Services, settings: Settings) -> Model:
    """Model of an Ingress's balancer. Raises ModelError about what the controller refuses, or what
    is not played.
    """
    if _annotation(ingress, "group.name"):
        raise ModelError(f"{PREFIX}group.name is not played by the rehearsal")
    target_type = one_of(
        _annotation(ingress, "target-type") or settings.target_type,
        TARGETS,
        f"{PREFIX}target-type",
    )
    scheme = _annotation(ingress, "scheme") or INTERNAL
    namespace, name = cluster.name_of(ingress)
    return Model(
        owner=Owner(kind="ingress", namespace=namespace, name=name, uid=cluster.uid_of(ingress)),
        kind=APPLICATION,
        scheme=one_of(scheme, (INTERNAL, INTERNET_FACING), f"{PREFIX}scheme"),
        target_type=target_type,
        listeners=tuple(_listeners(ingress, _backend(ingress, services, target_type))),
        sources=words(_annotation(ingress, "inbound-cidrs")) or (EVERYWHERE,),
        subnets=words(_annotation(ingress, "subnets")),
    )


def _listeners(ingress: Ingress, behind: tuple[str, int]) -> list[Listener]:
    certificates = words(_annotation(ingress, "certificate-arn"))
    default = '[{"HTTPS": 443}]' if certificates else '[{"HTTP": 80}]'
    try:
        ports = json.loads(_annotation(ingress, "listen-ports") or default)
        pairs = [(protocol, int(port)) for listener in ports for protocol, port in listener.items()]
    except (ValueError, AttributeError, TypeError):
        raise ModelError(f'{PREFIX}listen-ports must look like [{{"HTTP": 80}}]') from None
    for protocol, _ in pairs:
        one_of(protocol, ("HTTP", "HTTPS"), f"{PREFIX}listen-ports")
        if protocol == "HTTPS" and not certificates:
            raise ModelError(f"a listener of HTTPS needs {PREFIX}certificate-arn")
    target, port = behind
    return [
        Listener(
            protocol=protocol,
            port=number,
            target=target,
            target_protocol="HTTP",
            target_port=port,
            certificates=certificates if protocol == "HTTPS" else (),
        )
        for protocol, number in pairs
    ]


def _backend(ingress: Ingress, services: Services, target_type: str) -> tuple[str, int]:
    """The first backend, for which a target group is made: `service:port` and its port.

    Rules after it are not played: no packet passes that they could lead.
    """
    namespace, _ = cluster.name_of(ingress)
    services_found = [backend.service for backend in _backends(ingress) if backend.service]
    if not services_found:
        raise ModelError("the Ingress has no backend that is a Service")
    name, wanted = services_found[0].name, services_found[0].port
    service = services.get((namespace, name))
    if service is None or service.spec is None:
        raise ModelError(f'Service "{name}" not found')
    ports = cast(list[Any], service.spec.ports or [])
    fitting = [port for port in ports if wanted and wanted.number in {port.port, None}]
    fitting = [port for port in fitting if wanted and wanted.name in {port.name, None}]
    if not fitting:
        wanted_port = wanted and (wanted.number or wanted.name)
        raise ModelError(f"unable to find port {wanted_port} on service {namespace}/{name}")
    port = fitting[0]
    if target_type == "instance":
        if service.spec.type not in {"NodePort", "LoadBalancer"}:
            raise ModelError(
                f"service type must be either 'NodePort' or 'LoadBalancer': {namespace}/{name} "
                f"(or set {PREFIX}target-type to ip)"
            )
        return f"{name}:{port.port}", port.nodePort
    behind = port.targetPort if isinstance(port.targetPort, int) else port.port
    return f"{name}:{port.port}", behind


def _backends(ingress: Ingress) -> list[Any]:
    spec = cast(Any, ingress.spec)
    rules: list[Any] = spec.rules or []
    backends = [path.backend for rule in rules if rule.http for path in rule.http.paths]
    return [*backends, *([spec.defaultBackend] if spec.defaultBackend else [])]


def _annotation(ingress: Ingress, name: str) -> str:
    return cluster.annotations(ingress).get(PREFIX + name, "")
