"""EKS add-ons: those that nodes need before they start, and CoreDNS."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pulumi
import pulumi_aws as aws

from .. import versions
from ..cluster_ref import ClusterRef
from ..iam.pod_role import PodRole, PodRoleArgs
from ..kubernetes.admission import PROFILE_LABEL
from ..placement import RunsOn
from .eks_addons_config import (
    COREDNS_LABELS,
    NAMESPACE,
    CoreDnsConfig,
    EksAddonConfig,
    EksAddonsConfig,
    Home,
)

# Fargate adds 256 MB and rounds up: this is the most that still fits its smallest size.
COREDNS_FARGATE_RESOURCES = {"cpu": "0.25", "memory": "256M"}

NODE_POOL_LABEL = "karpenter.sh/nodepool"
"""Label on every node that Karpenter launches, and on no other."""


@dataclass(frozen=True, kw_only=True)
class EksAddonArgs:
    """An EKS add-on, its build and its cluster."""

    config: EksAddonConfig
    """The stack file's settings of the add-on."""
    addon_name: str
    """AWS's name of the add-on, for example `vpc-cni`."""
    cluster: ClusterRef
    """The cluster of the add-on; a pinned build is that of the cluster's minor version."""
    configuration: pulumi.Input[Mapping[str, Any]] | None = None
    """Values in the add-on's own schema."""
    hooks: pulumi.ResourceHookBinding | None = None
    """Hooks of the add-on; see Admission.hooks."""
    service_account_role_arn: pulumi.Input[str] | None = None
    """ARN of the role that EKS writes on the add-on's service account, for its pods on Fargate."""


class EksAddon(pulumi.ComponentResource):
    """An add-on that EKS installs and maintains; ready when it is active."""

    version: pulumi.Output[str]
    """The build that was chosen."""

    def __init__(
        self, name: str, args: EksAddonArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:EksAddon", name, None, opts)
        config = args.config
        addon = aws.eks.Addon(
            name,
            cluster_name=args.cluster.live_name,
            addon_name=args.addon_name,
            addon_version=self._build(args),
            resolve_conflicts_on_create=config.resolve_conflicts_on_create,
            resolve_conflicts_on_update=config.resolve_conflicts_on_update,
            preserve=config.preserve,
            configuration_values=_spelled(args.configuration),
            service_account_role_arn=args.service_account_role_arn,
            opts=pulumi.ResourceOptions(parent=self, hooks=args.hooks),
        )
        self.version = addon.addon_version
        self.register_outputs({"version": self.version})

    def _build(self, args: EksAddonArgs) -> pulumi.Input[str]:
        match args.config.version:
            case "pinned":
                return pinned_build(args.addon_name, args.cluster.version)
            case "default" | "latest" as wanted:
                available = aws.eks.get_addon_version_output(
                    addon_name=args.addon_name,
                    kubernetes_version=args.cluster.version,
                    most_recent=wanted == "latest",
                    opts=pulumi.InvokeOutputOptions(parent=self),
                )
                return available.version
            case exact:
                return exact


def _spelled(configuration: pulumi.Input[Mapping[str, Any]] | None) -> pulumi.Input[str] | None:
    if not configuration:
        return None
    if isinstance(configuration, Mapping):
        return json.dumps(configuration, sort_keys=True)
    return pulumi.Output.from_input(configuration).apply(
        lambda known: json.dumps(known, sort_keys=True)
    )


def pinned_build(addon: str, kubernetes: str) -> str:
    """The build that this release pins. Raises RunError if the minor has none, which can only
    happen on an existing cluster.
    """
    pinned = versions.EKS_ADDONS.get(kubernetes)
    if pinned is None:
        raise pulumi.RunError(
            f"{addon}: this release pins no build for Kubernetes {kubernetes}, only for "
            f"{', '.join(versions.EKS_ADDONS)}: set its version to default or to an exact build"
        )
    return pinned[addon]


@dataclass(frozen=True, kw_only=True)
class NodeAddonsArgs:
    """The stack file's settings of the add-ons, and the cluster."""

    config: EksAddonsConfig
    """The stack file's settings of the add-ons."""
    cluster: ClusterRef
    """The cluster of the add-ons; pinned builds are those of the cluster's minor version."""
    has_nodes: bool
    """True if the stack can have EC2 nodes."""


class NodeAddons(pulumi.ComponentResource):
    """Add-ons that must exist before the first node and until after the last: kube-proxy, vpc-cni
    and the Pod Identity agent.
    """

    def __init__(
        self, name: str, args: NodeAddonsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:NodeAddons", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        def addon(noun: str, config: EksAddonConfig, opts: pulumi.ResourceOptions) -> EksAddon:
            return EksAddon(
                noun,
                EksAddonArgs(
                    config=config,
                    addon_name=noun,
                    cluster=args.cluster,
                ),
                opts=opts,
            )

        addon("kube-proxy", args.config.kube_proxy, child)
        cni_needs: list[pulumi.Resource] = []
        if args.has_nodes:
            agent = addon("eks-pod-identity-agent", args.config.pod_identity_agent, child)
            role = PodRole(
                "vpc-cni-role",
                PodRoleArgs(
                    cluster=args.cluster,
                    runs_on=RunsOn.NODES,
                    namespace=NAMESPACE,
                    service_account="aws-node",
                    managed_policies={
                        "cni": args.cluster.location.managed_policy("AmazonEKS_CNI_Policy")
                    },
                ),
                # An association is of no use before the agent that hands its rights out.
                opts=pulumi.ResourceOptions(parent=self, depends_on=agent),
            )
            # Rights are injected when a pod starts: agent and role come before the pods.
            cni_needs = [agent, role]
        addon(
            "vpc-cni",
            args.config.vpc_cni,
            pulumi.ResourceOptions(parent=self, depends_on=cni_needs),
        )
        self.register_outputs({})


def coredns_configuration(
    config: CoreDnsConfig, home: Home, *, several: bool = False, profile: str | None = None
) -> dict[str, Any]:
    """Values of the CoreDNS add-on; on Fargate they include the compute type and a size.

    With `several`, the cluster has both node groups and Karpenter's nodes, so the values select one
    kind. `profile` is the Fargate profile's name, so that pods move before a replaced profile goes.
    """
    values: dict[str, Any] = {"replicaCount": config.replicas}
    match home:
        case Home.FARGATE:
            sizes = COREDNS_FARGATE_RESOURCES
            values |= {"computeType": "Fargate", "resources": {"limits": sizes, "requests": sizes}}
            if profile:
                values["podLabels"] = {PROFILE_LABEL: profile}
        case Home.NODE_GROUPS if several:
            values["affinity"] = coredns_affinity("DoesNotExist")
        case Home.KARPENTER if several:
            values["affinity"] = coredns_affinity("Exists")
        case _:
            pass
    return values


def coredns_affinity(node_pool: Literal["Exists", "DoesNotExist"]) -> dict[str, Any]:
    """Affinity for nodes of one kind, which also keeps the two pods apart if possible, since it
    replaces the add-on's own.
    """
    expressions = [{"key": NODE_POOL_LABEL, "operator": node_pool}]
    apart = {
        "labelSelector": {"matchLabels": COREDNS_LABELS},
        "topologyKey": "kubernetes.io/hostname",
    }
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": expressions}]
            }
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 100, "podAffinityTerm": apart}
            ]
        },
    }
