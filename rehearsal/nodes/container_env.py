"""Builds the environment that the kubelet would give to a pod's first container."""

from decimal import Decimal
from typing import cast

from lightkube.models.core_v1 import Container, EnvVar
from lightkube.resources.core_v1 import Pod

from rehearsal.nodes import cluster
from rehearsal.nodes.fargate_sizes import quantity


class UnreadableError(Exception):
    """Why a variable cannot be set: its source is not played here. One sentence that names it."""


def environment(pod: Pod) -> dict[str, str]:
    """Variables with a value, or from a field or a resource of the pod; the last of a name wins.

    Raises UnreadableError about any other source.
    """
    assert pod.spec
    container = pod.spec.containers[0]
    if container.envFrom:
        raise UnreadableError(
            f"container {container.name} takes variables with envFrom, which the rehearsal does "
            "not read: give them in env"
        )
    return {variable.name: _value(variable, pod, container) for variable in container.env or []}


def _value(variable: EnvVar, pod: Pod, container: Container) -> str:
    source = variable.valueFrom
    if source is None:
        return variable.value or ""
    if source.fieldRef:
        return _field(variable.name, source.fieldRef.fieldPath, pod)
    if source.resourceFieldRef:
        return _resource(
            source.resourceFieldRef.resource, source.resourceFieldRef.divisor, container
        )
    raise UnreadableError(
        f"variable {variable.name} comes from a Secret or ConfigMap, which the rehearsal does "
        "not read: give it a value"
    )


def _field(variable: str, path: str, pod: Pod) -> str:
    assert pod.spec
    namespace, name = cluster.name_of(pod)
    fields = {
        "metadata.namespace": namespace,
        "metadata.name": name,
        "metadata.uid": cluster.uid_of(pod),
        "spec.nodeName": pod.spec.nodeName or "",
        "spec.serviceAccountName": pod.spec.serviceAccountName or "",
    }
    if path not in fields:
        raise UnreadableError(
            f"variable {variable} comes from {path}, which the rehearsal does not read: "
            f"it reads {', '.join(fields)}"
        )
    return fields[path]


def _resource(path: str, divisor: str | None, container: Container) -> str:
    """`requests.cpu` and its like, in units of the divisor, rounded up; 0 if it is not set."""
    kind, _, name = path.partition(".")
    resources = container.resources
    listed = cast(dict[str, str], (getattr(resources, kind, None) if resources else None) or {})
    # "0" stands for the default, 1.
    unit = quantity(str(divisor or "1")) or Decimal(1)
    return str(-(-quantity(str(listed.get(name, "0"))) // unit))
