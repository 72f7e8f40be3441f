"""The whole of a stack file as a model; its sections are the components' own."""

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
    """Whether a section makes a cluster or names one that exists."""
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
    """Everything of a stack file that this program reads. Absent means off."""

    region: str = Field(
        alias="aws:region", pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", examples=["eu-west-1"]
    )
    """Read once, here: provider, policies and charts all get it from this key."""
    profile: str | None = Field(default=None, alias="aws:profile", min_length=1)
    """A profile of the AWS CLI's own files (`~/.aws/config`), for AWS and for the tokens of the
    Kubernetes API alike. Absent: the environment's credentials."""
    assume_roles: tuple[AssumedRole, ...] = Field(default=(), alias="aws:assumeRoles")
    """The role that deploys, if it is to be assumed first: one at most, for AWS and for the tokens
    of the Kubernetes API alike. What the AWS CLI cannot pass on goes into a profile."""
    access_key: str | None = Field(default=None, alias="aws:accessKey")
    """Refused: the AWS CLI, which fetches the tokens of the Kubernetes API, does not read the stack
    file. Keys go into the environment or into a profile."""
    secret_key: str | None = Field(default=None, alias="aws:secretKey")
    """Refused like aws:accessKey."""
    token: str | None = Field(default=None, alias="aws:token")
    """Refused like aws:accessKey."""
    assume_role_with_web_identity: Mapping[str, Any] | None = Field(
        default=None, alias="aws:assumeRoleWithWebIdentity"
    )
    """Refused like aws:accessKey: role and token file go into the environment or into a profile."""
    cluster: ClusterSection
    """The control plane: one of the stack's own, or one that exists."""
    network: NetworkConfig | None = None
    """Needed by a cluster that is made; one that exists has its own."""
    roles: RolesConfig = RolesConfig()
    """Rules of the account for every IAM role of the stack."""
    node_security_group: NodeSecurityGroupConfig | None = None
    """Absent: nodes share the group of the control plane and of Fargate pods."""
    eks_addons: EksAddonsConfig = EksAddonsConfig()
    """What EKS installs in every cluster: network, DNS, Pod Identity."""
    fargate: FargateConfig | None = None
    """Which pods run without a node of their own."""
    managed_node_groups: Mapping[NodeGroupName, ManagedNodeGroupConfig] = {}
    """Groups of nodes that EKS manages, by names of your choice."""
    spot_node_groups: Mapping[NodeGroupName, SpotNodeGroupConfig] = {}
    """Groups of spot nodes of the stack's own, by names of your choice."""
    node_labels: tuple[NodeLabelsConfig, ...] = ()
    """Labels for nodes that run already and that this stack did not make."""
    karpenter: KarpenterConfig | None = None
    """Launches nodes for pods that have no place, and takes them away again."""
    cluster_autoscaler: ClusterAutoscalerConfig | None = None
    """Scales the groups of nodes by the pods that have no place."""
    addons: AddonsConfig = AddonsConfig()
    """What runs on the cluster for all: load balancers, DNS records, volumes, metrics."""
    overprovisioning: OverprovisioningConfig | None = None
    """Room that is kept for pods in a hurry."""
    sample_workloads: SampleWorkloadsConfig | None = None
    """Pods to try the cluster with."""
    extra_releases: Mapping[ReleaseName, ExtraReleaseConfig] = {}
    """Charts of your own, by release name; they start when the platform is ready."""
    bastion: BastionConfig | None = None
    """A small work host with kubectl, inside the VPC."""
    policy: PolicyConfig | None = None
    """What the policy pack asks of this stack; the program does nothing with it."""
    chart_mirror: str | None = Field(default=None, pattern=r"^(oci://|/|\./)\S+$")
    """Where charts come from instead of upstream: a folder, or an `oci://` address."""
    image_mirror: str | None = Field(default=None, pattern=r"^[a-z0-9.-]+(:\d+)?(/[a-z0-9._/-]+)?$")
    """A registry with copies of all images of pods, each under its own path, for example
    `111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror`. Copy them with their digests, for all
    platforms (`crane copy`): some are pinned by digest. EKS add-ons come from EKS's own registry,
    `extraReleases` from wherever their values say."""

    @property
    def token_identity(self) -> TokenIdentity:
        """Whose token the Kubernetes API gets."""
        role = self.assume_roles[-1].role_arn if self.assume_roles else None
        return TokenIdentity(profile=self.profile, role_arn=role)

    @property
    def cluster_name(self) -> str:
        """Known in advance."""
        cluster = self.cluster
        return cluster.existing if isinstance(cluster, ExistingClusterConfig) else cluster.name

    @property
    def has_nodes(self) -> bool:
        """Whether there can be EC2 nodes at all."""
        return bool(self.karpenter or self.has_groups)

    @property
    def has_groups(self) -> bool:
        """Whether there are groups of nodes, EKS's or the stack's own."""
        return bool(self.managed_node_groups or self.spot_node_groups)

    @property
    def every_addon(self) -> Mapping[str, AddonConfig]:
        """All that are on, by their paths in the file."""
        on: dict[str, AddonConfig] = {f"addons.{key}": one for key, one in self.addons.on.items()}
        if self.cluster_autoscaler:
            on["clusterAutoscaler"] = self.cluster_autoscaler
        return on

    @property
    def uses_spot(self) -> bool:
        """Whether anything here asks for spot capacity. A pool that says nothing may."""
        pools = self.karpenter.node_pools.values() if self.karpenter else ()
        groups = self.managed_node_groups.values()
        return (
            bool(self.spot_node_groups)
            or any(pool.may_be_spot for pool in pools)
            or any(group.capacity_type == "SPOT" for group in groups)
        )

    @property
    def isolated(self) -> bool:
        """Whether pods have no way to the internet."""
        return bool(self.network and self.network.isolated)

    @property
    def zones(self) -> Zones:
        """How many zones the nodes have, or which; None where only AWS knows."""
        network = self.network
        return network.availability_zones if isinstance(network, NewNetworkConfig) else None

    @property
    def needed_endpoints(self) -> tuple[str, ...]:
        """AWS services that pods and nodes call: without internet, by endpoints."""
        needed = {*base_endpoints(has_nodes=self.has_nodes)}
        needed.update(*(addon.ENDPOINTS for addon in self.every_addon.values()))
        return tuple(sorted(needed))

    def profile_of(self, pod_labels: Mapping[str, str]) -> str | None:
        """The Fargate profile that runs an add-on's pods, None where nodes do."""
        return self.fargate and self.fargate.profile_of(ADDONS_NAMESPACE, pod_labels)

    def runs_on(self, pod_labels: Mapping[str, str]) -> RunsOn:
        """Where an add-on's pods run."""
        if self.profile_of(pod_labels):
            return RunsOn.FARGATE
        cluster = self.cluster
        return cluster.runs_on if isinstance(cluster, ExistingClusterConfig) else RunsOn.NODES

    @property
    def karpenter_profile(self) -> str | None:
        """The Fargate profile that runs Karpenter's controller, None where nodes do."""
        if not (self.karpenter and self.fargate):
            return None
        return self.fargate.profile_of(self.karpenter.namespace, POD_LABELS)

    @property
    def base_nodes(self) -> int:
        """How many nodes there are before an autoscaler launches any: of groups that EKS manages,
        or where there are none of spot groups."""
        groups = self.managed_node_groups or self.spot_node_groups
        return sum(group.size.initial for group in groups.values())

    @property
    def headroom(self) -> Headroom | None:
        """What keeps room: what is asked for, else what Karpenter's version offers."""
        if not self.overprovisioning:
            return None
        karpenter = self.karpenter and self.karpenter.version
        return self.overprovisioning.by or compatibility.headroom(karpenter)

    @property
    def coredns_profile(self) -> str | None:
        """The Fargate profile that runs CoreDNS, None where nodes do."""
        return self.fargate and self.fargate.profile_of(COREDNS_NAMESPACE, COREDNS_LABELS)

    @property
    def coredns_home(self) -> Home:
        """CoreDNS's one home: the one that is asked for, else the first that there is."""
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
