"""The section of metrics-server in the stack file."""

from collections.abc import Mapping
from typing import ClassVar

from ..addon_config import PodsConfig


class MetricsServerConfig(PodsConfig):
    """metrics-server. It has no permissions in AWS; the control plane reaches its pods at port
    10251.
    """

    CHART_NAME: ClassVar[str] = "metrics-server"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "metrics-server",
        "app.kubernetes.io/instance": "metrics-server",
    }
    # The chart's requests: enough for 100 nodes with 70 pods each (metrics-server, Scaling).
    ON_NODES: ClassVar[Mapping[str, str]] = {"cpu": "100m", "memory": "200Mi"}
