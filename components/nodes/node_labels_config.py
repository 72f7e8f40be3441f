"""What a stack file may say of labels on nodes that run already."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from ..kubernetes.labels import LabelKey, LabelValue
from ..section import Mistake, Section

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
