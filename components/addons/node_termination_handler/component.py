"""Node Termination Handler: drains nodes of Auto Scaling groups before AWS takes them away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ... import versions
from ...kubernetes.charts import Chart
from ...names import QUEUE_NAME_LIMIT, fitted
from ...nodes.interruption import (
    InterruptionQueue,
    InterruptionQueueArgs,
    termination_handler_patterns,
)
from ...placement import RunsOn
from ..addon import AddonAccount, ChartArgs, ServiceAccountArgs, install, release_options
from .affinity import node_affinity
from .config import (
    CHART_NAME,
    ImdsHandlerConfig,
    QueueHandlerConfig,
    managed_tag,
)
from .policy import iam_policy

CHART = Chart(
    name=CHART_NAME,
    repository="oci://public.ecr.aws/aws-ec2/helm",
    version=versions.NODE_TERMINATION_HANDLER_CHART,
)
IMAGE = "public.ecr.aws/aws-ec2/aws-node-termination-handler"
SERVICE_ACCOUNT = f"{CHART_NAME}-queue"
"""Service account of mode queue, which the program creates. In mode imds the chart and the plain
manifest create their own, named like the chart: with the same name a change of mode would collide
with it.
"""
NOT_FARGATE = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}
NOT_KARPENTER = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
ADVICE = (
    "nodeTerminationHandler: nodes is karpenter. Karpenter's documentation advises against it: "
    "both act on one node, and for an instance that a rebalance recommendation gave up Karpenter "
    "may launch the same type again. Drop nodes unless you want to act on these recommendations"
)


@dataclass(frozen=True, kw_only=True)
class NodeTerminationHandlerArgs(ChartArgs):
    """The stack file's settings of the handler, and the nodes it drains."""

    config: QueueHandlerConfig | ImdsHandlerConfig
    """The stack file's settings of the handler."""
    groups: Sequence[str] = ()
    """Names of the Auto Scaling groups that the handler drains, known in advance: policies and
    rules that took them from the groups would be deleted before the groups.
    """
    safe_node_selector: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels of nodes that AWS does not take away, where the pods of mode queue run by default."""
    karpenter: bool = False
    """True if Karpenter manages some of the cluster's nodes."""


class NodeTerminationHandler(pulumi.ComponentResource):
    """AWS Node Termination Handler. Auto Scaling groups must depend on the component: it drains
    their nodes in a destroy too, and without it each instance waits until its lifecycle hook times
    out.
    """

    release: pulumi.Resource
    """The Helm release or the manifest; ready when its pods are."""

    def __init__(
        self,
        name: str,
        args: NodeTerminationHandlerArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("frugal-eks:addons:NodeTerminationHandler", name, None, opts)
        config = args.config
        if config.nodes == "karpenter":
            pulumi.log.warn(ADVICE, self)

        if isinstance(config, QueueHandlerConfig):
            queue = self._queue(name, args, config)
            account = AddonAccount(
                name,
                ServiceAccountArgs(
                    addon=args,
                    service_account=SERVICE_ACCOUNT,
                    policy=queue.queue_arn.apply(
                        lambda arn: iam_policy(
                            location=args.cluster.location,
                            groups=args.groups,
                            queue_arn=arn,
                            heartbeats=config.heartbeat_interval_seconds is not None,
                        )
                    ),
                ),
                opts=pulumi.ResourceOptions(parent=self),
            )
            self.release = install(
                name,
                CHART,
                args,
                queue_values(args, config, queue_url=queue.queue_url),
                release_options(self, args, account),
            )
        elif config.manifest:
            self.release = k8s.yaml.v2.ConfigFile(
                name, file=config.manifest, opts=release_options(self, args)
            )
        else:
            self.release = install(
                name, CHART, args, imds_values(args, config), release_options(self, args)
            )
        self.register_outputs({})

    def _queue(
        self, name: str, args: NodeTerminationHandlerArgs, config: QueueHandlerConfig
    ) -> InterruptionQueue:
        return InterruptionQueue(
            f"{name}-interruption",
            InterruptionQueueArgs(
                # Not Karpenter's, which has the cluster's name: each reader deletes all.
                queue_name=fitted(f"{args.cluster.name}-nth", QUEUE_NAME_LIMIT),
                patterns=termination_handler_patterns(
                    args.groups,
                    spot=config.spot_interruption_draining,
                    rebalance=config.rebalance_draining,
                    scheduled=config.scheduled_event_draining,
                    state_change=config.state_change_draining,
                ),
                own_rules_only=True,
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )


def queue_values(
    args: NodeTerminationHandlerArgs, config: QueueHandlerConfig, *, queue_url: pulumi.Input[str]
) -> dict[str, Any]:
    """Values of the chart in mode queue; absent ones keep the chart's default."""
    values = _common_values(args) | {
        "enableSqsTerminationDraining": True,
        "queueURL": queue_url,
        # The handler would ask the metadata service, which a hop limit of 1 keeps from pods.
        "awsRegion": args.cluster.location.region,
        # Its rights must be there before its pods: the program makes the account.
        "serviceAccount": {"create": False, "name": SERVICE_ACCOUNT},
        # Events of the whole account arrive: of those that name an instance without this tag, none
        # is acted on.
        "checkTagBeforeDraining": True,
        "managedTag": managed_tag(args.cluster.name),
        "replicas": config.replicas,
        "workers": config.workers,
        "deleteSqsMsgIfNodeNotFound": config.delete_sqs_msg_if_node_not_found,
        "useProviderId": config.use_provider_id,
        "completeLifecycleActionDelaySeconds": config.complete_lifecycle_action_delay_seconds,
    }
    if config.replicas > 1:
        # One by one, and each on a node of its own where there is one.
        values["podDisruptionBudget"] = {"maxUnavailable": 1}
        values["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": dict(config.POD_LABELS)},
            }
        ]
    if config.heartbeat_interval_seconds is not None:
        values["heartbeatInterval"] = config.heartbeat_interval_seconds
    if config.heartbeat_until_seconds is not None:
        values["heartbeatUntil"] = config.heartbeat_until_seconds
    selector = config.node_selector or args.safe_node_selector
    if selector and args.placement.on_nodes:
        values["nodeSelector"] = dict(selector)
    return values


def imds_values(args: NodeTerminationHandlerArgs, config: ImdsHandlerConfig) -> dict[str, Any]:
    """Values of the chart for a DaemonSet, in mode imds."""
    own: list[Mapping[str, Any]] = [NOT_FARGATE]
    if args.karpenter and config.nodes != "karpenter":
        # Of one node there is one handler: Karpenter reads the same events from its own queue.
        own.append(NOT_KARPENTER)
    values = _common_values(args) | {
        "enableSqsTerminationDraining": False,
        # The chart's default, written out.
        "targetNodeOs": "linux",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}},
        # The metadata service answers one hop away: from the node's own network, not a pod's.
        "useHostNetwork": True,
        "daemonsetAffinity": node_affinity(config.affinity, own),
        # The chart's default, written out: spot nodes have taints.
        "daemonsetTolerations": [{"operator": "Exists"}],
        "enableSpotInterruptionDraining": config.drains_for_spot,
        "enableScheduledEventDraining": config.drains_for_maintenance,
        "enableASGLifecycleDraining": config.nodes == "autoScalingGroups",
        "enableRebalanceMonitoring": config.rebalance_monitoring,
        "enableRebalanceDraining": config.rebalance_draining,
        # The chart's default, written out.
        "deleteSqsMsgIfNodeNotFound": False,
    }
    if config.selected:
        values["nodeSelector"] = dict(config.selected)
    return values


def _common_values(args: NodeTerminationHandlerArgs) -> dict[str, Any]:
    config = args.config
    # A DaemonSet's pods are on nodes, wherever a profile would run others.
    runs_on = RunsOn.NODES if config.ON_EVERY_NODE else args.placement.runs_on
    values: dict[str, Any] = {
        # The chart asks for nothing: the scheduler would count the pod as nothing.
        "resources": config.resources(runs_on),
        "taintNode": config.taint_node,
        "nodeTerminationGracePeriod": config.node_termination_grace_period,
        "podTerminationGracePeriod": config.pod_termination_grace_period,
        "emitKubernetesEvents": config.emit_kubernetes_events,
    }
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return values
