"""Karpenter's CapacityBuffer: headroom for pods of a template, without running them."""

from typing import Any

from .config import NAMESPACE, OverprovisioningConfig
from .pause_pods import pod

NAME = "headroom"


def pod_template(config: OverprovisioningConfig, *, image: str) -> dict[str, Any]:
    """The pod template that headroom is kept for; no pod of it runs."""
    spec = pod(config, image=image)
    del spec["priorityClassName"]  # no pod, nobody to push aside
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "template": {"metadata": {"labels": {"run": NAME}}, "spec": spec},
    }


def capacity_buffer(config: OverprovisioningConfig) -> dict[str, Any]:
    """The CapacityBuffer for a number of such pods."""
    return {
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            # Not that there is room yet: that Karpenter knows the template.
            "annotations": {"pulumi.com/waitFor": "condition=ReadyForProvisioning"},
        },
        "spec": {
            "podTemplateRef": {"name": NAME},
            "replicas": config.replicas,
            "provisioningStrategy": "buffer.x-k8s.io/active-capacity",
        },
    }
