"""Where pods run: what nodes need first, Fargate, node groups, Karpenter, and CoreDNS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi

from components.addons.node_termination_handler import QueueHandlerConfig
from components.cluster import Cluster
from components.eks_addons import (
    COREDNS_LABELS,
    EksAddon,
    EksAddonArgs,
    Home,
    NodeAddons,
    NodeAddonsArgs,
    coredns_configuration,
)
from components.fargate import FargateProfiles, FargateProfilesArgs
from components.karpenter import Karpenter, KarpenterArgs
from components.node_security_group import NodeSecurityGroup, NodeSecurityGroupArgs
from components.platform.ground import Ground
from components.platform.node_groups import (
    NodeGroups,
    declare_managed_groups,
    declare_spot_groups,
)
from components.pod_role import RunsOn
from components.roles import SpotServiceLinkedRole


@dataclass(frozen=True, kw_only=True)
class Compute:
    """What pods stand on."""

    fargate: FargateProfiles | None
    groups: NodeGroups
    karpenter: Karpenter | None
    security_group_ids: Sequence[pulumi.Input[str]]
    """The groups of Fargate pods and of nodes; by default they share one."""
    coredns: Sequence[pulumi.Resource]
    """Name resolution, where this stack looks after it."""
    ground: Ground

    @property
    def nodes(self) -> list[pulumi.Resource]:
        """All that can give a pod a node."""
        return [*self.groups.every, *([self.karpenter] if self.karpenter else [])]

    def home(self, labels: Mapping[str, str]) -> Sequence[pulumi.Resource]:
        """What pods of kube-system with these labels stand on."""
        profile = self.ground.config.profile_of(labels)
        if self.fargate and profile:
            return [self.fargate.profiles[profile]]
        return self.groups.base or self.nodes


def declare_compute(ground: Ground) -> Compute:
    """In the order of need; what nothing forbids is made side by side."""
    config, cluster, child = ground.config, ground.cluster, ground.child
    own = isinstance(cluster, Cluster)

    node_needs: list[pulumi.Resource] = [cluster]
    if own:
        # Until after the last node: the network add-on takes network interfaces back.
        node_needs.append(_node_addons(ground))
    groups_of_pods = [cluster.security_group_id]
    if config.node_security_group:
        group = NodeSecurityGroup(
            "nodes",
            NodeSecurityGroupArgs(
                config=config.node_security_group,
                cluster=config.cluster_name,
                vpc_id=ground.vpc_id,
                cluster_security_group_id=cluster.security_group_id,
            ),
            opts=child,
        )
        node_needs.append(group)
        groups_of_pods.append(group.security_group_id)
    if config.uses_spot and config.roles.spot_service_linked_role:
        node_needs.append(SpotServiceLinkedRole("spot", opts=child))

    fargate = _fargate(ground)
    own_groups = groups_of_pods[1:]
    managed = declare_managed_groups(ground, security_group_ids=own_groups, needs=node_needs[1:])
    compute = Compute(
        fargate=fargate,
        groups=NodeGroups(managed=managed, spot=[]),
        karpenter=_karpenter(ground, fargate, managed, node_needs),
        security_group_ids=groups_of_pods,
        coredns=[],
        ground=ground,
    )
    # Before the spot groups, wherever it can be: the handler calls AWS by name, in a destroy too.
    has_home = own and bool(config.coredns_home is not Home.NODE_GROUPS or managed)
    if has_home:
        compute = replace(compute, coredns=[_coredns(compute)])
    spot = declare_spot_groups(
        ground,
        handler_home=_handler_home(compute),
        security_group_ids=own_groups,
        needs=node_needs[1:],
    )
    compute = replace(compute, groups=NodeGroups(managed=managed, spot=spot))
    return replace(compute, coredns=[_coredns(compute)]) if own and not has_home else compute


def _handler_home(compute: Compute) -> Sequence[pulumi.Resource]:
    """What the Node Termination Handler's pods stand on; by metadata they ask for no names."""
    handler = compute.ground.config.addons.node_termination_handler
    if not isinstance(handler, QueueHandlerConfig):
        return compute.groups.managed
    return [*compute.home(handler.POD_LABELS), *compute.coredns]


def _node_addons(ground: Ground) -> NodeAddons:
    config, cluster = ground.config, ground.cluster
    return NodeAddons(
        "node-addons",
        NodeAddonsArgs(
            config=config.eks_addons,
            cluster_name=cluster.name,
            oidc_provider_arn=cluster.oidc_provider_arn,
            kubernetes=ground.kubernetes_version,
            location=ground.location,
            has_nodes=config.has_nodes,
        ),
        opts=ground.child,
    )


def _fargate(ground: Ground) -> FargateProfiles | None:
    config, cluster = ground.config, ground.cluster
    if not config.fargate:
        return None
    return FargateProfiles(
        "fargate",
        FargateProfilesArgs(
            config=config.fargate,
            # Everybody waits for Karpenter, and Karpenter for its profile.
            first=config.karpenter_profile,
            cluster=config.cluster_name,
            cluster_name=cluster.name,
            subnet_ids=ground.subnet_ids,
            location=ground.location,
            kubernetes=cluster.provider,
        ),
        opts=ground.child,
    )


def _karpenter(
    ground: Ground,
    fargate: FargateProfiles | None,
    groups: Sequence[pulumi.Resource],
    node_needs: Sequence[pulumi.Resource],
) -> Karpenter | None:
    config, cluster = ground.config, ground.cluster
    if not config.karpenter:
        return None
    profile = config.karpenter_profile
    home = [fargate.profiles[profile]] if fargate and profile else groups
    return Karpenter(
        "karpenter",
        KarpenterArgs(
            config=config.karpenter,
            cluster=config.cluster_name,
            cluster_name=cluster.name,
            oidc_provider_arn=cluster.oidc_provider_arn,
            location=ground.location,
            runs_on=RunsOn.FARGATE if profile else RunsOn.NODES,
            replicas=config.karpenter_replicas,
            isolated=config.isolated,
            zones=config.zones,
            capacity_buffers=config.headroom == "capacityBuffer",
            charts=ground.charts,
            # Not CoreDNS. The routes cost nothing now, and on destroy they let the controller end
            # its nodes.
            controller_needs=[*home, *ground.way_out],
            # With the cluster's tags.
            node_needs=node_needs,
            # A group of somebody else's has no tag of ours to be found by.
            security_group_id=None if isinstance(cluster, Cluster) else cluster.security_group_id,
            kubernetes=cluster.provider,
        ),
        opts=ground.child,
    )


def _coredns(compute: Compute) -> EksAddon:
    """Nothing waits for it but what calls AWS by name: it is off the way to the first node."""
    ground = compute.ground
    config = ground.config
    homes = {
        Home.FARGATE: compute.home(COREDNS_LABELS),
        Home.NODE_GROUPS: compute.groups.base,
        Home.KARPENTER: [compute.karpenter] if compute.karpenter else [],
    }
    several = bool(config.karpenter and config.has_groups)
    return EksAddon(
        "coredns",
        EksAddonArgs(
            config=config.eks_addons.coredns,
            addon_name="coredns",
            cluster_name=ground.cluster.name,
            kubernetes=ground.kubernetes_version,
            configuration=coredns_configuration(
                config.eks_addons.coredns, config.coredns_home, several=several
            ),
        ),
        opts=pulumi.ResourceOptions(
            parent=ground.parent, depends_on=list(homes[config.coredns_home])
        ),
    )
