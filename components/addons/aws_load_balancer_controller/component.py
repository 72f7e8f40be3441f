"""AWS Load Balancer Controller: makes an NLB for a Service and an ALB for an Ingress."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pulumi
import pulumi_kubernetes as k8s
from pydantic import Field

from ... import versions
from ...kubernetes.charts import UNQUOTED, Chart, survives_unquoted
from ...section import Mistake
from ..addon import (
    AddonAccount,
    ChartArgs,
    PodsConfig,
    ServiceAccountArgs,
    install,
    release_options,
)

CHART = Chart(
    name="aws-load-balancer-controller",
    repository="https://aws.github.io/eks-charts",
    version=versions.AWS_LOAD_BALANCER_CONTROLLER_CHART,
)
IMAGE = "public.ecr.aws/eks/aws-load-balancer-controller"
SERVICE_ACCOUNT = "aws-load-balancer-controller"
POLICY = Path(__file__).with_name(f"{CHART.name}-{CHART.version}-iam-policy.json")
"""Upstream's `docs/install/iam_policy.json` of the same release, unchanged: chart and controller
have one version number."""

LOAD_BALANCER_CLASS = "service.k8s.aws/nlb"
"""The class of a Service of type LoadBalancer: without it the Service gets a Classic Load
Balancer."""
INGRESS_CLASS = "alb"

CLUSTER_TAG = "elbv2.k8s.aws/cluster"
"""The tag that the controller puts on all that it makes; its value is the cluster's name."""
_OFF = ("cognito-idp:", "waf-regional:", "wafv2:", "shield:")

TagKey = Annotated[str, Field(pattern=r"^[\w .:/+@-]+$", max_length=128)]
"""AWS allows `=` too, but the chart writes all tags as one `key=value,key=value`."""
TagValue = Annotated[str, Field(pattern=r"^[\w .:/+@=-]*$", max_length=256)]


class AwsLoadBalancerControllerConfig(PodsConfig):
    """How large it is, and how its load balancers are tagged."""

    CHART_NAME: ClassVar[str] = CHART.name
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": "aws-load-balancer-controller",
        "app.kubernetes.io/instance": "aws-load-balancer-controller",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("elasticloadbalancing",)

    # What upstream's values.yaml suggests.
    ON_NODES: ClassVar[Mapping[str, str]] = {"cpu": "100m", "memory": "128Mi"}

    replicas: int = Field(default=2, ge=1, le=3)
    """One works; a second answers the webhooks too: without an answer no Ingress can be made."""
    default_tags: Mapping[TagKey, TagValue] = {}
    """On every load balancer, target group and security group, for cost reports for example."""

    def mistakes(self) -> Iterator[Mistake]:
        """Names of tags that are taken, and texts that do not arrive as they are."""
        for key, value in self.default_tags.items():
            if not survives_unquoted("default-tags", f"{key}={value}"):
                yield Mistake(f"defaultTags.{key}", UNQUOTED, value)
            if key.startswith("aws:") or ".k8s.aws/" in key:
                problem = "is a tag that AWS or the controller sets itself: choose another name"
                yield Mistake(f"defaultTags.{key}", problem)


@dataclass(frozen=True, kw_only=True)
class AwsLoadBalancerControllerArgs(ChartArgs):
    """The stack file's part, and where load balancers go."""

    config: AwsLoadBalancerControllerConfig
    """The stack file's part."""
    vpc_id: pulumi.Input[str]
    """The VPC in which it makes load balancers."""


class AwsLoadBalancerController(pulumi.ComponentResource):
    """Ready when its webhooks answer. What asks for a load balancer must depend on `release`: in a
    destroy it goes first, while there is a controller to take its load balancer away."""

    release: k8s.helm.v3.Release
    """What asks for a load balancer depends on it."""

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


def iam_policy(*, partition: str, region: str, cluster: str, vpc_id: str) -> dict[str, Any]:
    """Upstream's policy without the rights of what is off, and for this cluster and VPC alone."""
    text = POLICY.read_text(encoding="utf-8").replace('"arn:aws:', f'"arn:{partition}:')
    document = json.loads(text)
    # The account stays open: a shared VPC is its owner's, and its id is no other's.
    vpc = {"ArnEquals": {"ec2:Vpc": f"arn:{partition}:ec2:{region}:*:vpc/{vpc_id}"}}
    for statement in document["Statement"]:
        actions = [each for each in statement["Action"] if not each.startswith(_OFF)]
        statement["Action"] = actions
        if "Condition" in statement:
            statement["Condition"] = _of_one_cluster(statement["Condition"], cluster)
        elif "ec2:AuthorizeSecurityGroupIngress" in actions:
            # The groups of nodes carry no tag of the controller: the VPC is their bound.
            statement["Condition"] = vpc
    return document


def _of_one_cluster(condition: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """The condition with "the tag exists" as "the tag is this cluster's".

    Upstream lets every controller of the account delete the load balancers of all clusters. Only
    the negative, "this call does not set the tag", stays as it is.
    """
    null = condition.get("Null", {})
    open_ = {key: value for key, value in null.items() if value != "false"}
    tags = {key: cluster for key, value in null.items() if value == "false"}
    equals = {**condition.get("StringEquals", {}), **tags}
    changed = {**condition, "StringEquals": equals, "Null": open_}
    return {operator: keys for operator, keys in changed.items() if keys}


def helm_values(args: AwsLoadBalancerControllerArgs) -> dict[str, Any]:
    """The chart's values; what is not here is the chart's default, and right."""
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
        # Else an upgrade brings a new certificate that running pods do not serve yet: "x509:
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
