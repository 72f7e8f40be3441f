"""The stack file's settings of a managed node group."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ..ec2.image_families import RELEASE, AmiType, architecture_of, family_of, release_problem
from ..ec2.instance_types import InstanceType, mixed_architectures, type_facts
from ..section import Mistake, Section
from .nodes import NodesConfig

if TYPE_CHECKING:
    import pulumi_aws as aws


class UpdateConfig(Section):
    """How many nodes an update replaces at once; each is drained first."""

    max_unavailable: int | None = Field(default=None, ge=1, le=100)
    """The most nodes that are replaced at once."""
    max_unavailable_percentage: int | None = Field(default=None, ge=1, le=100)
    """The most nodes that are replaced at once, in percent of the group."""

    def mistakes(self) -> Iterator[Mistake]:
        """Exactly one of the two keys must be given."""
        if (self.max_unavailable is None) == (self.max_unavailable_percentage is None):
            problem = "give either maxUnavailable or maxUnavailablePercentage: exactly one of them"
            yield Mistake("", problem)

    def update_config(self) -> "aws.eks.NodeGroupUpdateConfigArgsDict":
        """The settings as the provider takes them."""
        if self.max_unavailable is not None:
            return {"max_unavailable": self.max_unavailable}
        return {"max_unavailable_percentage": self.max_unavailable_percentage}


class ManagedNodeGroupConfig(NodesConfig):
    """An EKS managed node group."""

    capacity_type: Literal["ON_DEMAND", "SPOT"] = "ON_DEMAND"
    """Spot nodes cost a third or less, and AWS may take them back."""
    instance_types: tuple[InstanceType, ...] = Field(min_length=1, max_length=20)
    """Instance types in order of preference; all of one architecture. For SPOT list at least four
    of similar size.
    """
    ami_type: AmiType = "AL2023_x86_64_STANDARD"
    """Operating system and processor of the image, as EKS calls them."""
    release_version: str = Field(pattern=RELEASE)
    """The image release, pinned, for example `1.35.8-20260930`, or `1.66.0-1ad6b4a4` for
    Bottlerocket. A newer release of AWS changes nothing until it is set here.
    """
    update: UpdateConfig = UpdateConfig(max_unavailable_percentage=33)
    """How many nodes are replaced at once when the group changes."""
    force_update: bool = False
    """If true, an update also evicts pods whose disruption budget forbids it. If false, EKS tries
    for 15 minutes and then aborts the update (PodEvictionFailure).
    """
    node_repair: bool = False
    """If true, EKS replaces nodes that stay unhealthy: NotReady for 30 minutes, or with a condition
    that the add-on eks-node-monitoring-agent reports.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Types must have the image's architecture, and the release must be of its family."""
        yield from super().mistakes()
        architecture = architecture_of(self.ami_type)
        of_types = type_facts(self.instance_types[0]).architecture
        if problem := mixed_architectures(self.instance_types):
            yield Mistake("instanceTypes", problem)
        elif of_types != architecture:
            fitting = self.ami_type.replace(*_OTHER[architecture])
            problem = (
                f"is {architecture}, and all of instanceTypes are {of_types}: "
                f"set {fitting}, or change the types"
            )
            yield Mistake("amiType", problem, self.ami_type)
        family = family_of(self.ami_type)
        if problem := release_problem(self.release_version, family, None):
            yield Mistake("releaseVersion", problem, self.release_version)


_OTHER = {"x86_64": ("x86_64", "ARM_64"), "arm64": ("ARM_64", "x86_64")}
