"""The cluster and network that all other parts of the platform need."""

from dataclasses import dataclass

import pulumi

from components.cluster.cluster import Cluster
from components.cluster.existing_cluster import ExistingCluster
from components.cluster_ref import ClusterRef
from components.network.network import Network
from stack_config import StackConfig


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The control plane, its network, and the stack file."""

    config: StackConfig
    network: Network | None
    """The network; None only if the cluster already exists and nothing here needs its subnets."""
    cluster: Cluster | ExistingCluster
    vpc_id: pulumi.Input[str]
    parent: pulumi.Resource
    """The platform."""

    @property
    def ref(self) -> ClusterRef:
        """Reference to the cluster, as components take it."""
        return self.cluster.ref

    @property
    def child(self) -> pulumi.ResourceOptions:
        """Options of the platform's own parts."""
        return pulumi.ResourceOptions(parent=self.parent)

    @property
    def way_out(self) -> list[pulumi.Resource]:
        """Routes and endpoints by which private subnets reach AWS."""
        return list(self.network.way_out) if self.network else []

    @property
    def subnet_ids(self) -> list[pulumi.Input[str]]:
        """Ids of the private subnets."""
        if self.network:
            return list(self.network.private_subnet_ids)
        assert isinstance(self.cluster, ExistingCluster)
        return list(self.cluster.subnet_ids)
