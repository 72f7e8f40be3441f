"""The platform: network, control plane, compute, add-ons, workloads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from components.addons.addon import Surroundings
from components.addons.addons import Addons, AddonsArgs
from components.cluster.cluster import Cluster, ClusterArgs, deploys_as_admin
from components.cluster.cluster_config import ClusterConfig
from components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.cluster.fargate_limits import refuse_what_fargate_cannot_run
from components.iam.roles import role_settings
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.network.bastion.bastion import Bastion, BastionArgs
from components.network.network import Network, NetworkArgs
from components.nodes.node_labels import NodeLabels, NodeLabelsArgs
from components.workloads.extra_releases import ExtraReleases, ExtraReleasesArgs
from components.workloads.overprovisioning.overprovisioning import (
    Overprovisioning,
    OverprovisioningArgs,
)
from components.workloads.sample_workloads.config import NAMESPACE as SAMPLES_NAMESPACE
from components.workloads.sample_workloads.sample_workloads import (
    SampleWorkloads,
    SampleWorkloadsArgs,
)
from eks_platform.compute import Compute, declare_compute
from eks_platform.ground import Ground
from eks_platform.node_groups import spot_group_names
from stack_config import StackConfig


@dataclass(frozen=True, kw_only=True)
class PlatformArgs:
    """The whole stack file."""

    config: StackConfig
    """The settings of the stack file."""


class Platform(pulumi.ComponentResource):
    """Everything that the stack file asks for. A stack has one platform, so its parts have plain
    names.
    """

    outputs: Mapping[str, pulumi.Output[Any]]
    """Outputs of the stack that users look for, by name."""

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
        ready = [*compute.nodes, *compute.profiles, *compute.coredns, *([addons] if addons else [])]
        nodes = compute.nodes
        if addons and (autoscaler := addons.declared.get("clusterAutoscaler")):
            # It must outlive pods for which it adds nodes.
            nodes.append(autoscaler)
        self._workloads(compute, nodes, ready)

        ref = ground.ref
        outputs: dict[str, pulumi.Output[Any]] = {
            "clusterName": pulumi.Output.from_input(ref.live_name),
            "clusterEndpoint": pulumi.Output.from_input(ref.endpoint),
            "oidcProviderArn": pulumi.Output.from_input(ref.oidc_provider_arn),
            "securityGroupId": pulumi.Output.from_input(ref.security_group_id),
            "updateKubeconfig": ground.cluster.update_kubeconfig,
        }
        if addons:
            outputs.update(addons.outputs)
        outputs.update(self._bastion(ground))
        self.outputs = outputs
        self.register_outputs(outputs)

    def _ground(self, config: StackConfig) -> Ground:
        """The network and the control plane."""
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
                    identity=config.token_identity,
                    charts=charts,
                    isolated=config.isolated,
                ),
                opts=child,
            )
            return Ground(
                config=config,
                network=network,
                cluster=existing,
                vpc_id=existing.vpc_id,
                parent=self,
            )
        assert network, "stack_config refuses a cluster of its own without a network"
        cluster = Cluster(
            "cluster",
            ClusterArgs(
                config=config.cluster,
                location=location,
                vpc_id=network.vpc_id,
                subnet_ids=network.control_plane_subnet_ids,
                discovery_tag=config.node_security_group is None,
                identity=config.token_identity,
                charts=charts,
                isolated=config.isolated,
            ),
            opts=child,
        )
        return Ground(
            config=config, network=network, cluster=cluster, vpc_id=network.vpc_id, parent=self
        )

    def _addons(self, ground: Ground, compute: Compute) -> Addons | None:
        config = ground.config
        if not config.every_addon:
            return None
        around = Surroundings(
            cluster=ground.ref,
            placement=compute.placement,
            vpc_id=ground.vpc_id,
            known_vpc_id=getattr(config.network, "vpc_id", None),
            subnet_ids=ground.subnet_ids,
            security_group_ids=compute.security_group_ids,
            coredns=compute.coredns,
            spot_groups=spot_group_names(ground),
            zonal=any(group.per_zone for group in config.spot_node_groups.values()),
        )
        sections = {path.rpartition(".")[2]: each for path, each in config.every_addon.items()}
        return Addons(
            "addons",
            AddonsArgs(sections=sections, around=around),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _workloads(
        self, compute: Compute, nodes: list[pulumi.Resource], ready: list[pulumi.Resource]
    ) -> None:
        """The stack's own pods. A destroy deletes them first, before whatever launches `nodes`."""
        ground, config = compute.ground, compute.ground.config
        if config.node_labels:
            labels = NodeLabels(
                "node-labels",
                NodeLabelsArgs(
                    config=config.node_labels, needs=nodes, provider=ground.ref.provider
                ),
                opts=ground.child,
            )
            # Pods that ask for a label go before it.
            nodes = [*nodes, labels]
        refusals = [refuse_what_fargate_cannot_run(config.fargate)] if config.fargate else None
        in_cluster = pulumi.ResourceOptions(
            parent=self, providers=[ground.ref.provider], transformations=refusals
        )
        if config.overprovisioning:
            Overprovisioning(
                "overprovisioning",
                OverprovisioningArgs(
                    config=config.overprovisioning,
                    by=config.headroom or "pausePods",
                    charts=ground.ref.charts,
                    needs=nodes,
                ),
                opts=in_cluster,
            )
        if config.sample_workloads:
            profiles = compute.profiles_of(
                SAMPLES_NAMESPACE, (labels for _, labels in config.sample_workloads.pod_labels)
            )
            SampleWorkloads(
                "sample-workloads",
                SampleWorkloadsArgs(
                    config=config.sample_workloads,
                    charts=ground.ref.charts,
                    # A pod that comes before its profile stays Pending.
                    needs=[*nodes, *profiles],
                ),
                opts=in_cluster,
            )
        if config.extra_releases:
            ExtraReleases(
                "extra-releases",
                ExtraReleasesArgs(
                    releases=config.extra_releases, charts=ground.ref.charts, needs=ready
                ),
                opts=in_cluster,
            )

    def _bastion(self, ground: Ground) -> dict[str, pulumi.Output[Any]]:
        config, network = ground.config, ground.network
        if not config.bastion or not network:
            return {}
        subnets = network.public_subnet_ids if config.bastion.ssh else network.private_subnet_ids
        bastion = Bastion(
            "bastion",
            BastionArgs(
                config=config.bastion,
                cluster=ground.ref,
                vpc_id=ground.vpc_id,
                subnet_id=subnets[0],
                needs=ground.way_out,
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        return {"bastionAddress": bastion.address, "bastionCommand": bastion.command}

    def _location(self, config: StackConfig) -> Location:
        """Account and region of the stack, logged before anything is created.

        Raises RunError if an update would create a cluster that its creator may not use.
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
