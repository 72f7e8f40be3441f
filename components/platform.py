"""The one place that wires components, in the order in which they are built."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.charts import ChartSource
from components.cluster import Cluster, ClusterArgs, deploys_as_admin
from components.eks_addons import (
    EksAddon,
    EksAddonArgs,
    NodeAddons,
    NodeAddonsArgs,
    coredns_configuration,
)
from components.fargate import FargateProfiles, FargateProfilesArgs
from components.fargate_limits import refuse_what_fargate_cannot_run
from components.karpenter import Karpenter, KarpenterArgs
from components.location import Location
from components.managed_nodes import ManagedNodeGroup, ManagedNodeGroupArgs
from components.network import Network, NetworkArgs
from components.pod_role import RunsOn
from components.sample_workloads import SampleWorkloads, SampleWorkloadsArgs
from stack_config import StackConfig


@dataclass(frozen=True, kw_only=True)
class PlatformArgs:
    """All that the stack file says."""

    config: StackConfig


class Platform(pulumi.ComponentResource):
    """What the stack file asks for. A stack has one, so its parts are named by their nouns."""

    cluster: Cluster

    def __init__(
        self, name: str, args: PlatformArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Platform", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        config = args.config
        location = self._location(config)

        network = Network(
            "network",
            NetworkArgs(config=config.network, cluster_name=config.cluster.name, location=location),
            opts=child,
        )
        self.cluster = Cluster(
            "cluster",
            ClusterArgs(
                config=config.cluster,
                location=location,
                vpc_id=network.vpc_id,
                subnet_ids=network.private_subnet_ids,
            ),
            opts=child,
        )
        self._run_on(config, location, network)
        self.register_outputs({})

    def _run_on(self, config: StackConfig, location: Location, network: Network) -> None:
        """Everything that hangs off the control plane, side by side where nothing forbids it."""
        cluster = self.cluster
        child = pulumi.ResourceOptions(parent=self)

        node_addons = NodeAddons(
            "node-addons",
            NodeAddonsArgs(
                config=config.eks_addons,
                cluster_name=cluster.name,
                oidc_provider_arn=cluster.oidc_provider_arn,
                kubernetes=config.cluster.version,
                location=location,
                has_nodes=config.has_nodes,
            ),
            opts=child,
        )
        fargate: FargateProfiles | None = None
        if config.fargate:
            fargate = FargateProfiles(
                "fargate",
                FargateProfilesArgs(
                    config=config.fargate,
                    # Everybody waits for Karpenter, and Karpenter for its profile.
                    first=config.karpenter_profile,
                    cluster=config.cluster.name,
                    cluster_name=cluster.name,
                    subnet_ids=network.private_subnet_ids,
                    location=location,
                    kubernetes=cluster.provider,
                ),
                opts=child,
            )
        groups = [
            ManagedNodeGroup(
                key,
                ManagedNodeGroupArgs(
                    config=group,
                    cluster_name=cluster.name,
                    subnet_ids=network.private_subnet_ids,
                    location=location,
                    needs=[node_addons, *network.way_out],
                ),
                opts=child,
            )
            for key, group in config.managed_node_groups.items()
        ]

        def home(profile: str | None) -> Sequence[pulumi.Resource]:
            """What pods stand on: the Fargate profile that takes them, else the node groups."""
            return [fargate.profiles[profile]] if fargate and profile else groups

        nodes: list[pulumi.Resource] = [*groups]
        if config.karpenter:
            profile = config.karpenter_profile
            karpenter = Karpenter(
                "karpenter",
                KarpenterArgs(
                    config=config.karpenter,
                    cluster=config.cluster.name,
                    cluster_name=cluster.name,
                    oidc_provider_arn=cluster.oidc_provider_arn,
                    location=location,
                    runs_on=RunsOn.FARGATE if profile else RunsOn.NODES,
                    replicas=config.karpenter_replicas,
                    isolated=config.isolated,
                    charts=ChartSource(mirror=config.chart_mirror),
                    # Not CoreDNS. The routes cost nothing now, and on destroy they let the
                    # controller end its nodes.
                    controller_needs=[*home(profile), *network.way_out],
                    # With the cluster's tags, and until after the last node the network add-on,
                    # which takes network interfaces back.
                    node_needs=[cluster, node_addons],
                    kubernetes=cluster.provider,
                ),
                opts=child,
            )
            nodes.append(karpenter)
        # Nothing here waits for it but its own home: it is off the way to the first node.
        EksAddon(
            "coredns",
            EksAddonArgs(
                config=config.eks_addons.coredns,
                addon_name="coredns",
                cluster_name=cluster.name,
                kubernetes=config.cluster.version,
                configuration=coredns_configuration(
                    config.eks_addons.coredns, config.coredns_runs_on
                ),
            ),
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=home(config.coredns_profile) or nodes
            ),
        )
        if config.sample_workloads:
            SampleWorkloads(
                "sample-workloads",
                SampleWorkloadsArgs(config=config.sample_workloads, needs=nodes),
                opts=self._workloads(config),
            )

    def _workloads(self, config: StackConfig) -> pulumi.ResourceOptions:
        """For components that declare pods of their own."""
        refusals = [refuse_what_fargate_cannot_run(config.fargate)] if config.fargate else None
        return pulumi.ResourceOptions(
            parent=self, providers=[self.cluster.provider], transformations=refusals
        )

    def _location(self, config: StackConfig) -> Location:
        """Asks AWS who deploys, and says so before anything is made.

        Raises RunError where an update would make a cluster that its maker may not use.
        """
        caller = aws.get_caller_identity(opts=pulumi.InvokeOptions(parent=self))
        location = Location(region=config.region, account=caller.account_id)
        karpenter = f", Karpenter {config.karpenter.version}" if config.karpenter else ""
        pulumi.log.info(
            f"account {location.account}, region {location.region}, cluster {config.cluster.name}, "
            f"Kubernetes {config.cluster.version}{karpenter}",
            self,
        )
        if not deploys_as_admin(caller.arn, config.cluster.admins):
            problem = (
                f"{caller.arn} deploys, but is not in cluster.admins: it could not make anything "
                "inside the cluster. Add its role, or deploy as one of them"
            )
            if not pulumi.runtime.is_dry_run():
                raise pulumi.RunError(problem)
            # A preview may well run with fewer rights, in a pull request for example.
            pulumi.log.warn(problem, self)
        return location
