"""Pause pods, which do nothing, and the priority by which other pods replace them."""

from typing import Any

from .config import NAMESPACE, POD_LABELS, OverprovisioningConfig

PRIORITY_CLASS = "pause-pods"
PRIORITY = -1
"""Priority of pause pods: below that of pods without a class, 0, and above -10, under which Cluster
Autoscaler adds no node.
"""
IMAGE = "registry.k8s.io/pause"
NOBODY = 65535
"""User id of the image (kubernetes/kubernetes, build/pause)."""


def namespace_manifest() -> dict[str, Any]:
    """The namespace of the pause pods, in which no pod can have privileges."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": NAMESPACE, "labels": labels},
    }


def pause_priority() -> dict[str, Any]:
    """The priority class of pause pods, below everything that does work."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS},
        "value": PRIORITY,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Pods that keep room free: every other pod may take their place.",
    }


def default_priority() -> dict[str, Any]:
    """A default priority class with the priority that pods without a class have anyway."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "default"},
        "value": 0,
        "globalDefault": True,
        "description": "Pods that name no priority class.",
    }


def deployment(config: OverprovisioningConfig, *, image: str) -> dict[str, Any]:
    """The Deployment of pause pods. There is no disruption budget: they must be the first to go."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "pause-pods",
            "namespace": NAMESPACE,
            # One that has just made room is pending until its node comes: that is its purpose, and
            # no reason for an update to wait, or to fail after ten minutes.
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {
            "replicas": config.replicas,
            "selector": {"matchLabels": POD_LABELS},
            "template": {
                "metadata": {"labels": POD_LABELS},
                "spec": pod(config, image=image),
            },
        },
    }


def pod(config: OverprovisioningConfig, *, image: str) -> dict[str, Any]:
    """The spec of a pause pod."""
    size = {"cpu": config.cpu, "memory": config.memory}
    spec: dict[str, Any] = {
        "priorityClassName": PRIORITY_CLASS,
        # Not 0: a pod that takes over would then often wait for five minutes, since the scheduler
        # misses a deletion that is done at once (kubernetes/kubernetes#141694). The image ends when
        # it is asked to, long before the default of 30.
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": "reserve-resources",
                "image": image,
                "resources": {"requests": size, "limits": size},
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                },
            }
        ],
    }
    if config.node_selector:
        spec["nodeSelector"] = dict(config.node_selector)
    if config.tolerations:
        spec["tolerations"] = [each.model_dump(exclude_none=True) for each in config.tolerations]
    return spec
