"""Plays managed node groups: an Auto Scaling group in moto whose instances are nodes."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from rehearsal.aws import images
from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service import access
from rehearsal.aws.eks_service.kubernetes import Kubernetes, remove_nodes
from rehearsal.aws.eks_service.node_objects import GROUP_LABEL, node_object
from rehearsal.aws.eks_service.nodegroup_settings import (
    check,
    check_size,
    describe_new,
    image_parameter,
    merged_taints,
    version_update,
)
from rehearsal.aws.eks_service.rolling import Rolling
from rehearsal.aws.eks_service.state import (
    GONE,
    Answer,
    Cluster,
    Eks,
    Params,
    Resource,
    Update,
    now,
    page,
)
from rehearsal.aws.moto_instances import InstanceGroup, Launch, Size


@dataclass
class Nodegroup(Resource):
    """A node group and the Auto Scaling group behind it."""

    _: KW_ONLY
    group: InstanceGroup
    kubernetes: Kubernetes

    def settle(self) -> bool:
        """Makes the nodes follow the instances, also if others resize the group."""
        if self.status in ("ACTIVE", "CREATING", "UPDATING"):
            self.follow()
        if self.status == "ACTIVE":
            # An autoscaler talks to the Auto Scaling group, and EKS tells what it asked for.
            self.described["scalingConfig"]["desiredSize"] = self.group.desired
        return super().settle()

    def follow(self) -> None:
        """Creates a node for each instance, and deletes the nodes without an instance."""
        instances = {instance.dns_name: instance for instance in self.group.instances()}
        name = self.described["nodegroupName"]
        nodes = self.kubernetes.list("v1", "Node", {GROUP_LABEL: name})
        there = {node["metadata"]["name"] for node in nodes}
        remove_nodes(self.kubernetes, there - instances.keys())
        self.kubernetes.apply(
            node_object(self.described, instance)
            for dns_name, instance in instances.items()
            if dns_name not in there
        )


def create_nodegroup(eks: Eks, params: Params) -> Answer:
    """CreateNodegroup."""
    cluster = eks.active_cluster(params["clusterName"])
    name = params["nodegroupName"]
    if name in cluster.nodegroups:
        raise AwsError(
            "ResourceInUseException",
            f"NodeGroup already exists with name {name} and cluster name {cluster.name}",
        )
    check(eks, cluster, params)
    described = describe_new(eks, cluster, params)
    group = _make_group(eks, cluster, described)
    nodegroup = Nodegroup(described, group=group, kubernetes=eks.kubernetes)
    _resize(nodegroup)
    nodegroup.follow()
    access.add_node_role(eks, cluster, described["nodeRole"], "EC2_LINUX")
    failed = [eks.nodegroup_issues.pop(0)] if eks.nodegroup_issues else []
    described["health"]["issues"] = failed
    # Such a group cannot be mended, only deleted (the user guide's troubleshooting).
    nodegroup.transition = eks.later(lambda: "CREATE_FAILED" if failed else "ACTIVE")
    cluster.nodegroups[name] = nodegroup
    return {"nodegroup": described}


def describe_nodegroup(eks: Eks, params: Params) -> Answer:
    """DescribeNodegroup."""
    return {"nodegroup": _found(eks, params).described}


def list_nodegroups(eks: Eks, params: Params) -> Answer:
    """ListNodegroups."""
    return page(sorted(eks.cluster(params["clusterName"]).nodegroups), params, "nodegroups")


def update_nodegroup_config(eks: Eks, params: Params) -> Answer:
    """UpdateNodegroupConfig: size, labels, taints, update settings."""
    nodegroup = _free(eks, params)
    described = nodegroup.described
    scaling = {**described["scalingConfig"], **params.get("scalingConfig", {})}
    check_size(scaling)
    labels = params.get("labels", {})
    merged = {**described["labels"], **labels.get("addOrUpdateLabels", {})}
    described["labels"] = {
        k: v for k, v in merged.items() if k not in labels.get("removeLabels", [])
    }
    described["taints"] = merged_taints(described["taints"], params.get("taints", {}))
    described["scalingConfig"] = scaling
    for key in ("updateConfig", "nodeRepairConfig"):
        if key in params:
            described[key] = params[key]
    _resize(nodegroup)
    # EKS puts new labels and taints on the nodes that run already.
    eks.kubernetes.apply(node_object(described, i) for i in nodegroup.group.instances())
    answer, _ = _begin_update(eks, params, nodegroup, "ConfigUpdate", {"DesiredSize": scaling})
    return answer


def update_nodegroup_version(eks: Eks, params: Params) -> Answer:
    """UpdateNodegroupVersion: the nodes are replaced, new ones first."""
    nodegroup = _free(eks, params)
    cluster, described = eks.cluster(params["clusterName"]), nodegroup.described
    updated = described | version_update(eks, cluster, described, params)
    rolling = Rolling(
        kubernetes=eks.kubernetes,
        group=nodegroup.group,
        old=dict(described),
        new=updated,
        follow=nodegroup.follow,
        force=bool(params.get("force")),
        patience=eks.drain_seconds,
    )
    rolling.start()
    changes = {"Version": updated["version"], "ReleaseVersion": updated["releaseVersion"]}
    answer, update = _begin_update(eks, params, nodegroup, "VersionUpdate", changes)

    def advance() -> str | None:
        rolling.advance()
        if rolling.status == "InProgress":
            return None
        if rolling.status == "Successful":
            described.update(updated)
        update.described["errors"] = rolling.errors
        return "ACTIVE"

    def end() -> str | None:
        return None if rolling.status == "InProgress" else rolling.status

    nodegroup.transition, update.transition = eks.later(advance), eks.later(end)
    return answer


def delete_nodegroup(eks: Eks, params: Params) -> Answer:
    """DeleteNodegroup. Its nodes and instances are deleted with it."""
    nodegroup = _found(eks, params)
    if nodegroup.status != "DELETING":
        nodegroup.group.delete()
        nodegroup.follow()
        nodegroup.described["status"] = "DELETING"
        nodegroup.transition = eks.later(lambda: GONE)
    return {"nodegroup": nodegroup.described}


def _begin_update(
    eks: Eks, params: Params, nodegroup: Nodegroup, kind: str, changes: dict[str, Any]
) -> tuple[Answer, Update]:
    nodegroup.described.update(status="UPDATING", modifiedAt=now())
    nodegroup.transition = eks.later(lambda: "ACTIVE")
    cluster, of = eks.cluster(params["clusterName"]), (None, params["nodegroupName"])
    update = eks.start_update(cluster, kind, changes, of)
    return {"update": dict(update.described)}, update


def _make_group(eks: Eks, cluster: Cluster, described: Answer) -> InstanceGroup:
    name = described["nodegroupName"]
    parameter = image_parameter(described, "image_id")
    image = ""
    if parameter:
        image = images.value(eks.account.id, eks.account.region, parameter)
    launch = Launch(
        instance_type=described["instanceTypes"][0],
        image_id=image,
        security_group=cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"],
        spot=described["capacityType"] == "SPOT",
        tags={
            "eks:cluster-name": cluster.name,
            "eks:nodegroup-name": name,
            f"kubernetes.io/cluster/{cluster.name}": "owned",
            f"k8s.io/cluster-autoscaler/{cluster.name}": "owned",
            "k8s.io/cluster-autoscaler/enabled": "true",
        },
    )
    group = described["resources"]["autoScalingGroups"][0]["name"]
    return InstanceGroup(eks.account, group, launch, described["subnets"])


def _resize(nodegroup: Nodegroup) -> None:
    size = nodegroup.described["scalingConfig"]
    nodegroup.group.resize(Size(size["minSize"], size["maxSize"], size["desiredSize"]))


def _free(eks: Eks, params: Params) -> Nodegroup:
    nodegroup = _found(eks, params)
    if nodegroup.status != "ACTIVE":
        # One update at a time (mng-update-one-at-a-time of
        # frugal_eks/dev/features/aws-behaviours.yaml).
        raise AwsError(
            "ResourceInUseException",
            "Nodegroup cannot be updated as it is currently not in Active State: "
            f"{params['nodegroupName']} is {nodegroup.status}",
        )
    return nodegroup


def _found(eks: Eks, params: Params) -> Nodegroup:
    nodegroup = eks.cluster(params["clusterName"]).nodegroups.get(params["nodegroupName"])
    if not isinstance(nodegroup, Nodegroup):
        raise AwsError(
            "ResourceNotFoundException",
            f"No node group found for name: {params['nodegroupName']}.",
        )
    return nodegroup


HANDLERS = {
    "CreateNodegroup": create_nodegroup,
    "DescribeNodegroup": describe_nodegroup,
    "ListNodegroups": list_nodegroups,
    "UpdateNodegroupConfig": update_nodegroup_config,
    "UpdateNodegroupVersion": update_nodegroup_version,
    "DeleteNodegroup": delete_nodegroup,
}
