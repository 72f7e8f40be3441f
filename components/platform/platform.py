"""The platform: network, control plane, compute, add-ons, workloads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.addons.addons import Addons, AddonsArgs
from components.bastion import Bastion, BastionArgs
from components.charts import ChartSource
from components.cluster import Cluster, ClusterArgs, ClusterConfig, deploys_as_admin
from components.existing_cluster import ExistingCluster, ExistingClusterArgs, ExistingClusterConfig
from components.extra_releases import ExtraReleases, ExtraReleasesArgs
from components.fargate_limits import refuse_what_fargate_cannot_run
from components.location import Location
from components.network import Network, NetworkArgs
from components.node_labels import NodeLabels, NodeLabelsArgs
from components.overprovisioning import Overprovisioning, OverprovisioningArgs
from components.platform.compute import Compute, declare_compute
from components.platform.ground import Ground
from components.platform.node_groups import spot_group_names
from components.roles import role_settings
from components.sample_workloads import SampleWorkloads, SampleWorkloadsArgs
from stack_config import StackConfig


@dataclass(frozen=True, kw_only=True)
class PlatformArgs:
    """All that the stack file says."""

    config: StackConfig
    """The whole stack file."""


class Platform(pulumi.ComponentResource):
    """What the stack file asks for. A stack has one, so its parts are named by their nouns."""

    outputs: Mapping[str, pulumi.Output[Any]]
    """What users look for, by the name of the stack's output."""

    def __init__(
        self, name: str, args: PlatformArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        # On the component itself, so that no role of whatever part can be left out.
        settings = pulumi.ResourceOptions(transformations=[role_settings(args.config.roles)])
        merged = pulumi.ResourceOptions.merge(opts, settings)
        # Only for the policy pack, which sees a program by its resources.
        policy = {"policy": args.config.policy.inputs} if args.config.policy else None
        super().__init__("frugal-eks:index:Platform", name, policy, merged)
        ground = self._ground(args.config)
        compute = declare_compute(ground)
        addons = self._addons(ground, compute)
        ready = [*compute.nodes, *compute.coredns, *([addons] if addons else [])]
        nodes = compute.nodes
        if addons:
            nodes.extend(addons.autoscaler)
        self._workloads(ground, nodes, ready)

        cluster = ground.cluster
        outputs: dict[str, pulumi.Output[Any]] = {
            "clusterName": cluster.name,
            "clusterEndpoint": cluster.endpoint,
            "oidcProviderArn": cluster.oidc_provider_arn,
            "securityGroupId": cluster.security_group_id,
            "updateKubeconfig": cluster.update_kubeconfig,
        }
        if addons:
            outputs.update(addons.outputs)
        outputs.update(self._bastion(ground))
        self.outputs = outputs
        self.register_outputs(outputs)

    def _ground(self, config: StackConfig) -> Ground:
        """Network and control plane."""
        child = pulumi.ResourceOptions(parent=self)
        location = self._location(config)
        network = None
        if config.network:
            network = Network(
                "network",
                NetworkArgs(
                    config=config.network,
                    cluster_name=config.cluster_name,
                    needed_endpoints=config.needed_endpoints,
                    location=location,
                ),
                opts=child,
            )
        charts = ChartSource(mirror=config.chart_mirror, images=config.image_mirror)
        if isinstance(config.cluster, ExistingClusterConfig):
            existing = ExistingCluster(
                "cluster",
                ExistingClusterArgs(
                    config=config.cluster,
                    location=location,
                    karpenter=config.karpenter and config.karpenter.version,
                ),
                opts=child,
            )
            return Ground(
                config=config,
                location=location,
                network=network,
                cluster=existing,
                kubernetes_version=existing.version,
                vpc_id=existing.vpc_id,
                charts=charts,
                parent=self,
            )
        assert network, "stack_config refuses a cluster of its own without a network"
        cluster = Cluster(
            "cluster",
            ClusterArgs(
                config=config.cluster,
                location=location,
                vpc_id=network.vpc_id,
                subnet_ids=network.private_subnet_ids,
                discovery_tag=config.node_security_group is None,
            ),
            opts=child,
        )
        return Ground(
            config=config,
            location=location,
            network=network,
            cluster=cluster,
            kubernetes_version=config.cluster.version,
            vpc_id=network.vpc_id,
            charts=charts,
            parent=self,
        )

    def _addons(self, ground: Ground, compute: Compute) -> Addons | None:
        config, cluster = ground.config, ground.cluster
        if not config.every_addon:
            return None
        return Addons(
            "addons",
            AddonsArgs(
                config=config.addons,
                cluster_autoscaler=config.cluster_autoscaler,
                cluster=config.cluster_name,
                cluster_name=cluster.name,
                oidc_provider_arn=cluster.oidc_provider_arn,
                kubernetes_version=ground.kubernetes_version,
                vpc_id=ground.vpc_id,
                spot_groups=spot_group_names(ground),
                zonal=any(group.per_zone for group in config.spot_node_groups.values()),
                known_vpc_id=getattr(config.network, "vpc_id", None),
                isolated=config.isolated,
                subnet_ids=ground.subnet_ids,
                security_group_ids=compute.security_group_ids,
                location=ground.location,
                charts=ground.charts,
                runs_on=config.runs_on,
                home=compute.home,
                way_out=ground.way_out,
                coredns=compute.coredns,
                kubernetes=cluster.provider,
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _workloads(
        self, ground: Ground, nodes: list[pulumi.Resource], ready: list[pulumi.Resource]
    ) -> None:
        """Pods of the stack's own. They go first when it is destroyed, before who makes `nodes`."""
        config = ground.config
        if config.node_labels:
            labels = NodeLabels(
                "node-labels",
                NodeLabelsArgs(
                    config=config.node_labels, needs=nodes, kubernetes=ground.cluster.provider
                ),
                opts=ground.child,
            )
            # Pods that ask for a label go before it.
            nodes = [*nodes, labels]
        refusals = [refuse_what_fargate_cannot_run(config.fargate)] if config.fargate else None
        in_cluster = pulumi.ResourceOptions(
            parent=self, providers=[ground.cluster.provider], transformations=refusals
        )
        if config.overprovisioning:
            Overprovisioning(
                "overprovisioning",
                OverprovisioningArgs(
                    config=config.overprovisioning,
                    by=config.headroom or "pausePods",
                    charts=ground.charts,
                    needs=nodes,
                ),
                opts=in_cluster,
            )
        if config.sample_workloads:
            SampleWorkloads(
                "sample-workloads",
                SampleWorkloadsArgs(config=config.sample_workloads, needs=nodes),
                opts=in_cluster,
            )
        if config.extra_releases:
            ExtraReleases(
                "extra-releases",
                ExtraReleasesArgs(
                    releases=config.extra_releases, charts=ground.charts, needs=ready
                ),
                opts=in_cluster,
            )

    def _bastion(self, ground: Ground) -> dict[str, pulumi.Output[Any]]:
        config, cluster, network = ground.config, ground.cluster, ground.network
        if not config.bastion or not network:
            return {}
        subnets = network.public_subnet_ids if config.bastion.ssh else network.private_subnet_ids
        bastion = Bastion(
            "bastion",
            BastionArgs(
                config=config.bastion,
                cluster=config.cluster_name,
                cluster_name=cluster.name,
                kubernetes=ground.kubernetes_version,
                location=ground.location,
                vpc_id=ground.vpc_id,
                subnet_id=subnets[0],
                cluster_security_group_id=cluster.security_group_id,
                needs=ground.way_out,
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        return {"bastionAddress": bastion.address, "bastionCommand": bastion.command}

    def _location(self, config: StackConfig) -> Location:
        """Asks AWS who deploys, and says so before anything is made.

        Raises RunError where an update would make a cluster that its maker may not use.
        """
        caller = aws.get_caller_identity(opts=pulumi.InvokeOptions(parent=self))
        location = Location(region=config.region, account=caller.account_id)
        cluster = config.cluster
        version = f", Kubernetes {cluster.version}" if isinstance(cluster, ClusterConfig) else ""
        karpenter = f", Karpenter {config.karpenter.version}" if config.karpenter else ""
        pulumi.log.info(
            f"account {location.account}, region {location.region}, "
            f"cluster {config.cluster_name}{version}{karpenter}",
            self,
        )
        if isinstance(cluster, ClusterConfig) and not deploys_as_admin(caller.arn, cluster.admins):
            problem = (
                f"{caller.arn} deploys, but is not in cluster.admins: it could not make anything "
                "inside the cluster. Add its role, or deploy as one of them"
            )
            if not pulumi.runtime.is_dry_run():
                raise pulumi.RunError(problem)
            # A preview may well run with fewer rights, in a pull request for example.
            pulumi.log.warn(problem, self)
        return location
