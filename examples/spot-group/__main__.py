"""A spot group on a cluster that exists: its nodes join, and nothing of the cluster is changed."""

import pulumi
import pulumi_aws as aws

from components.existing_cluster import ExistingCluster, ExistingClusterArgs, ExistingClusterConfig
from components.location import Location
from components.node_groups.nodes import SizeConfig
from components.node_groups.spot import SpotNodeGroup, SpotNodeGroupArgs
from components.node_groups.spot_config import SpotNodeGroupConfig, WeightedTypeConfig

config, region = pulumi.Config(), pulumi.Config("aws").require("region")
name, account = config.require("cluster"), aws.get_caller_identity().account_id
at = Location(region=region, account=account)
which = ExistingClusterConfig(existing=name)
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=which, location=at))
types = ("m6i.large", "m5.large", "m6a.large", "m5a.large")
args = SpotNodeGroupArgs(
    config=SpotNodeGroupConfig(
        instance_types=tuple(WeightedTypeConfig(type=each) for each in types),
        release_version=config.require("release"),  # of the cluster's minor: 1.34.0-20261101
        size=SizeConfig(min=2, max=5),
    ),
    cluster=name,
    cluster_name=cluster.name,
    endpoint=cluster.endpoint,
    certificate_authority=cluster.certificate_authority,
    service_cidr=cluster.service_cidr,
    kubernetes_version=cluster.version,
    subnet_ids=cluster.subnet_ids,
    security_group_ids=[cluster.security_group_id],
    location=at,
    autoscaled=False,
    handler_tag=None,  # nobody drains by a queue: see NodeTerminationHandler
    hook_seconds=None,
    needs=[],
)
pulumi.export("groups", SpotNodeGroup("spot", args).group_names)
