"""Services that cost money by the hour, by the month, or by the GB."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from components.compatibility import EXTENDED_SUPPORT_SINCE, KUBERNETES
from frugal_eks.plans.cost.amounts import HOURS, Amount
from frugal_eks.plans.cost.assumptions import FILES, LOGS, NAT, Assumptions
from frugal_eks.plans.cost.lines import Kind, Line, Unknown
from frugal_eks.plans.cost.load_balancers import INGRESS, SERVICE, balancer_of
from frugal_eks.plans.cost.prices import Prices, Service, UnknownPrice
from frugal_eks.plans.cost.program import Program, number, part, texts
from frugal_eks.plans.previews import UNKNOWN, Resource

CLUSTER, CLUSTER_COMPONENT = "aws:eks/cluster:Cluster", "eks:index:Cluster"


class Use(NamedTuple):
    """Units of a service that a resource uses in a month."""

    what: str
    service: Service
    units: Amount
    note: str = ""


class Scene(NamedTuple):
    """Program and assumptions around a resource."""

    program: Program
    assumptions: Assumptions


Uses = Callable[[Resource, Scene], Iterator[Use]]


def services(
    program: Program, prices: Prices, assumptions: Assumptions
) -> Iterator[Line | Unknown]:
    """Yields a line for each use of a service."""
    scene = Scene(program, assumptions)
    for resource in program.resources:
        component = program.component(resource)
        for use in _USES[resource.type](resource, scene) if resource.type in _USES else ():
            try:
                monthly = use.units * prices.of(use.service)
            except UnknownPrice as unknown:
                yield Unknown(component, resource.name, f"{use.what}: {unknown}")
            else:
                kind = _KINDS[use.service]
                yield Line(kind, component, resource.name, use.what, monthly, use.note)


def _hours(count: float = 1.0) -> Amount:
    return Amount.fixed(HOURS * count)


def _cluster(resource: Resource, scene: Scene) -> Iterator[Use]:
    # The component's own cluster is a child of it, which only the engine sees.
    inside = (each.parent for each in scene.program.of_type(CLUSTER))
    if resource.type == CLUSTER_COMPONENT and resource.urn in inside:
        return
    yield Use("control plane", "eksHour", _hours())
    version, support = resource.inputs.get("version"), part(resource.inputs, "upgradePolicy")
    if _is_extended(version) and support.get("supportType") != "STANDARD":
        yield Use(f"extended support of {version}", "eksExtendedHour", _hours())


def _is_extended(version: Any) -> bool:
    if not isinstance(version, str) or not re.fullmatch(r"1\.\d+", version):
        return False
    oldest = min(int(each.partition(".")[2]) for each in KUBERNETES)
    return version in EXTENDED_SUPPORT_SINCE or int(version.partition(".")[2]) < oldest


def _nat(_resource: Resource, scene: Scene) -> Iterator[Use]:
    yield Use("NAT gateway", "natHour", _hours())
    count = sum(1 for _ in scene.program.of_type(NAT))
    gb = scene.assumptions.nat_gb / count
    yield Use(f"{gb:g} GB through NAT", "natGb", Amount.fixed(gb), "an assumption: --nat-gb")


def _address(_resource: Resource, _scene: Scene) -> Iterator[Use]:
    yield Use("public IPv4 address", "publicIpv4Hour", _hours())


def _key(_resource: Resource, _scene: Scene) -> Iterator[Use]:
    yield Use("KMS key", "kmsKeyMonth", Amount.fixed(1), "its first two rotations add 1 USD each")


def _logs(resource: Resource, scene: Scene) -> Iterator[Use]:
    gb = scene.assumptions.log_gb
    note = "an assumption: --log-gb"
    yield Use(f"{gb:g} GB of logs", "logsIngestedGb", Amount.fixed(gb), note)
    days = number(resource.inputs, "retentionInDays")
    kept = f"kept {days:g} days" if days else "kept for ever: a year's worth"
    stored = gb * (days / 30 if days else 12)
    yield Use(f"{stored:.3g} GB of logs {kept}", "logsStoredGbMonth", Amount.fixed(stored))


def _endpoint(resource: Resource, _scene: Scene) -> Iterator[Use]:
    if resource.inputs.get("vpcEndpointType", "Gateway") != "Interface":
        return
    subnets = resource.inputs.get("subnetIds")
    zones = len(texts(resource.inputs, "subnetIds")) or 1
    note = "one zone at least: which is known only after `up`" if subnets == UNKNOWN else ""
    what = f"interface endpoint in {zones} zone{'' if zones == 1 else 's'}"
    yield Use(what, "endpointHour", _hours(zones), note)


def _files(_resource: Resource, scene: Scene) -> Iterator[Use]:
    gb = scene.assumptions.efs_gb
    what, note = f"{gb:g} GB of files", "an assumption: --efs-gb"
    yield Use(what, "efsGbMonth", Amount.fixed(gb), note)


def _zone(_resource: Resource, _scene: Scene) -> Iterator[Use]:
    yield Use("hosted zone", "hostedZoneMonth", Amount.fixed(1))


def _balancer(resource: Resource, scene: Scene) -> Iterator[Use]:
    balancer = balancer_of(resource, scene.program)
    if balancer:
        yield Use(*balancer, _hours())


_KINDS: Mapping[Service, Kind] = {
    "eksHour": "control plane",
    "eksExtendedHour": "control plane",
    "natHour": "NAT",
    "natGb": "NAT",
    "publicIpv4Hour": "public addresses",
    "kmsKeyMonth": "keys",
    "logsIngestedGb": "logs",
    "logsStoredGbMonth": "logs",
    "endpointHour": "interface endpoints",
    "efsGbMonth": "files",
    "hostedZoneMonth": "hosted zones",
    "loadBalancerHour": "load balancers",
    "networkLoadBalancerHour": "load balancers",
}

_USES: Mapping[str, Uses] = {
    CLUSTER: _cluster,
    CLUSTER_COMPONENT: _cluster,
    NAT: _nat,
    "aws:ec2/eip:Eip": _address,
    "aws:kms/key:Key": _key,
    LOGS: _logs,
    "aws:ec2/vpcEndpoint:VpcEndpoint": _endpoint,
    FILES: _files,
    "aws:route53/zone:Zone": _zone,
    "aws:lb/loadBalancer:LoadBalancer": _balancer,
    SERVICE: _balancer,
    INGRESS: _balancer,
}

RECKONED = frozenset(_USES)
"""Types that this module estimates."""
