"""Rules about endpoints that are open to the internet."""

from collections.abc import Iterator

from frugal_eks.plans.policy.reading import (
    Object,
    dig,
    each,
    first,
    is_false,
    is_off,
    is_unknown,
    mapping,
    number,
    objects,
)
from frugal_eks.plans.policy.rule import ResourceRule, Settings
from frugal_eks.plans.previews import Resource

ANYWHERE = frozenset({"0.0.0.0/0", "::/0"})
WEB = frozenset({80, 443})
"""Ports that a public service may have."""
CLUSTER = "aws:eks/cluster:Cluster"
_INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
_SCHEMES = (
    "service.beta.kubernetes.io/aws-load-balancer-scheme",
    "alb.ingress.kubernetes.io/scheme",
)


def _open_api(resource: Resource, _settings: Settings) -> Iterator[str]:
    settings = _public_api(resource)
    if settings is None:
        return
    cidrs = dig(settings, "publicAccessCidrs")
    if is_unknown(cidrs):
        return
    # Without a list EKS lets everybody in.
    for cidr in [*each(cidrs)] if cidrs else ["0.0.0.0/0"]:
        if cidr in ANYWHERE:
            how = "has" if cidrs else "is absent, which means"
            yield f"vpcConfig.publicAccessCidrs {how} {cidr}"


def _public(resource: Resource, _settings: Settings) -> Iterator[str]:
    if _public_api(resource) is not None:
        yield "vpcConfig.endpointPublicAccess is not false"


def _public_api(resource: Resource) -> Object | None:
    """Network settings of a cluster whose API is public, which is EKS's default; None otherwise."""
    if resource.type != CLUSTER or is_unknown(resource.inputs.get("vpcConfig")):
        return None
    settings: Object = first(resource.inputs.get("vpcConfig"))
    public = settings.get("endpointPublicAccess")
    return None if is_false(public) or is_unknown(public) else settings


def _open_port(resource: Resource, _settings: Settings) -> Iterator[str]:
    inputs = resource.inputs
    rules: list[Object] = []
    if resource.type == "aws:ec2/securityGroup:SecurityGroup":
        rules = [*objects(inputs.get("ingress"))]
    elif resource.type == _INGRESS or (
        resource.type == "aws:ec2/securityGroupRule:SecurityGroupRule"
        and inputs.get("type") == "ingress"
    ):
        rules = [inputs]
    for rule in rules:
        keys = ("cidrBlocks", "ipv6CidrBlocks", "cidrIpv4", "cidrIpv6")
        cidrs = [cidr for key in keys for cidr in each(rule.get(key)) if cidr in ANYWHERE]
        ports = [number(rule.get(key)) for key in ("fromPort", "toPort")]
        web = ports[0] is not None and ports[0] == ports[1] and ports[0] in WEB
        if cidrs and not web:
            protocol = rule.get("protocol", rule.get("ipProtocol"))
            yield f"{_ports(protocol, ports)} open to {', '.join(cidrs)}"


def _ports(protocol: object, ports: list[float | None]) -> str:
    if protocol in {"-1", "all", -1}:
        return "every port is"
    first, last = (int(port) if port is not None else "?" for port in ports)
    return f"port {first} is" if first == last else f"ports {first} to {last} are"


def _public_balancer(resource: Resource, _settings: Settings) -> Iterator[str]:
    if resource.type in {"aws:lb/loadBalancer:LoadBalancer", "aws:elb/loadBalancer:LoadBalancer"}:
        if is_off(resource.inputs.get("internal")):
            yield "internal is not true"
        return
    if not resource.type.startswith("kubernetes:"):
        return
    annotations = mapping(dig(resource.inputs, "metadata.annotations"))
    for key in _SCHEMES:
        if annotations.get(key) == "internet-facing":
            yield f"metadata.annotations has {key}: internet-facing"


RULES = (
    ResourceRule(
        name="open-cluster-api",
        level="mandatory",
        reason="A cluster's API that anybody can reach is one leaked token away from being theirs.",
        remedy="name the addresses that may call it (`cluster.endpoint.publicCidrs`)",
        check=_open_api,
    ),
    ResourceRule(
        name="public-cluster-api",
        level="advisory",
        reason="A cluster's API that is private alone cannot be reached by mistake.",
        remedy="set `cluster.endpoint.public` to false where a VPN or a bastion leads into the VPC",
        check=_public,
    ),
    ResourceRule(
        name="open-security-group",
        level="mandatory",
        reason="Ports open to the whole internet are found and tried within minutes.",
        remedy="name the addresses or the security group that need it; 80 and 443 may be open",
        check=_open_port,
    ),
    ResourceRule(
        name="public-load-balancer",
        level="advisory",
        reason="A load balancer that faces the internet shows what is behind it to everybody.",
        remedy="make it internal, or except it by its name if it is meant for everybody",
        check=_public_balancer,
    ),
)
