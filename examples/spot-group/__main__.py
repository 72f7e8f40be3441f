"""A spot group on a cluster that exists: its nodes join, and nothing of the cluster is changed."""

import pulumi
import pulumi_aws as aws
from frugal_eks.components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from frugal_eks.components.cluster.existing_cluster_config import ExistingClusterConfig
from frugal_eks.components.location import Location
from frugal_eks.components.nodes.nodes import SizeConfig
from frugal_eks.components.nodes.spot import SpotNodeGroup, SpotNodeGroupArgs
from frugal_eks.components.nodes.spot_config import SpotNodeGroupConfig, WeightedTypeConfig

config, region = pulumi.Config(), pulumi.Config("aws").require("region")
name, account = config.require("cluster"), aws.get_caller_identity().account_id
at = Location(region=region, account=account)
which = ExistingClusterConfig(existing=name)
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=which, location=at))
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
