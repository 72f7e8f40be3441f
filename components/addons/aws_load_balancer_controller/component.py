"""AWS Load Balancer Controller: makes an NLB for a Service and an ALB for an Ingress."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ... import versions
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
from .config import AwsLoadBalancerControllerConfig
from .policy import iam_policy

CHART = Chart(
    name=AwsLoadBalancerControllerConfig.CHART_NAME,
    repository="https://aws.github.io/eks-charts",
    version=versions.AWS_LOAD_BALANCER_CONTROLLER_CHART,
)
IMAGE = "public.ecr.aws/eks/aws-load-balancer-controller"
SERVICE_ACCOUNT = "aws-load-balancer-controller"
LOAD_BALANCER_CLASS = "service.k8s.aws/nlb"
"""Class of a Service of type LoadBalancer. A Service without it gets a Classic Load Balancer."""
INGRESS_CLASS = "alb"
CLUSTER_TAG = "elbv2.k8s.aws/cluster"
"""Tag that the controller puts on everything it makes; its value is the cluster's name."""


@dataclass(frozen=True, kw_only=True)
class AwsLoadBalancerControllerArgs(ChartArgs):
    """The stack file's settings of the controller, and the VPC of its load balancers."""

    config: AwsLoadBalancerControllerConfig
    """The stack file's settings of the controller."""
    vpc_id: pulumi.Input[str]
    """The VPC in which the controller makes load balancers."""


class AwsLoadBalancerController(pulumi.ComponentResource):
    """The AWS Load Balancer Controller; ready when its webhooks answer.

    Resources that ask for a load balancer must depend on `release`: a destroy then deletes them
    while the controller still runs and can delete the load balancer.
    """

    release: k8s.helm.v3.Release
    """The controller's Helm release, on which resources with a load balancer must depend."""

    def __init__(
        self,
        name: str,
        args: AwsLoadBalancerControllerArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("frugal-eks:addons:AwsLoadBalancerController", name, None, opts)
        location = args.cluster.location
        policy = pulumi.Output.from_input(args.vpc_id).apply(
            lambda vpc_id: iam_policy(
                partition=location.partition,
                region=location.region,
                cluster=args.cluster.name,
                vpc_id=vpc_id,
            )
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
    config: AwsLoadBalancerControllerConfig, around: Surroundings, opts: pulumi.ResourceOptions
) -> Declared:
    """Declares the add-on as the stack file asks for it."""
    addon = AwsLoadBalancerController(
        "aws-load-balancer-controller",
        AwsLoadBalancerControllerArgs(
            config=config,
            cluster=around.cluster,
            placement=around.placement(config.POD_LABELS),
            vpc_id=around.vpc_id,
        ),
        opts=opts,
    )
    return Declared(component=addon)


def helm_values(args: AwsLoadBalancerControllerArgs) -> dict[str, Any]:
    """Values of the chart; absent ones keep the chart's default."""
    config = args.config
    values: dict[str, Any] = {
        "clusterName": args.cluster.live_name,
        # Else it asks the metadata service: Fargate has none, and a hop limit of 1 keeps pods from
        # it (aws-load-balancer-controller#1561, #3695).
        "region": args.cluster.location.region,
        "vpcId": args.vpc_id,
        # Its rights must be there before its pods: the program makes the account.
        "serviceAccount": {"create": False, "name": SERVICE_ACCOUNT},
        "replicaCount": config.replicas,
        # It refuses every Service of the cluster while no pod of it answers, so that other charts
        # fail (aws-load-balancer-controller#4811). Services name their class instead.
        "enableServiceMutatorWebhook": False,
        # An upgrade would bring a new certificate that running pods do not serve yet: "x509:
        # certificate signed by unknown authority" (aws-load-balancer-controller#4572).
        "keepTLSSecret": True,
        # Pods have addresses of the VPC, and on Fargate there is no instance to send traffic to.
        "defaultTargetType": "ip",
        # Not asked for, and the policy has no rights for them.
        "enableShield": False,
        "enableWaf": False,
        "enableWafv2": False,
        # The chart's default, written out: Ingresses name it.
        "ingressClass": INGRESS_CLASS,
        "defaultTags": dict(config.default_tags),
        # The VPC's own: a destroy then needs no CoreDNS while the last load balancer goes.
        "dnsPolicy": "Default",
        # The chart asks for nothing: scheduler and Karpenter would count the pod as nothing.
        "resources": config.resources(args.placement.runs_on),
    }
    if config.replicas > 1:
        # A drain takes one pod at a time. With one replica it would hold every drain up.
        values["podDisruptionBudget"] = {"maxUnavailable": 1}
    if args.placement.on_nodes:
        values["nodeSelector"] = dict(config.node_selector)
    if args.cluster.charts.images:
        values["image"] = {"repository": args.cluster.charts.image(IMAGE)}
    return values
