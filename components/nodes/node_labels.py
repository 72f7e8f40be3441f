"""Labels on nodes that run already and that this program did not make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from ..kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch
from .node_labels_config import NodeLabelsConfig

NODE = {"apiVersion": "v1", "kind": "Node"}


@dataclass(frozen=True, kw_only=True)
class NodeLabelsArgs:
    """The stack file's part, and what must not go before the labels do."""

    config: Sequence[NodeLabelsConfig]
    """The stack file's part."""
    needs: Sequence[pulumi.Resource] = ()
    """In a destroy the labels go before these."""
    provider: pulumi.ProviderResource | None = None
    """The provider of the cluster; absent: by opts."""


class NodeLabels(pulumi.ComponentResource):
    """A patch for each node, which owns these labels and nothing else of it.

    With the patch go the labels; the node stays. A label that somebody else has set to the same
    value is theirs too, and stays as well; one of another value is an error that names its owner.

    Each run looks the nodes up first, since a patch of a node that is not there would make one:
    it fails with `resource '…' does not exist`. Take a node that is gone out of the stack file, and
    use `pulumi up --refresh`: only then is it known that there is nothing left to take off. It also
    puts the labels on a new node of the same name.
    """

    def __init__(
        self, name: str, args: NodeLabelsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:NodeLabels", name, None, opts)
        for group in args.config:
            for node in group.nodes:
                found = KubernetesObject(
                    f"{name}-{node}",
                    NODE,
                    pulumi.ResourceOptions(parent=self, provider=args.provider, id=node),
                )
                KubernetesPatch(
                    f"{name}-{node}",
                    labels_patch(node, group.labels),
                    opts=pulumi.ResourceOptions(
                        parent=self, provider=args.provider, depends_on=[found, *args.needs]
                    ),
                )
        self.register_outputs({})


def labels_patch(node: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The fields to own.

    There is no name for the owner: the provider's own differs from patch to patch, so that two
    stacks that label one node do not take each other's labels away.
    """
    return {**NODE, "metadata": {"name": node, "labels": dict(labels)}}
