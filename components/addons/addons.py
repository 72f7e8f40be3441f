"""The add-ons that are on, each with what it needs, side by side where nothing forbids it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from ..cluster_ref import ClusterRef
from ..placement import Placement
from .aws_load_balancer_controller import (
    AwsLoadBalancerController,
    AwsLoadBalancerControllerArgs,
)
from .cluster_autoscaler import (
    ClusterAutoscaler,
    ClusterAutoscalerArgs,
    ClusterAutoscalerConfig,
)
from .config import AddonsConfig
from .ebs_csi import EbsCsi, EbsCsiArgs
from .efs_csi import EfsCsi, EfsCsiArgs
from .external_dns import ExternalDns, ExternalDnsArgs
from .kube_ops_view import KubeOpsView, KubeOpsViewArgs
from .metrics_server import MetricsServer, MetricsServerArgs


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    """The stack file's part, and all that add-ons are told of the cluster and its network."""

    config: AddonsConfig
    """The stack file's part."""
    cluster_autoscaler: ClusterAutoscalerConfig | None
    """A section of its own in the file: it is about nodes as much as about pods."""
    cluster: ClusterRef
    """The cluster that gets the add-ons."""
    placement: Callable[[Mapping[str, str]], Placement]
    """By the labels of pods in kube-system: where they run, and what they need there."""
    vpc_id: pulumi.Input[str]
    """Where load balancers and mount targets go."""
    spot_groups: Sequence[str]
    """Names of the stack's own Auto Scaling groups of spot nodes."""
    zonal: bool
    """Whether there is one for each zone."""
    known_vpc_id: str | None
    """The VPC's id where it is known in advance: a private zone may have namesakes in other
    VPCs."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private ones, one a zone."""
    security_group_ids: Sequence[pulumi.Input[str]]
    """Security groups of Fargate pods and of nodes, from where volumes are mounted."""
    coredns: Sequence[pulumi.Resource]
    """Name resolution, for those whose chart cannot do without."""


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
                    config=config.metrics_server,
                    cluster=args.cluster,
                    placement=args.placement(config.metrics_server.POD_LABELS),
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
                    cluster=args.cluster,
                    placement=args.placement(config.efs_csi.POD_LABELS),
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
                    cluster=args.cluster,
                    placement=args.placement(config.ebs_csi.POD_LABELS).after(args.coredns),
                ),
                opts=child,
            )
        self.autoscaler = []
        if args.cluster_autoscaler:
            autoscaler = ClusterAutoscaler(
                "cluster-autoscaler",
                ClusterAutoscalerArgs(
                    config=args.cluster_autoscaler,
                    spot_groups=args.spot_groups,
                    zonal=args.zonal,
                    cluster=args.cluster,
                    placement=args.placement(args.cluster_autoscaler.POD_LABELS),
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
                    cluster=args.cluster,
                    placement=args.placement(config.aws_load_balancer_controller.POD_LABELS),
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
                    cluster=args.cluster,
                    placement=args.placement(config.external_dns.POD_LABELS),
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
                    cluster=args.cluster,
                    placement=args.placement(config.kube_ops_view.POD_LABELS),
                ),
                opts=child,
            )
            if page.url:
                outputs["kubeOpsViewUrl"] = page.url
        self.outputs = outputs
        self.register_outputs(outputs)
