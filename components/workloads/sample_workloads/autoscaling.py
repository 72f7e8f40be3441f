"""A HorizontalPodAutoscaler, for example: pods by load, which then ask for nodes."""

from typing import Any

from .config import NAMESPACE, HorizontalPodAutoscalerConfig


def horizontal_pod_autoscaler(
    deployment: str, config: HorizontalPodAutoscalerConfig
) -> dict[str, Any]:
    """A HorizontalPodAutoscaler. It owns `spec.replicas` of the Deployment, whose containers must
    request `cpu`."""
    target = {"type": "Utilization", "averageUtilization": config.cpu_utilization}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": deployment, "namespace": NAMESPACE},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment},
            "minReplicas": config.min,
            "maxReplicas": config.max,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
        },
    }
