"""Karpenter on a cluster that exists: a pool of spot nodes, and nothing of the cluster changed."""

import pulumi
from frugal_eks.components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from frugal_eks.components.cluster.existing_cluster_config import ExistingClusterConfig
from frugal_eks.components.iam.roles import SpotServiceLinkedRole
from frugal_eks.components.karpenter.config import KarpenterConfig
from frugal_eks.components.karpenter.karpenter import Karpenter, KarpenterArgs
from frugal_eks.components.karpenter.node_classes import NodeClassConfig, SubnetSelectorTermConfig
from frugal_eks.components.karpenter.node_pools import NodePoolConfig

which = ExistingClusterConfig(existing=pulumi.Config().require("cluster"))
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=which))
subnets = tuple(SubnetSelectorTermConfig(id=each) for each in cluster.subnet_ids)
nodes = NodeClassConfig(ami_alias="al2023@v20260930", subnet_selector_terms=subnets)
spot = NodePoolConfig(node_class="default", capacity_types=("spot",), limits={"cpu": "100"})
config = KarpenterConfig(node_classes={"default": nodes}, node_pools={"spot": spot})
role = SpotServiceLinkedRole("spot")
args = KarpenterArgs(config=config, cluster=cluster.ref, node_needs=[role])
pulumi.export("queue", Karpenter("karpenter", args).queue_name)
