"""Lists the components that have a page, each with its section of the stack file."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pulumi

from components.addons.aws_load_balancer_controller import AwsLoadBalancerController
from components.addons.cluster_autoscaler import ClusterAutoscaler
from components.addons.ebs_csi import EbsCsi
from components.addons.efs_csi import EfsCsi
from components.addons.efs_csi.efs_file_system import EfsFileSystem
from components.addons.external_dns import ExternalDns
from components.addons.kube_ops_view import KubeOpsView
from components.addons.metrics_server import MetricsServer
from components.addons.node_termination_handler import NodeTerminationHandler
from components.cluster.cluster import Cluster
from components.cluster.eks_addons import EksAddon
from components.cluster.existing_cluster import ExistingCluster
from components.cluster.fargate import FargateProfiles
from components.iam.pod_role import PodRole
from components.iam.roles import SpotServiceLinkedRole
from components.iam.service_role import ServiceRole
from components.karpenter.karpenter import Karpenter
from components.network import Network
from components.network.bastion import Bastion
from components.network.nat_instance import NatInstance
from components.nodes.interruption import InterruptionQueue
from components.nodes.managed import ManagedNodeGroup
from components.nodes.node_labels import NodeLabels
from components.nodes.node_security_group import NodeSecurityGroup
from components.nodes.spot import SpotNodeGroup
from components.workloads.extra_releases import ExtraReleases
from components.workloads.overprovisioning import Overprovisioning
from components.workloads.sample_workloads import SampleWorkloads
from frugal_eks.dev.reference import cluster_examples, pod_examples


class Part(NamedTuple):
    """A component that other programs may use."""

    component: type[pulumi.ComponentResource]
    section: str = ""
    """Path of its section in the stack file; empty if only programs configure it."""
    more: tuple[str, ...] = ()
    """Related pages in docs/."""

    @property
    def name(self) -> str:
        """Name of the component's class."""
        return self.component.__name__

    @property
    def page(self) -> str:
        """File name of the page, such as `spot-node-group.md`."""
        return f"{_words(self.name, '-')}.md"

    @property
    def example(self) -> Callable[..., object]:
        """Example function of the component."""
        name = _words(self.name, "_")
        return getattr(cluster_examples, name, None) or getattr(pod_examples, name)


def _words(name: str, between: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", between, name).lower()


PARTS = (
    Part(Network, "network"),
    Part(NatInstance, "network.natInstance"),
    Part(Cluster, "cluster", ("upgrading.md",)),
    Part(ExistingCluster, "cluster"),
    Part(NodeSecurityGroup, "nodeSecurityGroup"),
    Part(EksAddon, "eksAddons.vpcCni"),
    Part(FargateProfiles, "fargate", ("nodeless.md",)),
    Part(ManagedNodeGroup, "managedNodeGroups.*", ("spot.md",)),
    Part(SpotNodeGroup, "spotNodeGroups.*", ("spot.md",)),
    Part(NodeLabels, "nodeLabels"),
    Part(Karpenter, "karpenter", ("karpenter.md",)),
    Part(InterruptionQueue),
    Part(SpotServiceLinkedRole, "roles"),
    Part(AwsLoadBalancerController, "addons.awsLoadBalancerController"),
    Part(ClusterAutoscaler, "clusterAutoscaler", ("spot.md",)),
    Part(EbsCsi, "addons.ebsCsi"),
    Part(EfsCsi, "addons.efsCsi"),
    Part(EfsFileSystem, "addons.efsCsi.fileSystem"),
    Part(ExternalDns, "addons.externalDns"),
    Part(KubeOpsView, "addons.kubeOpsView"),
    Part(MetricsServer, "addons.metricsServer"),
    Part(NodeTerminationHandler, "addons.nodeTerminationHandler", ("spot.md",)),
    Part(Overprovisioning, "overprovisioning"),
    Part(SampleWorkloads, "sampleWorkloads"),
    Part(ExtraReleases, "extraReleases.*"),
    Part(Bastion, "bastion"),
    Part(PodRole),
    Part(ServiceRole),
)
