"""The place of pods: Fargate or nodes, and what has to be there before the pods can run."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pulumi


class RunsOn(enum.StrEnum):
    """The kind of compute that runs pods: it decides how the pods get AWS rights."""

    FARGATE = "fargate"
    NODES = "nodes"


@dataclass(frozen=True, kw_only=True)
class Placement:
    """The home of a component's pods; by default nodes that are there already."""

    runs_on: RunsOn = RunsOn.NODES
    """Fargate or nodes."""
    profile: "pulumi.Input[str] | None" = None
    """Name of the Fargate profile that runs the pods; None on nodes, and where somebody else looks
    after the profile."""
    nodes: int = 2
    """The number of the component's pods that find a node, or a Fargate pod, of their own."""
    needs: "Sequence[pulumi.Resource]" = ()
    """The pods' nodes or profile, and the way to AWS by which they finish their work in a
    destroy."""

    def after(self, more: "Sequence[pulumi.Resource]") -> "Placement":
        """This placement for pods that need some more resources."""
        return replace(self, needs=[*self.needs, *more])

    @property
    def on_nodes(self) -> bool:
        """Whether EC2 nodes run the pods, which EKS Pod Identity gives their rights."""
        return self.runs_on is RunsOn.NODES


ON_ANY_NODE = Placement()
"""Nodes that are there already."""
