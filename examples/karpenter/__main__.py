"""Karpenter on a cluster that exists: a pool of spot nodes, and nothing of the cluster changed."""

import pulumi
import pulumi_aws as aws

from components.charts import ChartSource
from components.existing_cluster import ExistingCluster, ExistingClusterArgs, ExistingClusterConfig
from components.karpenter import Karpenter, KarpenterArgs, KarpenterConfig
from components.karpenter.node_classes import NodeClassConfig, SubnetSelectorTermConfig
from components.karpenter.node_pools import NodePoolConfig
from components.location import Location
from components.pod_role import RunsOn
from components.roles import SpotServiceLinkedRole

config, region = pulumi.Config(), pulumi.Config("aws").require("region")
name, account = config.require("cluster"), aws.get_caller_identity().account_id
at = Location(region=region, account=account)
which = ExistingClusterConfig(existing=name)
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=which, location=at))
subnets = tuple(SubnetSelectorTermConfig(id=each) for each in cluster.subnet_ids)
nodes = NodeClassConfig(ami_alias="al2023@v20261101", subnet_selector_terms=subnets)
spot = NodePoolConfig(node_class="default", capacity_types=("spot",), limits={"cpu": "100"})
args = KarpenterArgs(
    config=KarpenterConfig(node_classes={"default": nodes}, node_pools={"spot": spot}),
    cluster=name,
    cluster_name=cluster.name,
    oidc_provider_arn=cluster.oidc_provider_arn,
    location=at,
    runs_on=RunsOn.NODES,
    isolated=False,
    charts=ChartSource(mirror=config.get("chartMirror")),
    controller_needs=[],
    node_needs=[SpotServiceLinkedRole("spot")],
    security_group_id=cluster.security_group_id,
    kubernetes=cluster.provider,
)
pulumi.export("queue", Karpenter("karpenter", args).queue_name)
