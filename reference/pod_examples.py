"""Each component by itself, on a cluster that exists: what runs in pods.

A page shows the body of the function with its component's name, and a test runs it.
"""

import pulumi

from components.addons.aws_load_balancer_controller import (
    AwsLoadBalancerController,
    AwsLoadBalancerControllerArgs,
    AwsLoadBalancerControllerConfig,
)
from components.addons.cluster_autoscaler import (
    ClusterAutoscaler,
    ClusterAutoscalerArgs,
    ClusterAutoscalerConfig,
)
from components.addons.ebs_csi import EbsCsi, EbsCsiArgs, EbsCsiConfig
from components.addons.efs_csi import EfsCsi, EfsCsiArgs, EfsCsiConfig
from components.addons.efs_file_system import (
    EfsFileSystem,
    EfsFileSystemArgs,
    FileSystemConfig,
)
from components.addons.external_dns import ExternalDns, ExternalDnsArgs, ExternalDnsConfig
from components.addons.kube_ops_view import KubeOpsView, KubeOpsViewArgs, KubeOpsViewConfig
from components.addons.metrics_server import (
    MetricsServer,
    MetricsServerArgs,
    MetricsServerConfig,
)
from components.addons.node_termination_handler import (
    NodeTerminationHandler,
    NodeTerminationHandlerArgs,
    QueueHandlerConfig,
)
from components.charts import ChartSource
from components.existing_cluster import ExistingCluster
from components.extra_releases import ExtraReleaseConfig, ExtraReleases, ExtraReleasesArgs
from components.location import Location
from components.overprovisioning import (
    Overprovisioning,
    OverprovisioningArgs,
    OverprovisioningConfig,
)
from components.pod_role import PodRole, PodRoleArgs, RunsOn
from components.sample_workloads import SampleWorkloads, SampleWorkloadsArgs
from components.sample_workloads.config import InflateConfig, SampleWorkloadsConfig
from components.service_role import ServiceRole, ServiceRoleArgs


def aws_load_balancer_controller(
    at: Location, cluster: ExistingCluster, charts: ChartSource
) -> None:
    args = AwsLoadBalancerControllerArgs(
        config=AwsLoadBalancerControllerConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
        vpc_id=cluster.vpc_id,
    )
    AwsLoadBalancerController("aws-load-balancer-controller", args)


def cluster_autoscaler(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = ClusterAutoscalerArgs(
        config=ClusterAutoscalerConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
        kubernetes_version=cluster.version,
    )
    ClusterAutoscaler("cluster-autoscaler", args)


def ebs_csi(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = EbsCsiArgs(
        config=EbsCsiConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
        kubernetes_version=cluster.version,
    )
    EbsCsi("ebs-csi", args)


def efs_csi(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = EfsCsiArgs(
        config=EfsCsiConfig(file_system_id="fs-0123456789abcdef0"),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
        vpc_id=cluster.vpc_id,
        subnet_ids=cluster.subnet_ids,
        security_group_ids=[cluster.security_group_id],
    )
    EfsCsi("efs-csi", args)


def external_dns(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = ExternalDnsArgs(
        config=ExternalDnsConfig(zones=("example.com",)),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
    )
    ExternalDns("external-dns", args)


def kube_ops_view(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = KubeOpsViewArgs(
        config=KubeOpsViewConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
    )
    KubeOpsView("kube-ops-view", args)


def metrics_server(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = MetricsServerArgs(
        config=MetricsServerConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
    )
    MetricsServer("metrics-server", args)


def node_termination_handler(at: Location, cluster: ExistingCluster, charts: ChartSource) -> None:
    args = NodeTerminationHandlerArgs(
        config=QueueHandlerConfig(),
        cluster="shared",
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        location=at,
        runs_on=RunsOn.NODES,
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
        groups=["shared-spot"],
        safe_node_selector={"lifecycle": "OnDemand"},
    )
    NodeTerminationHandler("node-termination-handler", args)


def efs_file_system(cluster: ExistingCluster) -> None:
    args = EfsFileSystemArgs(
        config=FileSystemConfig(),
        cluster="shared",
        vpc_id=cluster.vpc_id,
        subnet_ids=cluster.subnet_ids,
        security_group_ids=[cluster.security_group_id],
    )
    EfsFileSystem("files", args)


def overprovisioning(cluster: ExistingCluster, charts: ChartSource) -> None:
    args = OverprovisioningArgs(
        config=OverprovisioningConfig(replicas=2, cpu="1"),
        charts=charts,
        needs=[],
        kubernetes=cluster.provider,
    )
    Overprovisioning("overprovisioning", args)


def sample_workloads(cluster: ExistingCluster) -> None:
    args = SampleWorkloadsArgs(config=SampleWorkloadsConfig(inflate=InflateConfig()), needs=[])
    SampleWorkloads("samples", args, pulumi.ResourceOptions(providers=[cluster.provider]))


def extra_releases(cluster: ExistingCluster, charts: ChartSource) -> None:
    own = ExtraReleaseConfig(chart="./charts/own", namespace="own", create_namespace=True)
    args = ExtraReleasesArgs(
        releases={"own": own}, charts=charts, needs=[], kubernetes=cluster.provider
    )
    ExtraReleases("releases", args)


def pod_role(cluster: ExistingCluster) -> None:
    reads = {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::own/*"]}
    args = PodRoleArgs(
        runs_on=RunsOn.NODES,
        cluster_name=cluster.name,
        oidc_provider_arn=cluster.oidc_provider_arn,
        namespace="own",
        service_account="reader",
        policy={"Version": "2012-10-17", "Statement": [reads]},
    )
    PodRole("reader", args)


def service_role(at: Location) -> None:
    worker = {"worker": at.managed_policy("AmazonEKSWorkerNodePolicy")}
    ServiceRole("node", ServiceRoleArgs(service="ec2.amazonaws.com", managed_policies=worker))
