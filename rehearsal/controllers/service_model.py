"""Models the Network Load Balancer of a Service."""

from typing import Any

from lightkube.resources.core_v1 import Service

from rehearsal.controllers.arguments import Arguments
from rehearsal.controllers.model import (
    EVERYWHERE,
    INTERNAL,
    INTERNET_FACING,
    NETWORK,
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

ANNOTATIONS = "service.beta.kubernetes.io/"
PREFIX = f"{ANNOTATIONS}aws-load-balancer-"
FINALIZER = "service.k8s.aws/resources"
CLASS = "service.k8s.aws/nlb"
TYPES = ("external", "nlb-ip")
"""Values of the older annotation that chooses the controller."""


def is_ours(service: Service, arguments: Arguments) -> bool:
    """True if the controller handles the Service. On EKS nobody handles one without a class."""
    assert service.spec
    if service.spec.type != "LoadBalancer":
        return False
    if service.spec.loadBalancerClass is not None:
        return service.spec.loadBalancerClass == arguments.text("load-balancer-class", CLASS)
    return _annotation(service, "type") in TYPES


def model(service: Service, settings: Settings) -> Model:
    """Model of a Service's balancer. Raises ModelError about annotations that the controller
    refuses.
    """
    assert service.spec
    nlb_ip = _annotation(service, "type") == "nlb-ip"
    target_type = _annotation(service, "nlb-target-type") or (
        "ip" if nlb_ip else settings.target_type
    )
    target_type = one_of(target_type, TARGETS, f"{PREFIX}nlb-target-type")
    scheme = _annotation(service, "scheme") or INTERNAL
    namespace, name = cluster.name_of(service)
    sources = service.spec.loadBalancerSourceRanges or []
    annotated = cluster.annotations(service).get(f"{ANNOTATIONS}load-balancer-source-ranges", "")
    return Model(
        owner=Owner(kind="service", namespace=namespace, name=name, uid=cluster.uid_of(service)),
        kind=NETWORK,
        scheme=one_of(scheme, (INTERNAL, INTERNET_FACING), f"{PREFIX}scheme"),
        target_type=target_type,
        listeners=tuple(_listener(port, target_type) for port in service.spec.ports or []),
        sources=tuple(sources) or words(annotated) or (EVERYWHERE,),
        subnets=words(_annotation(service, "subnets")),
    )


def _listener(port: Any, target_type: str) -> Listener:
    if target_type == "instance":
        if not port.nodePort:
            raise ModelError(f"port {port.port} has no node port, which targets of instances need")
        behind = port.nodePort
    else:
        # A named port is looked up in the pods, which differ: the balancer's own stands for it.
        behind = port.targetPort if isinstance(port.targetPort, int) else port.port
    protocol = port.protocol or "TCP"
    return Listener(
        protocol=protocol,
        port=port.port,
        target=str(port.port),
        target_protocol=protocol,
        target_port=behind,
    )


def _annotation(service: Service, name: str) -> str:
    return cluster.annotations(service).get(PREFIX + name, "")
