"""Each add-on of the registry in a program of its own, by what the registry says alone."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pulumi_aws as aws

from components.addons.addon import Surroundings
from components.addons.addon_config import AddonConfig, ChartConfig
from components.addons.config import sections
from components.addons.node_termination_handler.component import (
    NodeTerminationHandler,
    NodeTerminationHandlerArgs,
)
from components.kubernetes.charts import ChartSource
from components.placement import Placement, RunsOn
from rehearsal import recording
from rehearsal.recording import Deployment, account_of
from tests.cluster_refs import cluster_ref

RELEASE = "kubernetes:helm.sh/v3:Release"


MORE = {
    "AwsLoadBalancerControllerConfig": {"replicas": 2, "defaultTags": {"team": "a", "env": "b"}},
    "ExternalDnsConfig": {"policy": "sync", "excludeDomains": ["office.example.com"]},
    "ClusterAutoscalerConfig": {
        "replicas": 2,
        "expander": "priority",
        "priorities": {10: [".*"], 50: [".*spot.*"]},
        "extraArgs": {"scale-down-utilization-threshold": 0.4},
    },
    "MetricsServerConfig": {"replicas": 2},
    "KubeOpsViewConfig": {"timeZone": "Asia/Seoul"},
    "EfsCsiConfig": {"replicas": 2},
    "QueueHandlerConfig": {"heartbeatIntervalSeconds": 60, "replicas": 1},
}
"""Options that bring more values with them, by the section's class."""


class Addon(NamedTuple):
    """An add-on in one of its modes."""

    folder: str
    section: type[AddonConfig]

    @property
    def minimal(self) -> dict[str, Any]:
        """The least that a stack file must say: of each required key the first example."""
        return {
            field.alias: get_args(field.annotation)[0]
            if get_origin(field.annotation) is Literal
            else field.examples[0]
            for field in self.section.model_fields.values()
            if field.is_required()
        }

    @property
    def more(self) -> dict[str, Any]:
        """Keys of the section that bring more values with them."""
        return MORE.get(self.section.__name__, {})

    def config(self, **keys: Any) -> AddonConfig:
        """The section with these keys of the stack file beside the required ones."""
        return self.section.model_validate(self.minimal | keys)

    def program(
        self,
        runs_on: RunsOn,
        *,
        charts: ChartSource | None = None,
        keys: Mapping[str, Any] | None = None,
    ) -> Callable[[], object]:
        """Declares the add-on after a queue that stands for its pods' compute."""
        config = self.config(**(keys or {}))

        def run() -> None:
            home = aws.sqs.Queue("home")
            cluster = cluster_ref(charts=charts or ChartSource())
            placement = Placement(runs_on=runs_on, needs=[home])
            if config.WITH_NODE_GROUPS:
                args = NodeTerminationHandlerArgs(
                    config=config, cluster=cluster, placement=placement, groups=["dev-spot"]
                )
                NodeTerminationHandler("handler", args)
                return
            around = Surroundings(
                cluster=cluster,
                placement=lambda _labels: placement,
                vpc_id="vpc-1",
                subnet_ids=["subnet-1", "subnet-2"],
                security_group_ids=["sg-1"],
            )
            component = import_module(f"components.addons.{self.folder}.component")
            component.declare(config, around, None)

        return run

    def values(
        self, runs_on: RunsOn = RunsOn.FARGATE, images: str | None = None, **keys: Any
    ) -> dict[str, Any]:
        """The chart's values as the component gives them."""
        program = self.program(runs_on, charts=ChartSource(images=images), keys=keys)
        made = Deployment(account_of(), preview=False)
        recording.run(program, made, {}, stack="dev")
        return made.one(RELEASE).inputs["values"]


ADDONS = [Addon(folder, section) for folder, section in sections()]
CHARTS = [each for each in ADDONS if issubclass(each.section, ChartConfig)]


def addon_of(chart: str, mode: str = "queue") -> Addon:
    """The add-on that installs a chart; in the mode, where it has several."""
    return next(
        each
        for each in CHARTS
        if chart == each.section.CHART_NAME
        and each.minimal.get("mode", mode) == mode
        and (mode == "imds") is each.section.ON_EVERY_NODE
    )
