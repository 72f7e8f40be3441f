"""The model of a whole stack file; its sections are the components' own."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from components import compatibility
from components.addons.addon_config import NAMESPACE as ADDONS_NAMESPACE
from components.addons.addon_config import AddonConfig
from components.addons.cluster_autoscaler.config import ClusterAutoscalerConfig
from components.addons.config import AddonsConfig
from components.cluster.cluster_config import ClusterConfig
from components.cluster.eks_addons_config import COREDNS_LABELS, EksAddonsConfig, Home
from components.cluster.eks_addons_config import NAMESPACE as COREDNS_NAMESPACE
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.cluster.fargate_config import FargateConfig
from components.compatibility import Headroom
from components.ec2.offerings import Zones
from components.iam.roles_config import RolesConfig
from components.karpenter.config import POD_LABELS, KarpenterConfig
from components.kubernetes.kubeconfig import TokenIdentity
from components.network.bastion.config import BastionConfig
from components.network.config import NetworkConfig, NewNetworkConfig
from components.network.endpoints import base_endpoints
from components.nodes.managed_config import ManagedNodeGroupConfig
from components.nodes.node_labels_config import NodeLabelsConfig
from components.nodes.node_security_group_config import NodeSecurityGroupConfig
from components.nodes.spot_config import SpotNodeGroupConfig
from components.placement import RunsOn
from components.section import Section
from components.workloads.extra_releases_config import ExtraReleaseConfig
from components.workloads.overprovisioning.config import OverprovisioningConfig
from components.workloads.sample_workloads.config import SampleWorkloadsConfig
from stack_config.assumed_role import AssumedRole
from stack_config.policy import PolicyConfig


def cluster_kind(value: Any) -> str:
    """Tag of the union `ClusterSection`: a section that creates a cluster, or names an existing
    one.
    """
    if isinstance(value, ExistingClusterConfig):
        return "existing"
    return "existing" if isinstance(value, dict) and "existing" in value else "new"


ClusterSection = Annotated[
    Annotated[ClusterConfig, Tag("new")] | Annotated[ExistingClusterConfig, Tag("existing")],
    Discriminator(cluster_kind),
]
ReleaseName = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", max_length=53)]
NodeGroupName = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,62}$")]


class StackConfig(Section):
    """All settings of a stack file. An absent section means off."""

    region: str = Field(
        alias="aws:region", pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", examples=["eu-west-1"]
    )
    """AWS region of the stack, used by provider, policies and charts alike."""
    profile: str | None = Field(default=None, alias="aws:profile", min_length=1)
    """A profile in the AWS CLI's own files (`~/.aws/config`), for AWS and for tokens of the
    Kubernetes API alike. Absent: the environment's credentials.
    """
    assume_roles: tuple[AssumedRole, ...] = Field(default=(), alias="aws:assumeRoles")
    """The role that deploys, if it must be assumed first: at most one, for AWS and for tokens of
    the Kubernetes API alike. Set in a profile what the AWS CLI cannot pass on.
    """
    access_key: str | None = Field(default=None, alias="aws:accessKey")
    """Refused: the AWS CLI, which fetches the tokens of the Kubernetes API, does not read the stack
    file. Set keys in the environment or in a profile.
    """
    secret_key: str | None = Field(default=None, alias="aws:secretKey")
    """Refused like aws:accessKey."""
    token: str | None = Field(default=None, alias="aws:token")
    """Refused like aws:accessKey."""
    assume_role_with_web_identity: Mapping[str, Any] | None = Field(
        default=None, alias="aws:assumeRoleWithWebIdentity"
    )
    """Refused like aws:accessKey: set role and token file in the environment or in a profile."""
    cluster: ClusterSection
    """The EKS cluster: one that the stack creates, or an existing one."""
    network: NetworkConfig | None = None
    """The VPC. A new cluster needs one; with an existing cluster, name its VPC here if nodes or
    Fargate need subnets.
    """
    roles: RolesConfig = RolesConfig()
    """The account's rules for every IAM role of the stack."""
    node_security_group: NodeSecurityGroupConfig | None = None
    """A security group for nodes alone. Absent: nodes share the group of the control plane and
    Fargate pods.
    """
    eks_addons: EksAddonsConfig = EksAddonsConfig()
    """Add-ons that EKS installs in every cluster: network, DNS, Pod Identity."""
    fargate: FargateConfig | None = None
    """Fargate profiles, whose pods run without a node."""
    managed_node_groups: Mapping[NodeGroupName, ManagedNodeGroupConfig] = {}
    """Node groups that EKS manages, by names of your choice."""
    spot_node_groups: Mapping[NodeGroupName, SpotNodeGroupConfig] = {}
    """Groups of spot nodes that the stack owns, by names of your choice."""
    node_labels: tuple[NodeLabelsConfig, ...] = ()
    """Labels for existing nodes that this stack did not create."""
    karpenter: KarpenterConfig | None = None
    """Karpenter, which launches nodes for pods that find no room, and removes them again."""
    cluster_autoscaler: ClusterAutoscalerConfig | None = None
    """Cluster Autoscaler, which scales node groups for pods that find no room."""
    addons: AddonsConfig = AddonsConfig()
    """Add-ons for all workloads: load balancers, DNS records, volumes, metrics."""
    overprovisioning: OverprovisioningConfig | None = None
    """Headroom: capacity kept free, so that the next pods need not wait for a node."""
    sample_workloads: SampleWorkloadsConfig | None = None
    """Sample pods to try the cluster with."""
    extra_releases: Mapping[ReleaseName, ExtraReleaseConfig] = {}
    """Helm charts of your own by release name; they start when the platform is ready."""
    bastion: BastionConfig | None = None
    """A small host inside the VPC with kubectl."""
    policy: PolicyConfig | None = None
    """Settings of the policy pack for this stack; the program itself does not use them."""
    chart_mirror: str | None = Field(default=None, pattern=r"^(oci://|/|\./)\S+$")
    """Source of charts instead of upstream: a folder, or an `oci://` address."""
    image_mirror: str | None = Field(default=None, pattern=r"^[a-z0-9.-]+(:\d+)?(/[a-z0-9._/-]+)?$")
    """A registry with copies of all pods' images, each under its own path, for example
    `111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror`. Copy them with their digests, for all
    platforms (`crane copy`): some are pinned by digest. EKS add-ons come from EKS's own registry,
    images of `extraReleases` from wherever their values say.
    """

    @property
    def token_identity(self) -> TokenIdentity:
        """Identity whose token the Kubernetes API gets."""
        role = self.assume_roles[-1].role_arn if self.assume_roles else None
        return TokenIdentity(profile=self.profile, role_arn=role)

    @property
    def cluster_name(self) -> str:
        """Name of the cluster, known in advance."""
        cluster = self.cluster
        return cluster.existing if isinstance(cluster, ExistingClusterConfig) else cluster.name

    @property
    def has_nodes(self) -> bool:
        """True if the stack can have EC2 nodes."""
        return bool(self.karpenter or self.has_groups)

    @property
    def has_groups(self) -> bool:
        """True if the stack has node groups, EKS's or its own."""
        return bool(self.managed_node_groups or self.spot_node_groups)

    @property
    def every_addon(self) -> Mapping[str, AddonConfig]:
        """Sections of all add-ons that are on, by their paths in the file."""
        on: dict[str, AddonConfig] = {
            f"addons.{key}": addon for key, addon in self.addons.on.items()
        }
        if self.cluster_autoscaler:
            on["clusterAutoscaler"] = self.cluster_autoscaler
        return on

    @property
    def uses_spot(self) -> bool:
        """True if the stack may request spot capacity; a pool without capacityTypes may."""
        pools = self.karpenter.node_pools.values() if self.karpenter else ()
        groups = self.managed_node_groups.values()
        return (
            bool(self.spot_node_groups)
            or any(pool.may_be_spot for pool in pools)
            or any(group.capacity_type == "SPOT" for group in groups)
        )

    @property
    def isolated(self) -> bool:
        """True if pods have no way to the internet."""
        return bool(self.network and self.network.isolated)

    @property
    def zones(self) -> Zones:
        """Number or names of the nodes' zones; None if only AWS knows them."""
        network = self.network
        return network.availability_zones if isinstance(network, NewNetworkConfig) else None

    @property
    def needed_endpoints(self) -> tuple[str, ...]:
        """AWS services that pods and nodes call, which need endpoints in a network without
        internet.
        """
        needed = {*base_endpoints(has_nodes=self.has_nodes)}
        needed.update(*(addon.ENDPOINTS for addon in self.every_addon.values()))
        return tuple(sorted(needed))

    def profile_of(self, pod_labels: Mapping[str, str]) -> str | None:
        """Name of the Fargate profile that runs an add-on's pods; None if nodes do."""
        return self.fargate and self.fargate.profile_of(ADDONS_NAMESPACE, pod_labels)

    def runs_on(self, pod_labels: Mapping[str, str]) -> RunsOn:
        """Compute that runs an add-on's pods."""
        if self.profile_of(pod_labels):
            return RunsOn.FARGATE
        cluster = self.cluster
        return cluster.runs_on if isinstance(cluster, ExistingClusterConfig) else RunsOn.NODES

    @property
    def karpenter_profile(self) -> str | None:
        """Name of the Fargate profile that runs Karpenter's controller; None if nodes do."""
        if not (self.karpenter and self.fargate):
            return None
        return self.fargate.profile_of(self.karpenter.namespace, POD_LABELS)

    @property
    def base_nodes(self) -> int:
        """Number of nodes before an autoscaler launches any: those of EKS's groups, or of spot
        groups if there are no others.
        """
        groups = self.managed_node_groups or self.spot_node_groups
        return sum(group.size.initial for group in groups.values())

    @property
    def headroom(self) -> Headroom | None:
        """What keeps headroom: the one asked for, else what Karpenter's version offers."""
        if not self.overprovisioning:
            return None
        karpenter = self.karpenter and self.karpenter.version
        return self.overprovisioning.by or compatibility.headroom(karpenter)

    @property
    def coredns_profile(self) -> str | None:
        """Name of the Fargate profile that runs CoreDNS; None if nodes do."""
        return self.fargate and self.fargate.profile_of(COREDNS_NAMESPACE, COREDNS_LABELS)

    @property
    def coredns_home(self) -> Home:
        """The one kind of compute that runs CoreDNS: the one asked for, else the first
        available.
        """
        if self.eks_addons.coredns.runs_on:
            return self.eks_addons.coredns.runs_on
        if self.coredns_profile:
            return Home.FARGATE
        return Home.NODE_GROUPS if self.has_groups else Home.KARPENTER


AWS_KEYS = tuple(
    field.alias
    for field in StackConfig.model_fields.values()
    if field.alias and field.alias.startswith("aws:")
)
"""Settings of the AWS provider that this program reads as well."""
