"""A sample HorizontalPodAutoscaler: it adds pods under load, which then need nodes."""

from typing import Any

from .config import NAMESPACE, HorizontalPodAutoscalerConfig


def horizontal_pod_autoscaler(
    deployment: str, config: HorizontalPodAutoscalerConfig
) -> dict[str, Any]:
    """The manifest of a HorizontalPodAutoscaler, which owns `spec.replicas` of the Deployment. The
    Deployment's containers must request `cpu`.
    """
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
