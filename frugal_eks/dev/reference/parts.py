"""Lists the components that have a page, each with its section of the stack file."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import NamedTuple

import pulumi
from pydantic.alias_generators import to_camel, to_pascal

from components.addons.config import AddonsConfig, sections
from components.addons.efs_csi.efs_file_system import EfsFileSystem
from components.cluster.cluster import Cluster
from components.cluster.eks_addons import EksAddon
from components.cluster.existing_cluster import ExistingCluster
from components.cluster.fargate import FargateProfiles
from components.iam.pod_role import PodRole
from components.iam.roles import SpotServiceLinkedRole
from components.iam.service_role import ServiceRole
from components.karpenter.karpenter import Karpenter
from components.network.bastion.bastion import Bastion
from components.network.nat_instance import NatInstance
from components.network.network import Network
from components.nodes.interruption import InterruptionQueue
from components.nodes.managed import ManagedNodeGroup
from components.nodes.node_labels import NodeLabels
from components.nodes.node_security_group import NodeSecurityGroup
from components.nodes.spot import SpotNodeGroup
from components.workloads.extra_releases import ExtraReleases
from components.workloads.overprovisioning.overprovisioning import Overprovisioning
from components.workloads.sample_workloads.sample_workloads import SampleWorkloads
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
        package, _, module = self.component.__module__.rpartition(".")
        if module == "component":
            return import_module(f"{package}.example").example
        name = _words(self.name, "_")
        return getattr(cluster_examples, name, None) or getattr(pod_examples, name)


def _words(name: str, between: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", between, name).lower()


_PAGES = {"cluster_autoscaler": ("spot.md",), "node_termination_handler": ("spot.md",)}


def _addons() -> Iterator[Part]:
    for folder in dict.fromkeys(folder for folder, _ in sections()):
        component = import_module(f"components.addons.{folder}.component")
        above = "addons." if folder in AddonsConfig.model_fields else ""
        section = f"{above}{to_camel(folder)}"
        yield Part(getattr(component, to_pascal(folder)), section, _PAGES.get(folder, ()))


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
    *_addons(),
    Part(EfsFileSystem, "addons.efsCsi.fileSystem"),
    Part(Overprovisioning, "overprovisioning"),
    Part(SampleWorkloads, "sampleWorkloads"),
    Part(ExtraReleases, "extraReleases.*"),
    Part(Bastion, "bastion"),
    Part(PodRole),
    Part(ServiceRole),
)
