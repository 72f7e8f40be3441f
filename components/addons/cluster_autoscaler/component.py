"""Cluster Autoscaler: gives Auto Scaling groups as many nodes as their pods need."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ... import compatibility, versions
from ...kubernetes.charts import Chart
from ..addon import (
    AddonAccount,
    ChartArgs,
    Declared,
    ServiceAccountArgs,
    Surroundings,
    install,
    release_options,
)
from .config import ClusterAutoscalerConfig
from .policy import iam_policy

CHART = Chart(
    name=ClusterAutoscalerConfig.CHART_NAME,
    repository="https://kubernetes.github.io/autoscaler",
    version=versions.CLUSTER_AUTOSCALER_CHART,
)
IMAGE = "registry.k8s.io/autoscaling/cluster-autoscaler"
SERVICE_ACCOUNT = "cluster-autoscaler"
INSTANCE_TYPE_LABELS = {
    "type": "node.kubernetes.io/instance-type",
    "betatype": "beta.kubernetes.io/instance-type",
}
NOBODY = 65534
"""User id that the chart's values.yaml suggests."""


@dataclass(frozen=True, kw_only=True)
class ClusterAutoscalerArgs(ChartArgs):
    """The stack file's settings of the autoscaler, and the spot groups of the cluster."""

    config: ClusterAutoscalerConfig
    """The stack file's settings of the autoscaler."""
    spot_groups: Sequence[str] = ()
    """Names of the spot groups: with the expander `priority` they grow first."""
    zonal: bool = False
    """True if any spot group is perZone."""


class ClusterAutoscaler(pulumi.ComponentResource):
    """Cluster Autoscaler, with permission to scale this cluster's groups only.

    Raises RunError, which Pulumi prints without a traceback, for a Kubernetes version without a
    pinned image: an existing cluster may have one.
    """

    release: k8s.helm.v3.Release
    """The Helm release; ready when its pods are."""

    def __init__(
        self, name: str, args: ClusterAutoscalerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:ClusterAutoscaler", name, None, opts)
        problem = compatibility.cluster_autoscaler_problem(args.cluster.version)
        if problem:
            raise pulumi.RunError(f"clusterAutoscaler: {problem}")
        policy = iam_policy(
            location=args.cluster.location,
            cluster=args.cluster.name,
            groups=[group.name for group in args.config.groups or ()],
        )
        account = AddonAccount(
            name,
            ServiceAccountArgs(addon=args, service_account=SERVICE_ACCOUNT, policy=policy),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.release = install(
            name,
            CHART,
            args,
            helm_values(args),
            release_options(self, args, account),
        )
        self.register_outputs({})


def declare(
    config: ClusterAutoscalerConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = ClusterAutoscaler(
        "cluster-autoscaler",
        ClusterAutoscalerArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
            spot_groups=around.spot_groups,
            zonal=around.zonal,
        ),
        opts=opts,
    )
    return Declared(component=addon)


def spot_first(groups: Sequence[str]) -> dict[int, list[str]]:
    """Priorities by which these groups grow before any other.

    The autoscaler leaves a group alone for a while if EC2 has no capacity for it, and the next
    priority grows (upstream's FAQ, `max-node-provision-time`).
    """
    return {50: [f"^{re.escape(group)}$" for group in groups], 10: [".*"]}


def helm_values(args: ClusterAutoscalerArgs) -> dict[str, Any]:
    """Values of the chart; absent ones keep the chart's default."""
    config = args.config
    values: dict[str, Any] = {
        # Else its names begin with `cluster-autoscaler-aws-`.
        "fullnameOverride": CHART.name,
        "cloudProvider": "aws",
        # The autoscaler would ask the metadata service: Fargate has none, and a hop limit of 1
        # keeps pods from it.
        "awsRegion": args.cluster.location.region,
        # It simulates the scheduler: its minor is the cluster's (upstream's table of releases).
        "image": {"tag": versions.CLUSTER_AUTOSCALER[args.cluster.version]},
        # Its rights must be there before its pods: the program makes the account.
        "rbac": {"serviceAccount": {"create": False, "name": SERVICE_ACCOUNT}},
        "replicaCount": config.replicas,
        "extraArgs": arguments(args),
        # The VPC's own: where no node has room for CoreDNS, it adds the one for it.
        "dnsPolicy": "Default",
        # The chart asks for nothing: the scheduler would count the pod as nothing.
        "resources": config.resources(args.placement.runs_on),
        # The chart's default, written out: without a budget it would keep its own node for ever.
        "podDisruptionBudget": {"maxUnavailable": 1},
        # The chart sets none, and a namespace that enforces `restricted` would refuse its pods.
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containerSecurityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    }
    if config.groups:
        values["autoscalingGroups"] = [
            {"name": group.name, "minSize": group.min, "maxSize": group.max}
            for group in config.groups
        ]
    else:
        # With neither, the chart installs everything but the Deployment, and says nothing.
        values["autoDiscovery"] = {"clusterName": args.cluster.live_name}
    if config.expander == "priority":
        priorities = config.priorities or spot_first(args.spot_groups)
        values["expanderPriorities"] = {
            str(number): list(patterns) for number, patterns in priorities.items()
        }
    if config.node_selector and args.placement.on_nodes:
        values["nodeSelector"] = dict(config.node_selector)
    if args.cluster.charts.images:
        values["image"]["repository"] = args.cluster.charts.image(IMAGE)
    return values


def arguments(args: ClusterAutoscalerArgs) -> dict[str, Any]:
    """Flags of the autoscaler; absent ones keep upstream's default."""
    config = args.config
    wanted = config.balance_similar_node_groups
    flags: dict[str, Any] = {
        "expander": config.expander,
        # Upstream's default, true, lets an emptyDir pin a node.
        "skip-nodes-with-local-storage": config.skip_nodes_with_local_storage,
        "balance-similar-node-groups": args.zonal if wanted is None else wanted,
        "scale-down-unneeded-time": config.scale_down_unneeded_time,
        "scale-down-delay-after-add": config.scale_down_delay_after_add,
        "v": config.v,
        "stderrthreshold": "info",
    }
    if args.zonal and wanted is not False:
        # Nodes of one group are of many types: by this label no two groups would be similar. What
        # follows the `_` is the chart's way to repeat a flag.
        flags |= {f"balancing-ignore-label_{n}": label for n, label in INSTANCE_TYPE_LABELS.items()}
    if args.cluster.isolated:
        # Else it fetches the list of instance types when it starts, and stops where it cannot. As
        # text: a bare flag would be null, which Pulumi's Helm drops.
        flags["aws-use-static-instance-list"] = "true"
    # As text too: a number would come out as Go prints it, 1e+06 for a million.
    return flags | {key: _text(value) for key, value in config.extra_args.items()}


def _text(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
