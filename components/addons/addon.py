"""What all add-ons share: the place of their pods, their service account and their Helm release."""

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
    """Inputs of every add-on; its own Args add the stack file's section as `config`."""

    cluster: ClusterRef
    """The cluster that the add-on runs in."""
    placement: Placement = ON_ANY_NODE
    """Place of the add-on's pods, with the resources that they need there."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The cluster and its network, as the wiring passes them to each add-on's `declare`."""

    cluster: ClusterRef
    """The cluster that the add-ons run in."""
    placement: Callable[[Mapping[str, str]], Placement]
    """Finds the place of pods in kube-system, with what they need there, by their labels."""
    vpc_id: pulumi.Input[str]
    """The VPC of load balancers and mount targets."""
    known_vpc_id: str | None = None
    """Id of an existing VPC; None if this stack creates it. Tells apart private zones of one
    name.
    """
    subnet_ids: Sequence[pulumi.Input[str]]
    """Ids of private subnets, one for each zone."""
    security_group_ids: Sequence[pulumi.Input[str]] = ()
    """Security groups of Fargate pods and of nodes, from which volumes are mounted."""
    coredns: Sequence[pulumi.Resource] = ()
    """The CoreDNS add-on, for charts that need name resolution."""
    spot_groups: Sequence[str] = ()
    """Names of the Auto Scaling groups of spot nodes that the stack owns."""
    zonal: bool = False
    """True if any spot group is perZone."""
    before: Mapping[str, pulumi.Resource] = field(default_factory=dict[str, pulumi.Resource])
    """Components of the add-ons declared so far, by their keys in the stack file."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What `declare` returns: an add-on's component and its outputs."""

    component: pulumi.Resource
    """The add-on's component."""
    outputs: Mapping[str, pulumi.Output[Any]] = field(default_factory=dict[str, pulumi.Output[Any]])
    """Outputs of the stack that users look for, by name."""


@dataclass(frozen=True, kw_only=True)
class ChartArgs(AddonArgs):
    """Inputs of an add-on that a Helm chart installs."""

    config: ChartConfig
    """The stack file's settings of the add-on."""


def install(
    name: str,
    chart: Chart,
    args: ChartArgs,
    values: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> k8s.helm.v3.Release:
    """The release of the add-on's chart in kube-system; the user's values file overrides these
    values.
    """
    if args.config.values_file:
        values = user_values.merged(values, user_values.read(args.config.values_file))
    into = Installation(namespace=NAMESPACE, values=values)
    return chart_release(name, chart, into, args.cluster.charts, opts)


@dataclass(frozen=True, kw_only=True)
class ServiceAccountArgs:
    """A service account of an add-on, and its permissions in AWS."""

    addon: AddonArgs
    """The add-on's own inputs."""
    service_account: str
    """Name of the service account in kube-system."""
    policy: pulumi.Input[Mapping[str, Any]] | None = None
    """Policy document for the role alone."""
    managed_policies: Mapping[str, pulumi.Input[str]] | None = None
    """ARNs of managed policies by the name of their attachment."""


class AddonAccount(pulumi.ComponentResource):
    """A service account in kube-system with its IAM role; pods started after it have the
    permissions.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role; resolves once the policies are attached."""
    associated: str | None
    """Name of the service account if its pods get credentials by Pod Identity; None on Fargate,
    where they get them by IRSA.
    """

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
    """Options of an add-on's release: it comes after its account and all that it needs, and after
    EKS's admission webhooks know both.
    """
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
