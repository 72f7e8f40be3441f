"""Cluster Autoscaler: gives Auto Scaling groups as many nodes as their pods need."""

from components.addons.cluster_autoscaler.cluster_autoscaler import (
    CHART,
    SERVICE_ACCOUNT,
    ClusterAutoscaler,
    ClusterAutoscalerArgs,
    discovery_tags,
    helm_values,
    iam_policy,
    spot_first,
)
from components.addons.cluster_autoscaler.config import (
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
    "discovery_tags",
    "helm_values",
    "iam_policy",
    "spot_first",
]
