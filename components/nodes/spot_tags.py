"""Tags of an Auto Scaling group, by which programs find it and learn what its nodes will have."""

from collections.abc import Mapping, Sequence

from .nodes import NodeTaintConfig

TAG_LIMIT = 50
"""Most tags of one group or one instance (EC2 user guide, tag restrictions)."""
NODE_GROUP_TAG = "frugal-eks/node-group"
"""The tag whose value is the group's key in the stack file."""
_TEMPLATE = "k8s.io/cluster-autoscaler/node-template"
LABEL_PREFIX, TAINT_PREFIX = f"{_TEMPLATE}/label/", f"{_TEMPLATE}/taint/"


def node_template_tags(
    *,
    labels: Mapping[str, str],
    taints: Sequence[NodeTaintConfig],
    cpu: int,
    memory_mib: int,
    volume_gib: int,
) -> dict[str, str]:
    """Tags that describe a node to the Cluster Autoscaler while the group has none to look at.

    It reads resources as quantities, and only one effect of a taint's key, since a tag's key is
    unique (cluster-autoscaler, cloudprovider/aws/aws_manager.go, buildNodeFromTemplate).
    """
    resources = {
        "cpu": str(cpu),
        "memory": f"{memory_mib}Mi",
        # It has no other way to know, and a pod that asks for some would never get a node.
        "ephemeral-storage": f"{volume_gib}Gi",
    }
    return {
        **{LABEL_PREFIX + key: value for key, value in labels.items()},
        **{TAINT_PREFIX + taint.key: taint.text for taint in taints},
        **{f"{_TEMPLATE}/resources/{name}": amount for name, amount in resources.items()},
    }


def discovery_tags(cluster: str) -> dict[str, str]:
    """Tags by which the Cluster Autoscaler finds a group, and which its IAM policy requires."""
    prefix = "k8s.io/cluster-autoscaler"
    return {f"{prefix}/enabled": "true", f"{prefix}/{cluster}": "owned"}


def group_tags(
    *, cluster: str, key: str, name: str, node_template: Mapping[str, str], handler: str | None
) -> dict[str, str]:
    """All tags of the group `name`, whose key in the stack file is `key`.

    `handler` is the key of the tag by which the Node Termination Handler recognises its nodes.
    """
    return {
        **node_tags(cluster=cluster, key=key, name=name),
        f"k8s.io/cluster/{cluster}": "owned",
        # Without the autoscaler they do no harm; one that comes later finds the group.
        **discovery_tags(cluster),
        **node_template,
        **({handler: "true"} if handler else {}),
    }


def node_tags(*, cluster: str, key: str, name: str) -> dict[str, str]:
    """Tags of instances, their volumes and their network interfaces."""
    return {"Name": name, NODE_GROUP_TAG: key, f"kubernetes.io/cluster/{cluster}": "owned"}
