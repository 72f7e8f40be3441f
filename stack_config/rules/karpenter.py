"""Rules for Karpenter: a place to run, room for its pods, and versions that work together."""

from collections.abc import Iterator

from components import compatibility
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.karpenter.pool_warnings import unmatched
from components.section import Mistake
from stack_config.model import StackConfig


def karpenter_has_a_home(config: StackConfig) -> Iterator[Mistake]:
    """Karpenter needs a Fargate profile or a managed group: it launches no node for itself."""
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # an existing cluster has nodes or profiles that are not in this file
    if config.karpenter and not (config.karpenter_profile or config.managed_node_groups):
        namespace = config.karpenter.namespace
        yield Mistake(
            "karpenter.namespace",
            "no profile of fargate.profiles selects it, and there is no managedNodeGroups: add "
            f"`karpenter: [{{namespace: {namespace}}}]` to fargate.profiles, or a node group",
            namespace,
        )


def karpenter_pods_have_nodes(config: StackConfig) -> Iterator[Mistake]:
    """Each of the controller's pods needs a node of its own, and Helm waits for all of them."""
    if not config.karpenter or config.karpenter_profile or not config.managed_node_groups:
        return
    replicas = config.karpenter.controller.replicas or 1
    if replicas > config.base_nodes:
        yield Mistake(
            "karpenter.controller.replicas",
            "each of the controller's pods needs a node of its own, and managedNodeGroups start "
            f"with {config.base_nodes}: lower it, or raise the size of a group",
            replicas,
        )


def karpenter_is_of_this_release(config: StackConfig) -> Iterator[Mistake]:
    """Karpenter's version must be of this release, which has the charts, policies and event rules
    of one set.
    """
    if config.karpenter:
        version = config.karpenter.version
        problem = compatibility.karpenter_release_problem(version)
        if problem:
            yield Mistake("karpenter.version", problem, version)


def karpenter_fits_kubernetes(config: StackConfig) -> Iterator[Mistake]:
    """Karpenter's version must support the cluster's Kubernetes version."""
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # only AWS knows its version: the preview asks
    if config.karpenter and not list(karpenter_is_of_this_release(config)):
        version = config.karpenter.version
        problem = compatibility.karpenter_problem(version, config.cluster.version)
        if problem:
            yield Mistake("karpenter.version", problem, version)


def pools_have_instance_types(config: StackConfig) -> Iterator[Mistake]:
    """Every pool must fit an instance type, or it never has a node."""
    if config.karpenter:
        yield from unmatched(config.karpenter.node_pools, region=config.region, zones=config.zones)


def capacity_buffers_have_karpenter(config: StackConfig) -> Iterator[Mistake]:
    """CapacityBuffers need Karpenter: nothing else provides their headroom."""
    choice = config.overprovisioning and config.overprovisioning.by
    if choice == "capacityBuffer" and not config.karpenter:
        yield Mistake(
            "overprovisioning.by",
            "Karpenter keeps a buffer's room, and there is no karpenter: choose pausePods",
            choice,
        )


def karpenter_reaches_iam(config: StackConfig) -> Iterator[Mistake]:
    """Without internet, Karpenter needs an instance profile from the stack: IAM has no VPC
    endpoint.
    """
    if config.isolated and config.karpenter and not config.karpenter.own_instance_profile:
        yield Mistake(
            "karpenter.ownInstanceProfile",
            "the network has no way to the internet, and from there Karpenter cannot reach IAM to "
            "make an instance profile: set it to true",
            value=False,
        )
