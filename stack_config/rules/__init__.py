"""Rules between the sections of a stack file, each of which is valid by itself."""

from collections.abc import Callable, Iterator, Mapping

from components.section import Mistake
from stack_config.model import StackConfig
from stack_config.rules.cluster_autoscaler import (
    cluster_autoscaler_has_a_node,
    cluster_autoscaler_has_groups,
    one_autoscaler_adds_nodes,
    priorities_say_which_groups_come_first,
)
from stack_config.rules.deployer import credentials_reach_the_token, one_role_is_assumed
from stack_config.rules.groups import (
    groups_are_called_differently_in_aws,
    groups_count_nodes_for_the_autoscaler,
    groups_have_names_of_their_own,
    groups_reach_every_zone,
    images_fit_kubernetes,
    labelled_nodes_stay,
    labels_have_one_owner,
)
from stack_config.rules.homes import (
    addons_have_a_home,
    coredns_has_one_home,
    fargate_has_no_labels_to_select,
    pause_pods_reserve_nodes,
    samples_have_a_place,
    samples_have_their_metrics,
    volumes_have_nodes,
)
from stack_config.rules.interruption import (
    a_termination_handler_for_karpenter_has_karpenter,
    a_termination_handler_has_groups,
    a_termination_handler_outlives_its_nodes,
    every_node_has_one_handler,
)
from stack_config.rules.karpenter import (
    capacity_buffers_have_karpenter,
    karpenter_fits_kubernetes,
    karpenter_has_a_home,
    karpenter_is_of_this_release,
    karpenter_pods_have_nodes,
    karpenter_reaches_iam,
    pools_have_instance_types,
)
from stack_config.rules.karpenter_objects import karpenter_objects_are_valid
from stack_config.rules.network import (
    a_bastion_has_a_subnet,
    a_cluster_has_a_network,
    everything_reaches_aws,
    node_groups_have_a_cluster_of_ours,
)
from stack_config.rules.node_classes import (
    images_of_node_classes_fit_kubernetes,
    roles_of_node_classes_reach_iam,
)
from stack_config.rules.region import keys_are_in_the_region, zones_are_in_the_region

Rule = Callable[[StackConfig], Iterator[Mistake]]
# Not `cluster`: where that section has a mistake of its own, it counts as one to be made.
_HOMES = {"fargate", "karpenter", "managed_node_groups", "spot_node_groups"}
RULES: Mapping[Rule, set[str]] = {
    a_cluster_has_a_network: _HOMES | {"cluster", "network", "eks_addons"},
    zones_are_in_the_region: {"region", "network"},
    keys_are_in_the_region: {"region", "cluster", "addons"},
    karpenter_has_a_home: _HOMES,
    karpenter_pods_have_nodes: {"karpenter", "fargate", "managed_node_groups"},
    coredns_has_one_home: _HOMES | {"eks_addons"},
    karpenter_is_of_this_release: {"karpenter"},
    karpenter_fits_kubernetes: {"karpenter", "cluster"},
    karpenter_reaches_iam: {"karpenter", "network"},
    karpenter_objects_are_valid: {"karpenter", "cluster"},
    pools_have_instance_types: {"region", "karpenter", "network"},
    images_of_node_classes_fit_kubernetes: {"karpenter", "cluster"},
    roles_of_node_classes_reach_iam: {"karpenter", "network"},
    capacity_buffers_have_karpenter: {"karpenter", "overprovisioning"},
    one_autoscaler_adds_nodes: {"cluster_autoscaler", "karpenter"},
    cluster_autoscaler_has_groups: {
        "cluster_autoscaler",
        "managed_node_groups",
        "spot_node_groups",
    },
    priorities_say_which_groups_come_first: {"cluster_autoscaler", "spot_node_groups"},
    cluster_autoscaler_has_a_node: _HOMES | {"cluster_autoscaler"},
    addons_have_a_home: _HOMES | {"addons", "cluster_autoscaler"},
    fargate_has_no_labels_to_select: {"addons", "cluster_autoscaler", "fargate"},
    volumes_have_nodes: _HOMES | {"addons"},
    everything_reaches_aws: _HOMES
    | {"addons", "cluster_autoscaler", "network", "bastion", "image_mirror", "sample_workloads"},
    pause_pods_reserve_nodes: _HOMES | {"overprovisioning"},
    groups_have_names_of_their_own: {"managed_node_groups", "spot_node_groups"},
    groups_are_called_differently_in_aws: {"cluster", "spot_node_groups"},
    groups_count_nodes_for_the_autoscaler: {"spot_node_groups", "cluster_autoscaler"},
    labels_have_one_owner: {"node_labels"},
    labelled_nodes_stay: _HOMES | {"node_labels"},
    images_fit_kubernetes: {"managed_node_groups", "spot_node_groups", "cluster"},
    groups_reach_every_zone: {"spot_node_groups", "network"},
    a_termination_handler_has_groups: {"addons", "spot_node_groups"},
    a_termination_handler_for_karpenter_has_karpenter: {"addons", "karpenter"},
    every_node_has_one_handler: {"addons", "managed_node_groups", "karpenter"},
    a_termination_handler_outlives_its_nodes: _HOMES | {"addons"},
    a_bastion_has_a_subnet: {"bastion", "network", "cluster"},
    node_groups_have_a_cluster_of_ours: {"node_security_group", "cluster"},
    samples_have_their_metrics: {"sample_workloads", "addons"},
    samples_have_a_place: _HOMES | {"sample_workloads"},
    one_role_is_assumed: {"assume_roles"},
    credentials_reach_the_token: {
        "access_key",
        "secret_key",
        "token",
        "assume_role_with_web_identity",
    },
}
"""Each rule between sections, and the sections that it reads."""
