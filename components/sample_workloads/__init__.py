"""Workloads to try a stack with."""

from components.sample_workloads.config import (
    NAMESPACE,
    EcsdemoConfig,
    HorizontalPodAutoscalerConfig,
    InflateConfig,
    ReplicasConfig,
    SampleWorkloadsConfig,
)
from components.sample_workloads.sample_workloads import SampleWorkloads, SampleWorkloadsArgs

__all__ = [
    "NAMESPACE",
    "EcsdemoConfig",
    "HorizontalPodAutoscalerConfig",
    "InflateConfig",
    "ReplicasConfig",
    "SampleWorkloads",
    "SampleWorkloadsArgs",
    "SampleWorkloadsConfig",
]
