"""A spot group on a cluster that exists: its nodes join, and nothing of the cluster is changed."""

import pulumi
from frugal_eks.components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from frugal_eks.components.cluster.existing_cluster_config import ExistingClusterConfig
from frugal_eks.components.nodes.nodes import SizeConfig
from frugal_eks.components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from frugal_eks.components.nodes.spot_config import SpotNodeGroupConfig, WeightedTypeConfig

config = pulumi.Config()
which = ExistingClusterConfig(existing=config.require("cluster"))
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=which))
types = ("m6i.large", "m5.large", "m6a.large", "m5a.large")
args = SpotNodeGroupArgs(
    config=SpotNodeGroupConfig(
        instance_types=tuple(WeightedTypeConfig(type=each) for each in types),
        release_version=config.require("release"),  # of the cluster's minor: 1.34.11-20260930
        size=SizeConfig(min=2, max=5),
    ),
    cluster=cluster.ref,
    subnet_ids=cluster.subnet_ids,
    autoscaled=False,
    handler_tag=None,  # nobody drains by a queue: see NodeTerminationHandler
    hook_seconds=None,
    needs=[],
)
pulumi.export("groups", SpotNodeGroup("spot", args).group_names)
