"""Nodes of Auto Scaling groups that the program itself makes: whoever's user data say so joins.

An instance joins as on AWS: with the cluster's own name, endpoint and certificate, by a role that
the cluster has an access entry for. Otherwise there is no node, and the log says why.
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import logging
from typing import Any

from moto.iam.models import iam_backends

from rehearsal.aws.eks_service.kubernetes import remove_nodes
from rehearsal.aws.eks_service.node_objects import Registered, registered_node
from rehearsal.aws.eks_service.state import Cluster, Eks
from rehearsal.aws.moto_instances import Instance
from rehearsal.aws.node_user_data import NodeSettings, NoNode, node_settings
from rehearsal.aws.scaling.capacity import zone_ids
from rehearsal.aws.scaling.scaling import Scaling

NODE_ENTRY = "EC2_LINUX"
ROOT_DISK = 8  # GiB, where the launch template says nothing


class SelfManagedNodes:
    """The nodes of one played account's groups, in the one cluster's API server."""

    def __init__(self, eks: Eks, scaling: Scaling) -> None:
        """Starts without nodes."""
        self._eks = eks
        self._scaling = scaling
        self._nodes: dict[str, tuple[str, str]] = {}
        """Node name and cluster by instance id."""
        self._refused: dict[str, str] = {}
        """Reason why an instance did not join, by its id: logged once."""

    def follow(self) -> None:
        """Creates a node for each instance that may join, and deletes nodes without an instance."""
        running = {
            state.instance.id: state.instance
            for group in self._scaling.groups
            for state in group.instance_states
            if state.instance.is_running()
        }
        gone = {
            instance_id: name
            for instance_id, (name, cluster) in self._nodes.items()
            if instance_id not in running or cluster not in self._eks.clusters
        }
        remove_nodes(self._eks.kubernetes, gone.values())
        for gone_id in gone:
            del self._nodes[gone_id]
        for instance_id, instance in running.items():
            if instance_id not in self._nodes:
                self._join(instance)

    def _join(self, instance: Any) -> None:
        try:
            settings = node_settings(instance.user_data.decode()) if instance.user_data else None
            if settings is None:
                return
            self._admit(settings, instance)
        except (NoNode, UnicodeDecodeError) as error:
            if self._refused.get(instance.id) != str(error):
                logging.getLogger(__name__).warning("%s is no node: %s", instance.id, error)
            self._refused[instance.id] = str(error)
            return
        self._eks.kubernetes.apply([self._node(settings, instance)])
        self._nodes[instance.id] = (instance.private_dns_name, settings.cluster)

    def _admit(self, settings: NodeSettings, instance: Any) -> None:
        """Raises NoNode unless the cluster lets the instance in."""
        cluster = self._eks.clusters.get(settings.cluster)
        if cluster is None or cluster.status not in {"ACTIVE", "UPDATING"}:
            raise NoNode(f"there is no active cluster {settings.cluster}")
        if settings.endpoint != cluster.described["endpoint"]:
            raise NoNode(
                f"its user data name the endpoint {settings.endpoint}, the cluster's is "
                f"{cluster.described['endpoint']}"
            )
        if settings.certificate_authority != cluster.described["certificateAuthority"]["data"]:
            raise NoNode("its user data have another certificate than the cluster")
        self._check_role(cluster, instance)

    def _check_role(self, cluster: Cluster, instance: Any) -> None:
        role = self._role(instance)
        if role is None:
            raise NoNode("it has no instance profile with a role")
        kind = cluster.access_entries.get(role, {}).get("type")
        if kind != NODE_ENTRY:
            raise NoNode(
                f"{role} has {f'an access entry of type {kind}' if kind else 'no access entry'} in "
                f"{cluster.name}: make one of type {NODE_ENTRY}"
            )

    def _role(self, instance: Any) -> str | None:
        account = self._eks.account
        association = account.ec2.iam_instance_profile_associations.get(instance.id)
        if association is None:
            return None
        # The association keeps the profile as it was: its role may have come later.
        name = association.iam_instance_profile.name
        profile = iam_backends[account.id][account.partition].instance_profiles.get(name)
        return next((role.arn for role in profile.roles), None) if profile else None

    def _node(self, settings: NodeSettings, instance: Any) -> dict[str, Any]:
        zone = instance.placement.zone
        seen = Instance(
            instance.id,
            instance.private_dns_name,
            instance.instance_type,
            zone,
            zone_ids(self._eks.account.ec2)[zone],
        )
        disks = [
            self._eks.account.ec2.volumes[disk.volume_id].size
            for disk in instance.block_device_mapping.values()
        ]
        registered = Registered(
            labels=settings.labels,
            taints=settings.taints,
            disk=max(disks, default=ROOT_DISK),
            max_pods=settings.max_pods,
        )
        return registered_node(seen, registered)
