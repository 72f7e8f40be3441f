"""The stack file's settings of labels on existing nodes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from ..kubernetes.labels import LabelKey, LabelValue
from ..section import Mistake, Section

ROLE_PREFIX = "node-role.kubernetes.io"
"""Prefix of the roles that `kubectl get nodes` shows. The kubelet may not set them: they must be
set from outside.
"""
RESERVED = ("kubernetes.io", "k8s.io", "eks.amazonaws.com", "karpenter.sh", "karpenter.k8s.aws")

NodeName = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", max_length=253
    ),
]


class NodeLabelsConfig(Section):
    """Existing nodes, and the labels to set on them."""

    nodes: tuple[NodeName, ...] = Field(min_length=1)
    """Names of nodes as `kubectl get nodes` prints them:
    `ip-192-168-21-20.ap-northeast-2.compute.internal`.
    """
    labels: Mapping[LabelKey, LabelValue] = Field(min_length=1)
    """Labels to set, in addition to those that the nodes have."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses keys that Kubernetes, EKS or Karpenter reserve."""
        for key in self.labels:
            if problem := label_problem(key):
                yield Mistake(f"labels.{key}", problem)


def label_problem(key: str) -> str | None:
    """Why the user may not set a label of this key; None if allowed."""
    prefix = key.partition("/")[0] if "/" in key else ""
    if prefix == ROLE_PREFIX:
        return None
    owner = next(
        (
            reserved
            for reserved in RESERVED
            if prefix == reserved or prefix.endswith(f".{reserved}")
        ),
        None,
    )
    return owner and (
        f"Kubernetes, EKS or Karpenter write labels under {owner} themselves, and rely on them: "
        "a destroy would take off what a running node needs; choose a key of your own"
    )


def labelled_twice(entries: Sequence[NodeLabelsConfig]) -> Iterator[Mistake]:
    """Nodes in more than one entry, by their paths below the list: two patches would own them."""
    times = Counter(node for entry in entries for node in entry.nodes)
    for at, entry in enumerate(entries):
        for number, node in enumerate(entry.nodes):
            if times[node] > 1:
                problem = "stands here more than once: put all its labels into one entry"
                yield Mistake(f"[{at}].nodes[{number}]", problem, node)
