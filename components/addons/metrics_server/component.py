"""metrics-server: usage of pods and nodes, for `kubectl top` and the HorizontalPodAutoscaler."""

from dataclasses import dataclass
from typing import Any

import pulumi

from ... import versions
from ...kubernetes.charts import Chart
from ..addon import ChartArgs, Declared, Surroundings, install, release_options
from .config import MetricsServerConfig

CHART = Chart(
    name=MetricsServerConfig.CHART_NAME,
    repository="https://kubernetes-sigs.github.io/metrics-server",
    version=versions.METRICS_SERVER_CHART,
)
IMAGE = "registry.k8s.io/metrics-server/metrics-server"
PORT = 10251
"""Port of the pods. The chart's default, 10250, is taken by kubelet on Fargate
(metrics-server#1271); this one is free everywhere.
"""


@dataclass(frozen=True, kw_only=True)
class MetricsServerArgs(ChartArgs):
    """The stack file's settings of metrics-server, and the cluster."""

    config: MetricsServerConfig
    """The stack file's settings of metrics-server."""


class MetricsServer(pulumi.ComponentResource):
    """metrics-server; ready when its pods are: then the metrics API answers."""

    def __init__(
        self, name: str, args: MetricsServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:MetricsServer", name, None, opts)
        install(
            name,
            CHART,
            args,
            helm_values(args),
            release_options(self, args),
        )
        self.register_outputs({})


def declare(
    config: MetricsServerConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = MetricsServer(
        "metrics-server",
        MetricsServerArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
        ),
        opts=opts,
    )
    return Declared(component=addon)


def helm_values(args: MetricsServerArgs) -> dict[str, Any]:
    """Values of the chart; absent ones keep the chart's default."""
    config = args.config
    values: dict[str, Any] = {
        "containerPort": PORT,
        "replicas": config.replicas,
        "resources": config.resources(args.placement.runs_on),
    }
    if config.replicas > 1:
        # One by one: while all are away no autoscaler knows anything.
        values["podDisruptionBudget"] = {"enabled": True, "maxUnavailable": 1}
    if config.node_selector and args.placement.on_nodes:
        values["nodeSelector"] = dict(config.node_selector)
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return values
