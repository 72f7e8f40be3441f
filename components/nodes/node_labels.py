"""Labels on nodes that run already and that this program did not make."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pulumi
from pydantic import Field

from ..kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch
from ..kubernetes.labels import LabelKey, LabelValue
from ..section import Mistake, Section

NODE = {"apiVersion": "v1", "kind": "Node"}
ROLE_PREFIX = "node-role.kubernetes.io"
"""Shown by `kubectl get nodes`. The kubelet may not set it: it is meant to be set from outside."""
RESERVED = ("kubernetes.io", "k8s.io", "eks.amazonaws.com", "karpenter.sh", "karpenter.k8s.aws")

NodeName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", max_length=253
    ),
]


class NodeLabelsConfig(Section):
    """Some nodes, and what they are to be labelled with."""

    nodes: tuple[NodeName, ...] = Field(min_length=1)
    """As `kubectl get nodes` has them: `ip-192-168-21-20.ap-northeast-2.compute.internal`."""
    labels: Mapping[LabelKey, LabelValue] = Field(min_length=1)
    """What they are to carry besides what they have."""

    def mistakes(self) -> Iterator[Mistake]:
        """Keys of the user's own."""
        for key in self.labels:
            if problem := label_problem(key):
                yield Mistake(f"labels.{key}", problem)


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


def label_problem(key: str) -> str | None:
    """Why a key is not the user's to set."""
    prefix = key.partition("/")[0] if "/" in key else ""
    if prefix == ROLE_PREFIX:
        return None
    owner = next((one for one in RESERVED if prefix == one or prefix.endswith(f".{one}")), None)
    return owner and (
        f"Kubernetes, EKS or Karpenter write labels under {owner} themselves, and rely on them: "
        "a destroy would take off what a running node needs; choose a key of your own"
    )


def labelled_twice(entries: Sequence[NodeLabelsConfig]) -> Iterator[Mistake]:
    """Nodes with more than one entry, by their paths below the list: two owners of one patch."""
    times = Counter(node for entry in entries for node in entry.nodes)
    for at, entry in enumerate(entries):
        for number, node in enumerate(entry.nodes):
            if times[node] > 1:
                problem = "stands here more than once: put all its labels into one entry"
                yield Mistake(f"[{at}].nodes[{number}]", problem, node)
