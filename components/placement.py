"""The place of pods: Fargate or nodes, and the resources that the pods need there."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pulumi


class RunsOn(enum.StrEnum):
    """The compute that runs pods, which decides how they get AWS permissions."""

    FARGATE = "fargate"
    NODES = "nodes"


@dataclass(frozen=True, kw_only=True)
class Placement:
    """The place of a component's pods; by default existing nodes."""

    runs_on: RunsOn = RunsOn.NODES
    """Fargate or nodes."""
    profile: "pulumi.Input[str] | None" = None
    """Name of the Fargate profile that runs the pods; None on nodes, or if somebody else manages
    the profile.
    """
    nodes: int = 2
    """Number of the component's pods that find a node, or a Fargate pod, of their own."""
    needs: "Sequence[pulumi.Resource]" = ()
    """Resources that must exist first: the pods' nodes or profile, and the way to AWS, which they
    need to finish their work in a destroy.
    """

    def after(self, more: "Sequence[pulumi.Resource]") -> "Placement":
        """This placement with further resources that must exist first."""
        return replace(self, needs=[*self.needs, *more])

    @property
    def on_nodes(self) -> bool:
        """True if the pods run on EC2 nodes, where they get permissions by EKS Pod Identity."""
        return self.runs_on is RunsOn.NODES


ON_ANY_NODE = Placement()
"""Placement on existing nodes."""
