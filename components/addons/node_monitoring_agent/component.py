"""EKS node monitoring agent: conditions of nodes that kubelet does not see."""

from dataclasses import dataclass
from typing import Any

import pulumi

from ...cluster.eks_addons import EksAddon, EksAddonArgs
from ..addon import AddonArgs, Declared, Surroundings
from .config import ADDON, NodeMonitoringAgentConfig


@dataclass(frozen=True, kw_only=True)
class NodeMonitoringAgentArgs(AddonArgs):
    """The stack file's settings of the agent, and the cluster whose nodes it watches."""

    config: NodeMonitoringAgentConfig
    """The stack file's settings of the agent."""


class NodeMonitoringAgent(pulumi.ComponentResource):
    """The EKS node monitoring agent; ready when the add-on is active, which a DaemonSet is even
    without nodes. The agent has no permissions in AWS: it writes conditions and events to the
    Kubernetes API.
    """

    def __init__(
        self, name: str, args: NodeMonitoringAgentArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:NodeMonitoringAgent", name, None, opts)
        EksAddon(
            name,
            EksAddonArgs(
                config=args.config,
                addon_name=ADDON,
                cluster=args.cluster,
                configuration=configuration(args.config),
            ),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[*args.placement.needs]),
        )
        self.register_outputs({})


def declare(
    config: NodeMonitoringAgentConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = NodeMonitoringAgent(
        "node-monitoring-agent",
        NodeMonitoringAgentArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
        ),
        opts=opts,
    )
    return Declared(component=addon)


def configuration(config: NodeMonitoringAgentConfig) -> dict[str, Any]:
    """The add-on's configuration values, a subset of the chart's (its
    charts/configuration.schema.json).
    """
    agent: dict[str, Any] = {"resources": {"limits": {"memory": config.memory}}}
    if config.node_selector:
        agent["nodeSelector"] = dict(config.node_selector)
    return {"nodeAgent": agent}
