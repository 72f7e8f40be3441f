"""Workloads to try a stack with."""

from .config import (
    NAMESPACE,
    EcsdemoConfig,
    HorizontalPodAutoscalerConfig,
    InflateConfig,
    ReplicasConfig,
    SampleWorkloadsConfig,
)
from .sample_workloads import SampleWorkloads, SampleWorkloadsArgs

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
