"""Rules for node groups, among each other and with the cluster and its network."""

from collections.abc import Iterator

from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.ec2.image_families import Family, family_of, release_problem
from components.network.config import NewNetworkConfig
from components.nodes.node_labels_config import labelled_twice
from components.nodes.spot_config import group_names, zone_problem
from components.section import Mistake
from stack_config.model import StackConfig

MOST_ZONES = 6
"""The largest number of zones in any region."""


def groups_have_names_of_their_own(config: StackConfig) -> Iterator[Mistake]:
    """A name must not be both a managed and a spot group: outputs, warnings and tags use it
    alone.
    """
    for key in config.spot_node_groups.keys() & config.managed_node_groups.keys():
        yield Mistake(f"spotNodeGroups.{key}", "managedNodeGroups has it too: rename one", key)


def images_fit_kubernetes(config: StackConfig) -> Iterator[Mistake]:
    """Images must be of the cluster's minor version, since each contains the kubelet of one
    minor.
    """
    if isinstance(config.cluster, ExistingClusterConfig):
        return  # only AWS knows its version: the preview asks
    version = config.cluster.version
    for path, family, release in _images(config):
        if problem := release_problem(release, family, version):
            yield Mistake(f"{path}.releaseVersion", problem, release)


def groups_reach_every_zone(config: StackConfig) -> Iterator[Mistake]:
    """A group for each zone must be able to grow to at least one node in each."""
    network = config.network
    if network is None:
        return
    zones = (
        network.zones if isinstance(network, NewNetworkConfig) else len(network.private_subnet_ids)
    )
    for key, group in config.spot_node_groups.items():
        if problem := zone_problem(group, zones):
            yield Mistake(f"spotNodeGroups.{key}.size.max", problem, group.size.max)


def groups_count_nodes_for_the_autoscaler(config: StackConfig) -> Iterator[Mistake]:
    """Weighted types do not go with Cluster Autoscaler, which takes a group's size for its number
    of nodes (kubernetes/autoscaler#4851).
    """
    autoscaler = config.cluster_autoscaler
    if not autoscaler or not autoscaler.replicas:
        return
    for key, group in config.spot_node_groups.items():
        if group.is_weighted:
            yield Mistake(
                f"spotNodeGroups.{key}.instanceTypes",
                "have weights, and clusterAutoscaler takes each unit for a node: drop the weights "
                "and list types of one size, or drop clusterAutoscaler",
            )


def groups_are_called_differently_in_aws(config: StackConfig) -> Iterator[Mistake]:
    """Groups must have different names in AWS: `ng` with perZone and a group `ng-1` would share
    one.
    """
    names: dict[str, str] = {}
    for key, group in config.spot_node_groups.items():
        for name in group_names(config.cluster_name, key, group, MOST_ZONES):
            other = names.setdefault(name, key)
            if other != key:
                problem = f"and spotNodeGroups.{other} both make a group {name}: rename one"
                yield Mistake(f"spotNodeGroups.{key}", problem, key)


def labelled_nodes_stay(config: StackConfig) -> Iterator[Mistake]:
    """nodeLabels needs node groups: nodes of Fargate and Karpenter come and go, and get their
    labels there.
    """
    existing = isinstance(config.cluster, ExistingClusterConfig)
    if config.node_labels and not existing and not config.has_groups:
        yield Mistake(
            "nodeLabels",
            "there are no nodes that stay: label them by karpenter.nodePools, or drop it",
        )


def labels_have_one_owner(config: StackConfig) -> Iterator[Mistake]:
    """A node must be in one entry of nodeLabels only: two would be two patches of it."""
    for path, problem, value in labelled_twice(config.node_labels):
        yield Mistake(f"nodeLabels{path}", problem, value)


def _images(config: StackConfig) -> Iterator[tuple[str, Family, str]]:
    """Path, operating system and pinned release of each group's image."""
    for key, managed in config.managed_node_groups.items():
        yield f"managedNodeGroups.{key}", family_of(managed.ami_type), managed.release_version
    for key, spot in config.spot_node_groups.items():
        yield f"spotNodeGroups.{key}", spot.family, spot.release_version
