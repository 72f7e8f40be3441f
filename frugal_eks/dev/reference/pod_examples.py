"""Examples of components that run in pods of an existing cluster.

A page shows the body of the function with its component's name, and a test runs it.
"""

import pulumi

from components.addons.efs_csi.config import FileSystemConfig
from components.addons.efs_csi.efs_file_system import EfsFileSystem, EfsFileSystemArgs
from components.cluster.existing_cluster import ExistingCluster
from components.iam.pod_role import PodRole, PodRoleArgs
from components.iam.service_role import ServiceRole, ServiceRoleArgs
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.placement import RunsOn
from components.workloads.extra_releases import ExtraReleases, ExtraReleasesArgs
from components.workloads.extra_releases_config import ExtraReleaseConfig
from components.workloads.overprovisioning.config import OverprovisioningConfig
from components.workloads.overprovisioning.overprovisioning import (
    Overprovisioning,
    OverprovisioningArgs,
)
from components.workloads.sample_workloads.config import InflateConfig, SampleWorkloadsConfig
from components.workloads.sample_workloads.sample_workloads import (
    SampleWorkloads,
    SampleWorkloadsArgs,
)


def efs_file_system(cluster: ExistingCluster) -> None:
    args = EfsFileSystemArgs(
        config=FileSystemConfig(),
        cluster="shared",
        vpc_id=cluster.vpc_id,
        subnet_ids=cluster.subnet_ids,
        security_group_ids=[cluster.ref.security_group_id],
    )
    EfsFileSystem("files", args)


def overprovisioning(cluster: ExistingCluster, charts: ChartSource) -> None:
    args = OverprovisioningArgs(
        config=OverprovisioningConfig(replicas=2, cpu="1"),
        charts=charts,
        needs=[],
        provider=cluster.ref.provider,
    )
    Overprovisioning("overprovisioning", args)


def sample_workloads(cluster: ExistingCluster) -> None:
    args = SampleWorkloadsArgs(config=SampleWorkloadsConfig(inflate=InflateConfig()), needs=[])
    SampleWorkloads("samples", args, pulumi.ResourceOptions(providers=[cluster.ref.provider]))


def extra_releases(cluster: ExistingCluster, charts: ChartSource) -> None:
    own = ExtraReleaseConfig(chart="./charts/own", namespace="own", create_namespace=True)
    args = ExtraReleasesArgs(
        releases={"own": own}, charts=charts, needs=[], provider=cluster.ref.provider
    )
    ExtraReleases("releases", args)


def pod_role(cluster: ExistingCluster) -> None:
    reads = {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::own/*"]}
    args = PodRoleArgs(
        cluster=cluster.ref,
        runs_on=RunsOn.NODES,
        namespace="own",
        service_account="reader",
        policy={"Version": "2012-10-17", "Statement": [reads]},
    )
    PodRole("reader", args)


def service_role(at: Location) -> None:
    worker = {"worker": at.managed_policy("AmazonEKSWorkerNodePolicy")}
    ServiceRole("node", ServiceRoleArgs(service="ec2.amazonaws.com", managed_policies=worker))
