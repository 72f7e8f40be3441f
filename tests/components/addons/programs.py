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
from tests.cluster_refs import cluster_ref


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


ADDONS = [Addon(folder, section) for folder, section in sections()]
CHARTS = [each for each in ADDONS if issubclass(each.section, ChartConfig)]
