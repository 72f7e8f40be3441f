"""What every add-on has in common: where its pods run, how large they are, what it needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..cluster_ref import ClusterRef
from ..iam.pod_role import PodRole, PodRoleArgs
from ..kubernetes.admission import Pods
from ..kubernetes.chart_release import chart_release
from ..kubernetes.charts import Chart, Installation
from ..kubernetes.kubernetes_object import KubernetesObject
from ..placement import ON_ANY_NODE, Placement
from . import user_values
from .addon_config import NAMESPACE, ChartConfig


@dataclass(frozen=True, kw_only=True)
class AddonArgs:
    """What every add-on is given; its own Args add the stack file's part as `config`."""

    cluster: ClusterRef
    """The cluster that gets the add-on."""
    placement: Placement = ON_ANY_NODE
    """The place of the add-on's pods, and what the pods need there."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The cluster and the network as each add-on's `declare` is given them by the wiring."""

    cluster: ClusterRef
    """The cluster that gets the add-ons."""
    placement: Callable[[Mapping[str, str]], Placement]
    """By the labels of pods in kube-system: where they run, and what they need there."""
    vpc_id: pulumi.Input[str]
    """The VPC of load balancers and mount targets."""
    known_vpc_id: str | None = None
    """The VPC's id where it is known in advance: a private zone may have namesakes in other
    VPCs."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Private subnets, one a zone."""
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Security groups of Fargate pods and of nodes, from where volumes are mounted."""
    coredns: Sequence[pulumi.Resource] = ()
    """Name resolution, for the add-ons whose chart cannot do without."""
    spot_groups: Sequence[str] = ()
    """Names of the stack's own Auto Scaling groups of spot nodes."""
    zonal: bool = False
    """Whether each zone has a spot group of its own."""
    before: Mapping[str, pulumi.Resource] = field(default_factory=dict[str, pulumi.Resource])
    """The add-ons that are declared already, by their keys in the stack file."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """An add-on that `declare` made."""

    component: pulumi.Resource
    """The add-on's component."""
    outputs: Mapping[str, pulumi.Output[Any]] = field(default_factory=dict[str, pulumi.Output[Any]])
    """What users look for, by the name of the stack's output."""


@dataclass(frozen=True, kw_only=True)
class ChartArgs(AddonArgs):
    """What an add-on is given that a chart installs."""

    config: ChartConfig
    """The stack file's part."""


def install(
    name: str,
    chart: Chart,
    args: ChartArgs,
    values: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> k8s.helm.v3.Release:
    """The chart in kube-system, with these values and the user's own over them."""
    if args.config.values_file:
        values = user_values.merged(values, user_values.read(args.config.values_file))
    into = Installation(namespace=NAMESPACE, values=values)
    return chart_release(name, chart, into, args.cluster.charts, opts)


@dataclass(frozen=True, kw_only=True)
class ServiceAccountArgs:
    """Whose pods they are, and what they may do in AWS."""

    addon: AddonArgs
    """What the add-on was given."""
    service_account: str
    """The name of its service account in kube-system."""
    policy: pulumi.Input[Mapping[str, Any]] | None = None
    """A policy document of the role's own."""
    managed_policies: Mapping[str, pulumi.Input[str]] | None = None
    """ARNs of managed policies by a short noun that names the attachment."""


class AddonAccount(pulumi.ComponentResource):
    """A service account of kube-system with its role; pods started after it have the rights."""

    role_arn: pulumi.Output[str]
    """Known once the policies are attached."""
    associated: str | None
    """The account's name where its pods get their rights by Pod Identity; None on Fargate, where
    they do by IRSA."""

    def __init__(
        self, name: str, args: ServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:addons:AddonAccount", name, None, opts)
        addon = args.addon
        role = PodRole(
            f"{name}-role",
            PodRoleArgs(
                cluster=addon.cluster,
                runs_on=addon.placement.runs_on,
                namespace=NAMESPACE,
                service_account=args.service_account,
                policy=args.policy,
                managed_policies=args.managed_policies or {},
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        metadata: dict[str, Any] = {"name": args.service_account, "namespace": NAMESPACE}
        if role.annotations:
            metadata["annotations"] = role.annotations
        KubernetesObject(
            f"{name}-account",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            opts=pulumi.ResourceOptions(
                parent=self, provider=addon.cluster.provider, depends_on=[role]
            ),
        )
        self.role_arn = role.role_arn
        self.associated = args.service_account if addon.placement.on_nodes else None
        self.register_outputs({"roleArn": self.role_arn})


def release_options(
    parent: pulumi.Resource, args: ChartArgs, account: AddonAccount | None = None
) -> pulumi.ResourceOptions:
    """For an add-on's release: after its account and all it needs, and after EKS's webhooks know
    them."""
    pods = Pods(
        namespace=NAMESPACE,
        labels=args.config.POD_LABELS,
        profile=args.placement.profile,
        service_account=account.associated if account else None,
    )
    return pulumi.ResourceOptions(
        parent=parent,
        provider=args.cluster.provider,
        depends_on=[*([account] if account else []), *args.placement.needs],
        hooks=args.cluster.admission.hooks(pods),
    )
