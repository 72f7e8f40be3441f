"""Refuses in the preview what cannot run on Fargate, instead of leaving pods Pending after `up`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import pulumi

from .fargate_config import FargateConfig

NLB_TYPES = ("external", "nlb-ip")
"""Values of the load balancer type's annotation that keep Kubernetes' own controller away."""
_TYPE_ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer-type"
_WITH_POD_TEMPLATE = ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job")

Object = Mapping[str, Any]


def refuse_what_fargate_cannot_run(config: FargateConfig) -> pulumi.ResourceTransformation:
    """A transformation for components that declare KubernetesObjects, which they pass on.

    It raises RunError for an object whose pods a profile selects and Fargate cannot run. Objects
    inside a Helm chart are not checked: Pulumi sees the release as a whole.
    """

    # Not one of the newer `transforms`: the engine calls those, and its error has a traceback.
    def transformation(args: pulumi.ResourceTransformationArgs) -> None:
        if args.type_.startswith("kubernetes:"):
            kind = args.type_.rpartition(":")[2]
            reasons = list(problems(config, kind, cast(Object, args.props)))
            if reasons:
                raise pulumi.RunError(f"{kind} {args.name}: {'; '.join(reasons)}")

    return transformation


def problems(config: FargateConfig, kind: str, manifest: Object) -> Iterator[str]:
    """Why a profile that selects this object's pods cannot run them, and what to do."""
    metadata, spec = _part(manifest, "metadata"), _part(manifest, "spec")
    namespace = metadata.get("namespace") or "default"
    if kind == "Service":
        profile = config.profile_of(namespace, _part(spec, "selector"))
        if profile and becomes_classic(metadata, spec):
            yield (
                f"fargate.profiles.{profile} runs its pods, and a Classic Load Balancer cannot "
                "reach Fargate: set loadBalancerClass: service.k8s.aws/nlb"
            )
        return
    pod = pod_template(kind, manifest)
    if pod is None:
        return
    profile = config.profile_of(namespace, _part(_part(pod, "metadata"), "labels"))
    if profile:
        if kind == "DaemonSet":
            yield f"fargate.profiles.{profile} selects it, and Fargate has no node for a DaemonSet"
        for reason in pod_problems(_part(pod, "spec")):
            yield f"fargate.profiles.{profile} selects its pods, and Fargate has no {reason}"


def becomes_classic(metadata: Object, spec: Object) -> bool:
    """True if Kubernetes' own controller would make a Classic Load Balancer for the Service."""
    annotated = _part(metadata, "annotations").get(_TYPE_ANNOTATION)
    return (
        spec.get("type") == "LoadBalancer"
        and not spec.get("loadBalancerClass")
        and annotated not in NLB_TYPES
    )


def pod_template(kind: str, manifest: Object) -> Object | None:
    """The part of an object that describes its pods; None if it has no pods."""
    if kind == "Pod":
        return manifest
    spec = _part(manifest, "spec")
    if kind == "CronJob":
        spec = _part(_part(spec, "jobTemplate"), "spec")
    elif kind not in _WITH_POD_TEMPLATE:
        return None
    return _part(spec, "template")


def pod_problems(spec: Object) -> Iterator[str]:
    """Features in a pod's spec that Fargate does not offer (EKS user guide, Fargate)."""
    if spec.get("hostNetwork"):
        yield "host network: drop hostNetwork"
    for volume in _list(spec, "volumes"):
        if volume.get("hostPath"):
            yield f"host path: drop the volume {volume.get('name')}"
    for container in (*_list(spec, "initContainers"), *_list(spec, "containers")):
        name = container.get("name")
        if _part(container, "securityContext").get("privileged"):
            yield f"privileged container: drop privileged from {name}"
        if any(port.get("hostPort") for port in _list(container, "ports")):
            yield f"host port: drop hostPort from {name}"


def _part(of: Object, key: str) -> Object:
    """A nested object; empty if absent or not known before `up`."""
    value = of.get(key)
    return cast(Object, value) if isinstance(value, Mapping) else {}


def _list(of: Object, key: str) -> Sequence[Object]:
    value = of.get(key)
    items = cast(Sequence[Any], value) if isinstance(value, list | tuple) else ()
    return [cast(Object, item) for item in items if isinstance(item, Mapping)]
