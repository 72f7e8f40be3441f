"""metrics-server: what pods and nodes use, for `kubectl top` and the HorizontalPodAutoscaler."""

from .component import MetricsServer, MetricsServerArgs, MetricsServerConfig

__all__ = ["MetricsServer", "MetricsServerArgs", "MetricsServerConfig"]
