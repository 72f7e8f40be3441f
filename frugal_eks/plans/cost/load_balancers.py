"""Load balancers that the program declares, and those that a controller makes for its objects."""

from frugal_eks.plans.cost.prices import Service
from frugal_eks.plans.cost.program import Program, part
from frugal_eks.plans.previews import Resource

SERVICE, INGRESS = "kubernetes:core/v1:Service", "kubernetes:networking.k8s.io/v1:Ingress"
_GROUP = "alb.ingress.kubernetes.io/group.name"

_PRICES: dict[str, tuple[str, Service]] = {
    "network": ("network load balancer", "networkLoadBalancerHour"),
    "application": ("application load balancer", "loadBalancerHour"),
}


def balancer_of(resource: Resource, program: Program) -> tuple[str, Service] | None:
    """Name and service of a resource's load balancer; None if it has none or shares another's."""
    if resource.type == SERVICE:
        # The classic one of Kubernetes' own controller costs a tenth more; no stack here has one.
        is_one = part(resource.inputs, "spec").get("type") == "LoadBalancer"
        return _PRICES["network"] if is_one else None
    if resource.type == INGRESS:
        return _PRICES["application"] if _is_first(resource, program) else None
    kind = resource.inputs.get("loadBalancerType", "application")
    return _PRICES.get(kind if isinstance(kind, str) else "application")


def _is_first(ingress: Resource, program: Program) -> bool:
    """True if the ingress is the first of its group: ingresses of one group share a load
    balancer.
    """
    group = _group(ingress)
    others = (each for each in program.of_type(INGRESS) if group and _group(each) == group)
    return next(others, ingress) is ingress


def _group(ingress: Resource) -> str | None:
    group = part(ingress.inputs, "metadata", "annotations").get(_GROUP)
    return group if isinstance(group, str) else None
