"""Examples of components below a cluster, in its network, and under its pods.

A page shows the body of the function with its component's name, and a test runs it.
"""

from components.cluster.cluster import Cluster, ClusterArgs
from components.cluster.cluster_config import ClusterConfig, EndpointConfig
from components.cluster.eks_addons import EksAddon, EksAddonArgs
from components.cluster.eks_addons_config import EksAddonConfig
from components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.cluster.fargate import FargateProfiles, FargateProfilesArgs
from components.cluster.fargate_config import FargateConfig, SelectorConfig
from components.iam.roles import SpotServiceLinkedRole
from components.karpenter.config import KarpenterConfig
from components.karpenter.karpenter import Karpenter, KarpenterArgs
from components.karpenter.node_classes import NodeClassConfig, SubnetSelectorTermConfig
from components.karpenter.node_pools import NodePoolConfig
from components.location import Location
from components.network.bastion.bastion import Bastion, BastionArgs
from components.network.bastion.config import BastionConfig
from components.network.config import NatInstanceConfig, NewNetworkConfig
from components.network.nat_instance import NatInstance, NatInstanceArgs
from components.network.network import Network, NetworkArgs
from components.nodes.interruption import InterruptionQueue, InterruptionQueueArgs
from components.nodes.managed import ManagedNodeGroup, ManagedNodeGroupArgs
from components.nodes.managed_config import ManagedNodeGroupConfig
from components.nodes.node_labels import NodeLabels, NodeLabelsArgs
from components.nodes.node_labels_config import NodeLabelsConfig
from components.nodes.node_security_group import NodeSecurityGroup, NodeSecurityGroupArgs
from components.nodes.node_security_group_config import NodeSecurityGroupConfig
from components.nodes.nodes import SizeConfig
from components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from components.nodes.spot_config import SpotNodeGroupConfig, WeightedTypeConfig


def existing_cluster(at: Location) -> ExistingCluster:
    """Existing cluster that the other examples use."""
    shared = ExistingClusterConfig(existing="shared")
    return ExistingCluster("cluster", ExistingClusterArgs(config=shared, location=at))


def network(at: Location) -> None:
    args = NetworkArgs(
        config=NewNetworkConfig.model_validate({"cidr": "10.20.0.0/16", "natGateways": "single"}),
        cluster_name="dev",
        location=at,
    )
    Network("network", args)


def nat_instance(at: Location, cluster: ExistingCluster) -> None:
    args = NatInstanceArgs(
        config=NatInstanceConfig(),
        cluster="shared",
        vpc_id=cluster.vpc_id,
        cidr="10.20.0.0/16",
        subnet_id="subnet-0aaaaaaa",
        location=at,
        needs=[],
    )
    NatInstance("nat", args)


def cluster(at: Location) -> None:
    config = ClusterConfig(
        name="dev",
        version="1.35",
        endpoint=EndpointConfig(private=True),
        admins=("arn:aws:iam::111122223333:role/platform-admin",),
    )
    args = ClusterArgs(
        config=config,
        location=at,
        vpc_id="vpc-0123456789abcdef0",
        subnet_ids=["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
    )
    Cluster("cluster", args)


def node_security_group(cluster: ExistingCluster) -> None:
    args = NodeSecurityGroupArgs(
        config=NodeSecurityGroupConfig(between_fargate_and_nodes="dns"),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
    )
    NodeSecurityGroup("nodes", args)


def eks_addon(cluster: ExistingCluster) -> None:
    args = EksAddonArgs(
        config=EksAddonConfig(),
        addon_name="vpc-cni",
        cluster=cluster.ref,
    )
    EksAddon("vpc-cni", args)


def fargate_profiles(cluster: ExistingCluster) -> None:
    batch = FargateConfig(profiles={"batch": (SelectorConfig(namespace="batch-*"),)})
    args = FargateProfilesArgs(
        config=batch,
        first=None,
        cluster=cluster.ref,
        subnet_ids=cluster.subnet_ids,
    )
    FargateProfiles("fargate", args)


def managed_node_group(cluster: ExistingCluster) -> None:
    args = ManagedNodeGroupArgs(
        config=ManagedNodeGroupConfig(
            instance_types=("m7i.large", "m6i.large"),
            release_version="1.34.11-20260930",
            size=SizeConfig(min=1, max=3),
        ),
        cluster=cluster.ref,
        subnet_ids=cluster.subnet_ids,
        autoscaled=False,
        needs=[],
    )
    ManagedNodeGroup("base", args)


def spot_node_group(cluster: ExistingCluster) -> None:
    types = ("m6i.large", "m5.large", "m6a.large", "m5a.large")
    args = SpotNodeGroupArgs(
        config=SpotNodeGroupConfig(
            instance_types=tuple(WeightedTypeConfig(type=each) for each in types),
            release_version="1.34.11-20260930",
            size=SizeConfig(min=2, max=5),
        ),
        cluster=cluster.ref,
        subnet_ids=cluster.subnet_ids,
        autoscaled=False,
        handler_tag=None,
        hook_seconds=None,
        needs=[SpotServiceLinkedRole("spot-role")],
    )
    SpotNodeGroup("spot", args)


def karpenter(cluster: ExistingCluster) -> None:
    subnets = tuple(SubnetSelectorTermConfig(id=each) for each in cluster.subnet_ids)
    nodes = NodeClassConfig(ami_alias="al2023@v20260930", subnet_selector_terms=subnets)
    spot = NodePoolConfig(node_class="default", capacity_types=("spot",), limits={"cpu": "100"})
    args = KarpenterArgs(
        config=KarpenterConfig(node_classes={"default": nodes}, node_pools={"spot": spot}),
        cluster=cluster.ref,
        node_needs=[SpotServiceLinkedRole("spot-role")],
    )
    Karpenter("karpenter", args)


def interruption_queue() -> None:
    args = InterruptionQueueArgs(queue_name="shared", own_rules_only=True)
    InterruptionQueue("interruption", args)


def spot_service_linked_role() -> None:
    SpotServiceLinkedRole("spot-role")


def node_labels(cluster: ExistingCluster) -> None:
    names = ("ip-10-0-1-7.eu-west-1.compute.internal",)
    old = NodeLabelsConfig(nodes=names, labels={"example.com/team": "a"})
    NodeLabels("node-labels", NodeLabelsArgs(config=[old], provider=cluster.ref.provider))


def bastion(cluster: ExistingCluster) -> None:
    args = BastionArgs(
        config=BastionConfig(),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
        subnet_id=cluster.subnet_ids[0],
        needs=[],
    )
    Bastion("bastion", args)
