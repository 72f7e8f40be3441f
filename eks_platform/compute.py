"""Compute of the cluster: what nodes need first, Fargate, node groups, Karpenter, and CoreDNS."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi

from components.addons.node_termination_handler.config import QueueHandlerConfig
from components.cluster.cluster import Cluster
from components.cluster.eks_addons import (
    EksAddon,
    EksAddonArgs,
    NodeAddons,
    NodeAddonsArgs,
    coredns_configuration,
)
from components.cluster.eks_addons_config import COREDNS_LABELS, NAMESPACE, Home
from components.cluster.fargate import FargateProfiles, FargateProfilesArgs
from components.iam.roles import SpotServiceLinkedRole
from components.karpenter.karpenter import Karpenter, KarpenterArgs
from components.kubernetes.admission import Pods
from components.nodes.node_security_group import NodeSecurityGroup, NodeSecurityGroupArgs
from components.placement import Placement, RunsOn
from eks_platform.ground import Ground
from eks_platform.node_groups import (
    NodeGroups,
    declare_managed_groups,
    declare_spot_groups,
)


@dataclass(frozen=True, kw_only=True)
class Compute:
    """The compute that pods run on, and CoreDNS."""

    fargate: FargateProfiles | None
    groups: NodeGroups
    karpenter: Karpenter | None
    security_group_ids: Sequence[pulumi.Input[str]]
    """Security groups of Fargate pods and of nodes; by default they share one."""
    coredns: Sequence[pulumi.Resource]
    """The CoreDNS add-on; empty if the stack does not manage it."""
    ground: Ground

    @property
    def nodes(self) -> list[pulumi.Resource]:
        """All components that can launch nodes."""
        return [*self.groups.every, *([self.karpenter] if self.karpenter else [])]

    @property
    def profiles(self) -> list[pulumi.Resource]:
        """All Fargate profiles."""
        return [*self.fargate.profiles.values()] if self.fargate else []

    def profiles_of(
        self, namespace: str, pods: Iterable[Mapping[str, str]]
    ) -> list[pulumi.Resource]:
        """The Fargate profiles that run pods of this namespace with any of these labels."""
        fargate = self.ground.config.fargate
        if not (self.fargate and fargate):
            return []
        keys = dict.fromkeys(fargate.profile_of(namespace, labels) for labels in pods)
        return [self.fargate.profiles[key] for key in keys if key]

    def home(self, labels: Mapping[str, str]) -> Sequence[pulumi.Resource]:
        """Compute of pods in kube-system with these labels."""
        profile = self.ground.config.profile_of(labels)
        if self.fargate and profile:
            return [self.fargate.profiles[profile]]
        return self.groups.base or self.nodes

    def placement(self, labels: Mapping[str, str]) -> Placement:
        """Place of pods in kube-system with these labels: their compute, and the routes to AWS."""
        config = self.ground.config
        return Placement(
            runs_on=config.runs_on(labels),
            profile=_profile_name(self.fargate, config.profile_of(labels)),
            needs=[*self.home(labels), *self.ground.way_out],
        )


def declare_compute(ground: Ground) -> Compute:
    """Declares all compute in the order of need, otherwise in parallel."""
    config, cluster, child = ground.config, ground.cluster, ground.child
    own = isinstance(cluster, Cluster)

    node_needs: list[pulumi.Resource] = [cluster]
    if own:
        # Until after the last node: the network add-on takes network interfaces back.
        node_needs.append(_node_addons(ground))
    groups_of_pods = [ground.ref.security_group_id]
    if config.node_security_group:
        group = NodeSecurityGroup(
            "nodes",
            NodeSecurityGroupArgs(
                config=config.node_security_group,
                cluster=ground.ref,
                vpc_id=ground.vpc_id,
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
        handler=_handler_placement(compute),
        security_group_ids=own_groups,
        needs=node_needs[1:],
    )
    compute = replace(compute, groups=NodeGroups(managed=managed, spot=spot))
    return replace(compute, coredns=[_coredns(compute)]) if own and not has_home else compute


def _profile_name(fargate: FargateProfiles | None, key: str | None) -> pulumi.Input[str] | None:
    return fargate.profiles[key].fargate_profile_name if fargate and key else None


def _handler_placement(compute: Compute) -> Placement:
    """Place of the Node Termination Handler's pods; in mode imds they need no name resolution."""
    ground, handler = compute.ground, compute.ground.config.addons.node_termination_handler
    if isinstance(handler, QueueHandlerConfig):
        return compute.placement(handler.POD_LABELS).after(compute.coredns)
    return Placement(needs=[*compute.groups.managed, *ground.way_out])


def _node_addons(ground: Ground) -> NodeAddons:
    config = ground.config
    return NodeAddons(
        "node-addons",
        NodeAddonsArgs(
            config=config.eks_addons,
            cluster=ground.ref,
            has_nodes=config.has_nodes,
        ),
        opts=ground.child,
    )


def _fargate(ground: Ground) -> FargateProfiles | None:
    config = ground.config
    if not config.fargate:
        return None
    return FargateProfiles(
        "fargate",
        FargateProfilesArgs(
            config=config.fargate,
            # Everybody waits for Karpenter, and Karpenter for its profile.
            first=config.karpenter_profile,
            cluster=ground.ref,
            subnet_ids=ground.subnet_ids,
        ),
        opts=ground.child,
    )


def _karpenter(
    ground: Ground,
    fargate: FargateProfiles | None,
    groups: Sequence[pulumi.Resource],
    node_needs: Sequence[pulumi.Resource],
) -> Karpenter | None:
    config = ground.config
    if not config.karpenter:
        return None
    key = config.karpenter_profile
    home = [fargate.profiles[key]] if fargate and key else groups
    return Karpenter(
        "karpenter",
        KarpenterArgs(
            config=config.karpenter,
            cluster=ground.ref,
            placement=Placement(
                runs_on=RunsOn.FARGATE if key else RunsOn.NODES,
                profile=_profile_name(fargate, key),
                # Without groups of its own the stack relies on nodes of an existing cluster.
                nodes=2 if key else max(1, config.base_nodes),
                # Not CoreDNS. The routes cost nothing now, and on destroy they let the controller
                # end its nodes.
                needs=[*home, *ground.way_out],
            ),
            # With the cluster's tags.
            node_needs=node_needs,
            zones=config.zones,
            capacity_buffers=config.headroom == "capacityBuffer",
        ),
        opts=ground.child,
    )


def _coredns(compute: Compute) -> EksAddon:
    """CoreDNS. Only pods that call AWS by name wait for it, so that it does not delay the first
    node.
    """
    ground = compute.ground
    config = ground.config
    homes = {
        Home.FARGATE: compute.home(COREDNS_LABELS),
        Home.NODE_GROUPS: compute.groups.base,
        Home.KARPENTER: [compute.karpenter] if compute.karpenter else [],
    }
    several = bool(config.karpenter and config.has_groups)
    on_fargate = config.coredns_home is Home.FARGATE
    profile = compute.placement(COREDNS_LABELS).profile if on_fargate else None
    pods = Pods(namespace=NAMESPACE, labels=COREDNS_LABELS, profile=profile)
    return EksAddon(
        "coredns",
        EksAddonArgs(
            config=config.eks_addons.coredns,
            addon_name="coredns",
            cluster=ground.ref,
            configuration=pulumi.Output.from_input(profile).apply(
                lambda name: coredns_configuration(
                    config.eks_addons.coredns, config.coredns_home, several=several, profile=name
                )
            ),
            hooks=ground.ref.admission.hooks(pods),
        ),
        opts=pulumi.ResourceOptions(
            parent=ground.parent, depends_on=list(homes[config.coredns_home])
        ),
    )
