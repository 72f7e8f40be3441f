"""Labels on existing nodes that this program did not create."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from ..kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch
from .node_labels_config import NodeLabelsConfig

NODE = {"apiVersion": "v1", "kind": "Node"}


@dataclass(frozen=True, kw_only=True)
class NodeLabelsArgs:
    """The stack file's labels, and the resources that must outlive them."""

    config: Sequence[NodeLabelsConfig]
    """The stack file's entries of nodes and labels."""
    needs: Sequence[pulumi.Resource] = ()
    """Resources that a destroy keeps until the labels are removed."""
    provider: pulumi.ProviderResource | None = None
    """The cluster's Kubernetes provider; absent: the one in opts."""


class NodeLabels(pulumi.ComponentResource):
    """A server-side-apply patch for each node, which owns these labels and no other field.

    Deleting the patch removes the labels; the node stays. A label that somebody else has set to the
    same value has two owners and stays as well; one with another value is an error that names its
    owner.

    Each run looks the nodes up first, because patching a missing node would create one: the run
    fails with `resource '…' does not exist`. Remove a node that is gone from the stack file and run
    `pulumi up --refresh`: only a refresh finds out that there are no labels left to remove. It also
    labels a new node of the same name.
    """

    def __init__(
        self, name: str, args: NodeLabelsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:NodeLabels", name, None, opts)
        for group in args.config:
            for node in group.nodes:
                existing = KubernetesObject(
                    f"{name}-{node}",
                    NODE,
                    pulumi.ResourceOptions(parent=self, provider=args.provider, id=node),
                )
                KubernetesPatch(
                    f"{name}-{node}",
                    labels_patch(node, group.labels),
                    opts=pulumi.ResourceOptions(
                        parent=self, provider=args.provider, depends_on=[existing, *args.needs]
                    ),
                )
        self.register_outputs({})


def labels_patch(node: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The fields that the patch of a node owns.

    The field manager is not set: the provider's generated name differs from patch to patch, so that
    two stacks that label one node do not take each other's labels away.
    """
    return {**NODE, "metadata": {"name": node, "labels": dict(labels)}}
