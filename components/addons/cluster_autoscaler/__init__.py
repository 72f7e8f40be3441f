"""Cluster Autoscaler: gives Auto Scaling groups as many nodes as their pods need."""

from .component import (
    CHART,
    SERVICE_ACCOUNT,
    ClusterAutoscaler,
    ClusterAutoscalerArgs,
    helm_values,
    iam_policy,
    spot_first,
)
from .config import (
    AutoScalingGroupConfig,
    ClusterAutoscalerConfig,
)

__all__ = [
    "CHART",
    "SERVICE_ACCOUNT",
    "AutoScalingGroupConfig",
    "ClusterAutoscaler",
    "ClusterAutoscalerArgs",
    "ClusterAutoscalerConfig",
    "helm_values",
    "iam_policy",
    "spot_first",
]
