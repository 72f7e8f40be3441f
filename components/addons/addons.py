"""The add-ons that are on, each with what it needs, side by side where nothing forbids it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from components.addons.addon import AddonConfig
from components.addons.aws_load_balancer_controller import (
    AwsLoadBalancerController,
    AwsLoadBalancerControllerArgs,
)
from components.addons.cluster_autoscaler import (
    ClusterAutoscaler,
    ClusterAutoscalerArgs,
    ClusterAutoscalerConfig,
)
from components.addons.config import AddonsConfig
from components.addons.ebs_csi import EbsCsi, EbsCsiArgs
from components.addons.efs_csi import EfsCsi, EfsCsiArgs
from components.addons.external_dns import ExternalDns, ExternalDnsArgs
from components.addons.kube_ops_view import KubeOpsView, KubeOpsViewArgs
from components.addons.metrics_server import MetricsServer, MetricsServerArgs
from components.charts import ChartSource
from components.location import Location
from components.pod_role import RunsOn


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    """The stack file's part, and all that add-ons are told of the cluster and its network."""

    config: AddonsConfig
    """The stack file's part."""
    cluster_autoscaler: ClusterAutoscalerConfig | None
    """A section of its own in the file: it is about nodes as much as about pods."""
    cluster: str
    """The cluster's name, known in advance."""
    cluster_name: pulumi.Input[str]
    """The same as an output, so that it waits for the control plane."""
    oidc_provider_arn: pulumi.Input[str]
    """The cluster's OIDC provider in IAM, which IRSA trusts."""
    kubernetes_version: str
    """The cluster's minor version."""
    vpc_id: pulumi.Input[str]
    """Where load balancers and mount targets go."""
    spot_groups: Sequence[str]
    """Names of the stack's own Auto Scaling groups of spot nodes."""
    zonal: bool
    """Whether there is one for each zone."""
    known_vpc_id: str | None
    """The same where it is known in advance: of a private zone there may be namesakes."""
    isolated: bool
    """Whether pods have no way to the internet."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones, one a zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    """Of Fargate pods and of nodes, from where volumes are mounted."""
    location: Location
    """Where the stack is deployed."""
    charts: ChartSource
    """Where charts and images come from."""
    runs_on: Callable[[Mapping[str, str]], RunsOn]
    """By the labels of pods in kube-system: where they run."""
    home: Callable[[Mapping[str, str]], Sequence[pulumi.Resource]]
    """By the same labels: the profile or the nodes that run them."""
    way_out: Sequence[pulumi.Resource]
    """The routes to AWS, until the last load balancer, record and volume is gone."""
    coredns: Sequence[pulumi.Resource]
    """Name resolution, for those whose chart cannot do without."""
    kubernetes: pulumi.ProviderResource
    """The provider of the cluster."""


class Addons(pulumi.ComponentResource):
    """One block an add-on."""

    outputs: Mapping[str, pulumi.Output[Any]]
    """What users look for, by the name of the stack's output."""
    autoscaler: Sequence[pulumi.Resource]
    """The Cluster Autoscaler, where it is on: it must outlive pods for which it adds nodes."""

    def __init__(
        self, name: str, args: AddonsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:Addons", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config
        outputs: dict[str, pulumi.Output[Any]] = {}

        if config.metrics_server:
            MetricsServer(
                "metrics-server",
                MetricsServerArgs(
                    config=config.metrics_server, **_given(args, config.metrics_server)
                ),
                opts=child,
            )
        if config.efs_csi:
            efs = EfsCsi(
                "efs-csi",
                EfsCsiArgs(
                    config=config.efs_csi,
                    vpc_id=args.vpc_id,
                    subnet_ids=args.subnet_ids,
                    security_group_ids=args.security_group_ids,
                    **_given(args, config.efs_csi),
                ),
                opts=child,
            )
            if efs.file_system_id:
                outputs["efsFileSystemId"] = efs.file_system_id
        if config.ebs_csi:
            EbsCsi(
                "ebs-csi",
                EbsCsiArgs(
                    config=config.ebs_csi,
                    kubernetes_version=args.kubernetes_version,
                    **_given(args, config.ebs_csi, args.coredns),
                ),
                opts=child,
            )
        self.autoscaler = []
        if args.cluster_autoscaler:
            autoscaler = ClusterAutoscaler(
                "cluster-autoscaler",
                ClusterAutoscalerArgs(
                    config=args.cluster_autoscaler,
                    kubernetes_version=args.kubernetes_version,
                    isolated=args.isolated,
                    spot_groups=args.spot_groups,
                    zonal=args.zonal,
                    **_given(args, args.cluster_autoscaler),
                ),
                opts=child,
            )
            self.autoscaler = [autoscaler]
        # What owns load balancers and records must outlive every Service and Ingress.
        owners: list[pulumi.Resource] = []
        if config.aws_load_balancer_controller:
            controller = AwsLoadBalancerController(
                "aws-load-balancer-controller",
                AwsLoadBalancerControllerArgs(
                    config=config.aws_load_balancer_controller,
                    vpc_id=args.vpc_id,
                    **_given(args, config.aws_load_balancer_controller),
                ),
                opts=child,
            )
            owners.append(controller)
        if config.external_dns:
            records = ExternalDns(
                "external-dns",
                ExternalDnsArgs(
                    config=config.external_dns,
                    vpc_id=args.known_vpc_id,
                    **_given(args, config.external_dns),
                ),
                opts=child,
            )
            owners.append(records)
        if config.kube_ops_view:
            page = KubeOpsView(
                "kube-ops-view",
                KubeOpsViewArgs(
                    config=config.kube_ops_view,
                    load_balancers=owners,
                    **_given(args, config.kube_ops_view),
                ),
                opts=child,
            )
            if page.url:
                outputs["kubeOpsViewUrl"] = page.url
        self.outputs = outputs
        self.register_outputs(outputs)


def _given(
    args: AddonsArgs, addon: AddonConfig, needs: Sequence[pulumi.Resource] = ()
) -> dict[str, Any]:
    """What every add-on is given, see AddonArgs."""
    return {
        "cluster": args.cluster,
        "cluster_name": args.cluster_name,
        "oidc_provider_arn": args.oidc_provider_arn,
        "location": args.location,
        "runs_on": args.runs_on(addon.POD_LABELS),
        "charts": args.charts,
        "needs": [*args.home(addon.POD_LABELS), *args.way_out, *needs],
        "kubernetes": args.kubernetes,
    }
