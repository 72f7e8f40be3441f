"""Pods of a program: of its Kubernetes objects, of its charts and of its EKS add-ons.

A preview does not show what a chart makes. The chart's values tell the number of pods and their
requests, at paths that depend on the chart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from frugal_eks.plans.cost.amounts import Amount
from frugal_eks.plans.cost.program import Inputs, Program, number, objects, part
from frugal_eks.plans.cost.quantities import bytes_of, cores_of
from frugal_eks.plans.json_values import document
from frugal_eks.plans.previews import Resource

RELEASE, ADDON = "kubernetes:helm.sh/v3:Release", "aws:eks/addon:Addon"
_AUTOSCALER = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
_BUFFER, _TEMPLATE = (
    "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer",
    "kubernetes:core/v1:PodTemplate",
)
_WITH_REPLICAS = (
    "kubernetes:apps/v1:Deployment",
    "kubernetes:apps/v1:StatefulSet",
    "kubernetes:apps/v1:ReplicaSet",
)


class Request(NamedTuple):
    """Resource request of one pod."""

    cpu: float
    """vCPUs."""
    memory: float
    """Memory in bytes."""


@dataclass(frozen=True)
class Workload:
    """Pods that are all alike."""

    resource: Resource
    name: str
    namespace: str
    labels: Mapping[str, str]
    request: Request
    pods: Amount
    node_selector: Mapping[str, str]


@dataclass(frozen=True)
class _Chart:
    """Paths of replicas and resources in a chart's values."""

    replicas: str
    default: int
    resources: Sequence[str] = ("resources",)


_SIDECARS = tuple(
    f"sidecars.{each}.resources" for each in ("csiProvisioner", "provisioner", "livenessProbe")
)
CHARTS: Mapping[str, _Chart] = {
    "karpenter": _Chart("replicas", 2, ("controller.resources",)),
    "metrics-server": _Chart("replicas", 1),
    "external-dns": _Chart("replicaCount", 1),
    "aws-load-balancer-controller": _Chart("replicaCount", 2),
    "aws-efs-csi-driver": _Chart(
        "controller.replicaCount", 2, ("controller.resources", *_SIDECARS)
    ),
    "aws-ebs-csi-driver": _Chart(
        "controller.replicaCount", 2, ("controller.resources", *_SIDECARS)
    ),
    "kube-ops-view": _Chart("replicaCount", 1),
    "cluster-autoscaler": _Chart("replicaCount", 1),
    "aws-node-termination-handler": _Chart("replicas", 1),
}
"""Charts by upstream's name; the defaults are those of the pinned versions."""
WITHOUT_PODS = ("karpenter-crd",)
_ADDONS: Mapping[str, tuple[str, _Chart]] = {
    "coredns": ("kube-system", _Chart("replicaCount", 2)),
    "metrics-server": ("kube-system", _Chart("replicas", 2)),
}
_DAEMON_SETS = (
    "vpc-cni",
    "kube-proxy",
    "eks-pod-identity-agent",
    "eks-node-monitoring-agent",
)
_COREDNS = Request(0.1, 70 * 2**20)
"""Request of the CoreDNS add-on if its configuration has none."""


def workloads(program: Program) -> Iterator[Workload]:
    """Workloads whose pods can be counted."""
    for resource in program.resources:
        if resource.type in _WITH_REPLICAS:
            yield _of_object(resource, program)
        elif resource.type in _OTHERS:
            workload = _OTHERS[resource.type](resource, program)
            if workload:
                yield workload


def uncounted(program: Program) -> Iterator[tuple[Resource, str, str]]:
    """Releases and add-ons whose pods cannot be counted: resource, namespace, reason."""
    for resource in program.of_type(RELEASE):
        name = chart_name(resource)
        if name not in CHARTS and name not in WITHOUT_PODS:
            namespace = resource.inputs.get("namespace") or "default"
            yield resource, str(namespace), f"how many pods the chart {name} makes"
    for resource in program.of_type(ADDON):
        name = resource.inputs.get("addonName")
        if name not in _ADDONS and name not in _DAEMON_SETS:
            yield resource, "kube-system", f"how many pods the add-on {name} makes"


def chart_name(release: Resource) -> str:
    """Upstream's name of a release's chart, wherever the chart comes from."""
    return str(release.inputs.get("chart", "")).rstrip("/").rpartition("/")[2]


def _of_object(resource: Resource, program: Program) -> Workload:
    metadata, spec = part(resource.inputs, "metadata"), part(resource.inputs, "spec")
    pod = part(spec, "template", "spec")
    replicas = number(spec, "replicas")
    name = str(metadata.get("name") or resource.name)
    namespace = str(metadata.get("namespace") or "default")
    return Workload(
        resource=resource,
        name=name,
        namespace=namespace,
        labels=_strings(part(spec, "template", "metadata", "labels")),
        request=pod_request(pod),
        pods=_scaled(program, name, namespace)
        or Amount.fixed(1.0 if replicas is None else replicas),
        node_selector=_strings(part(pod, "nodeSelector")),
    )


def pod_request(pod: Inputs) -> Request:
    """Sum of the requests of a pod's containers, or the largest init container's if that is
    more.
    """
    running = [_request(part(each, "resources")) for each in objects(pod, "containers")]
    before = [_request(part(each, "resources")) for each in objects(pod, "initContainers")]
    return Request(
        max(sum(each.cpu for each in running), *(each.cpu for each in before), 0.0),
        max(sum(each.memory for each in running), *(each.memory for each in before), 0.0),
    )


def _of_buffer(resource: Resource, program: Program) -> Workload | None:
    """Pods for which a CapacityBuffer keeps room: Karpenter launches nodes as if they ran."""
    metadata, spec = part(resource.inputs, "metadata"), part(resource.inputs, "spec")
    wanted = part(spec, "podTemplateRef").get("name"), metadata.get("namespace")
    for each in program.of_type(_TEMPLATE):
        named = part(each.inputs, "metadata")
        if (named.get("name"), named.get("namespace")) == wanted:
            pod = part(each.inputs, "template", "spec")
            return Workload(
                resource=resource,
                name=str(metadata.get("name") or resource.name),
                namespace=str(metadata.get("namespace") or "default"),
                labels={},
                request=pod_request(pod),
                pods=Amount.fixed(number(spec, "replicas") or 0.0),
                node_selector=_strings(part(pod, "nodeSelector")),
            )
    return None


def _of_release(resource: Resource, _program: Program) -> Workload | None:
    chart = CHARTS.get(chart_name(resource))
    values = part(resource.inputs, "values")
    # Without its queue the handler is a DaemonSet, which no node is launched for.
    is_handler = chart_name(resource) == "aws-node-termination-handler"
    if chart is None or (is_handler and not values.get("enableSqsTerminationDraining")):
        return None
    name = str(resource.inputs.get("name") or resource.name)
    labels = {"app.kubernetes.io/name": chart_name(resource), "app.kubernetes.io/instance": name}
    return Workload(
        resource=resource,
        name=name,
        namespace=str(resource.inputs.get("namespace") or "default"),
        labels=labels | _strings(part(values, "podLabels")),
        request=_of_chart(chart, values),
        pods=_replicas(chart, values),
        node_selector=_strings(part(values, "nodeSelector")),
    )


def _of_addon(resource: Resource, _program: Program) -> Workload | None:
    name = str(resource.inputs.get("addonName"))
    if name not in _ADDONS:
        return None
    namespace, chart = _ADDONS[name]
    values = document(resource.inputs.get("configurationValues"))
    request = _of_chart(chart, values)
    return Workload(
        resource=resource,
        name=name,
        namespace=namespace,
        labels={"k8s-app": "kube-dns"} if name == "coredns" else {"k8s-app": name},
        request=request if any(request) else _COREDNS,
        pods=_replicas(chart, values),
        node_selector=_strings(part(values, "nodeSelector")),
    )


def _of_chart(chart: _Chart, values: Inputs) -> Request:
    requests = [_request(part(values, *path.split("."))) for path in chart.resources]
    return Request(sum(each.cpu for each in requests), sum(each.memory for each in requests))


def _replicas(chart: _Chart, values: Inputs) -> Amount:
    *way, key = chart.replicas.split(".")
    replicas = number(part(values, *way), key)
    return Amount.fixed(chart.default if replicas is None else replicas)


def _request(resources: Inputs) -> Request:
    """A container's request; a limit without a request counts as the request."""
    amounts = {**part(resources, "limits"), **part(resources, "requests")}
    return Request(cores_of(amounts.get("cpu")), bytes_of(amounts.get("memory")))


def _scaled(program: Program, name: str, namespace: str) -> Amount | None:
    """Replicas between the bounds of a HorizontalPodAutoscaler; None if there is none."""
    for each in program.of_type(_AUTOSCALER):
        spec = part(each.inputs, "spec")
        whose = part(each.inputs, "metadata").get("namespace") or "default"
        if part(spec, "scaleTargetRef").get("name") == name and whose == namespace:
            low, high = number(spec, "minReplicas") or 1.0, number(spec, "maxReplicas")
            return Amount(low, low, high)
    return None


def _strings(of: Inputs) -> dict[str, str]:
    return {str(key): str(value) for key, value in cast(Mapping[Any, Any], of).items()}


_OTHERS: Mapping[str, Callable[[Resource, Program], Workload | None]] = {
    RELEASE: _of_release,
    ADDON: _of_addon,
    _BUFFER: _of_buffer,
}
