"""Examples of components that run in pods of an existing cluster.

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
from components.addons.efs_csi.efs_file_system import (
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
from components.cluster.existing_cluster import ExistingCluster
from components.iam.pod_role import PodRole, PodRoleArgs
from components.iam.service_role import ServiceRole, ServiceRoleArgs
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.placement import RunsOn
from components.workloads.extra_releases import ExtraReleaseConfig, ExtraReleases, ExtraReleasesArgs
from components.workloads.overprovisioning import (
    Overprovisioning,
    OverprovisioningArgs,
    OverprovisioningConfig,
)
from components.workloads.sample_workloads import SampleWorkloads, SampleWorkloadsArgs
from components.workloads.sample_workloads.config import InflateConfig, SampleWorkloadsConfig


def aws_load_balancer_controller(cluster: ExistingCluster) -> None:
    args = AwsLoadBalancerControllerArgs(
        config=AwsLoadBalancerControllerConfig(),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
    )
    AwsLoadBalancerController("aws-load-balancer-controller", args)


def cluster_autoscaler(cluster: ExistingCluster) -> None:
    args = ClusterAutoscalerArgs(
        config=ClusterAutoscalerConfig(),
        cluster=cluster.ref,
    )
    ClusterAutoscaler("cluster-autoscaler", args)


def ebs_csi(cluster: ExistingCluster) -> None:
    args = EbsCsiArgs(
        config=EbsCsiConfig(),
        cluster=cluster.ref,
    )
    EbsCsi("ebs-csi", args)


def efs_csi(cluster: ExistingCluster) -> None:
    args = EfsCsiArgs(
        config=EfsCsiConfig(file_system_id="fs-0123456789abcdef0"),
        cluster=cluster.ref,
        vpc_id=cluster.vpc_id,
        subnet_ids=cluster.subnet_ids,
        security_group_ids=[cluster.ref.security_group_id],
    )
    EfsCsi("efs-csi", args)


def external_dns(cluster: ExistingCluster) -> None:
    args = ExternalDnsArgs(
        config=ExternalDnsConfig(zones=("example.com",)),
        cluster=cluster.ref,
    )
    ExternalDns("external-dns", args)


def kube_ops_view(cluster: ExistingCluster) -> None:
    args = KubeOpsViewArgs(
        config=KubeOpsViewConfig(),
        cluster=cluster.ref,
    )
    KubeOpsView("kube-ops-view", args)


def metrics_server(cluster: ExistingCluster) -> None:
    args = MetricsServerArgs(
        config=MetricsServerConfig(),
        cluster=cluster.ref,
    )
    MetricsServer("metrics-server", args)


def node_termination_handler(cluster: ExistingCluster) -> None:
    args = NodeTerminationHandlerArgs(
        config=QueueHandlerConfig(),
        cluster=cluster.ref,
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
