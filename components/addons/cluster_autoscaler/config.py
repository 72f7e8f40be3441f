"""Which groups Cluster Autoscaler scales, and how."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...kubernetes.charts import UNQUOTED, survives_unquoted
from ...kubernetes.quantities import Duration
from ...section import Mistake, Section
from ..addon_config import PodsConfig

FLAGS: Mapping[str, str] = {
    "expander": "expander",
    "skip-nodes-with-local-storage": "skipNodesWithLocalStorage",
    "balance-similar-node-groups": "balanceSimilarNodeGroups",
    "scale-down-unneeded-time": "scaleDownUnneededTime",
    "scale-down-delay-after-add": "scaleDownDelayAfterAdd",
    "v": "v",
    "nodes": "groups",
    "node-group-auto-discovery": "groups",
}
"""Flags of the autoscaler that have a key of their own in the stack file."""
OWN_FLAGS = ("aws-use-static-instance-list", "cloud-provider", "namespace", "stderrthreshold")
"""Flags that follow from the cluster, or are the same everywhere."""

GroupName = Annotated[str, Field(pattern=r"^[^\s:*?]+$", max_length=255)]
"""EC2 takes no colon; `*` and `?` would be any groups in the role's rights."""
Flag = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*(_\w+)?$")]
"""Without dashes before it. The chart drops what follows a `_`, by which a flag can repeat."""


class AutoScalingGroupConfig(Section):
    """A group by its name, and the bounds in which it is scaled."""

    name: GroupName
    """The Auto Scaling group's name in EC2."""
    min: int = Field(ge=0)
    """The least nodes that it leaves."""
    max: int = Field(ge=1)
    """Both within the group's own bounds, which EC2 keeps to in any case."""

    def mistakes(self) -> Iterator[Mistake]:
        """Minimum and maximum do not fall."""
        if self.max < self.min:
            yield Mistake("max", f"lies below min {self.min}: correct one of them", self.max)


class ClusterAutoscalerConfig(PodsConfig):
    """Which groups it scales, and how.

    It finds groups by two tags. EKS puts them on the groups behind managed node groups (EKS user
    guide, managed node groups: "automatically tagged for auto-discovery"; not tried on AWS).
    """

    CHART_NAME: ClassVar[str] = "cluster-autoscaler"
    POD_LABELS: ClassVar[Mapping[str, str]] = {
        # The chart puts its cloud before its name.
        "app.kubernetes.io/name": "aws-cluster-autoscaler",
        "app.kubernetes.io/instance": "cluster-autoscaler",
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("autoscaling",)

    # What upstream's values.yaml suggests.
    ON_NODES: ClassVar[Mapping[str, str]] = {"cpu": "100m", "memory": "300Mi"}

    replicas: int = Field(default=1, ge=0, le=3)
    """One of them works, the others wait. 0 leaves the nodes to Karpenter while you move over, and
    the way back open."""
    groups: tuple[AutoScalingGroupConfig, ...] | None = Field(default=None, min_length=1)
    """Auto Scaling groups by name instead of by tag; then these and no others."""
    expander: Literal["least-waste", "random", "most-pods", "priority"] = "least-waste"
    """Which group grows where several could: the one that leaves the least processor and memory
    over, any, the one that takes the most pods, or the first of `priorities`."""
    priorities: Mapping[
        Annotated[int, Field(ge=1)],
        Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)],
    ] = {}
    """With `expander: priority`: regular expressions for names of groups, the highest number
    first, for example `50: [".*spot.*"]`. A group that none matches comes after all others.
    Absent: the stack's spot groups, then the others, so that on-demand nodes come where spot has no
    capacity, and go again when their pods fit elsewhere."""
    skip_nodes_with_local_storage: bool = False
    """Whether a pod with an emptyDir or hostPath keeps its node for ever; its content is lost when
    the node goes."""
    balance_similar_node_groups: bool | None = None
    """Whether groups of the same kind grow alike. Absent: where there is one group a zone, as EBS
    volumes need it (`perZone`)."""
    scale_down_unneeded_time: Duration = "10m"
    """How long a node has been needless before it goes. Less is cheaper, and has pods moved more
    often."""
    scale_down_delay_after_add: Duration = "10m"
    """How long none goes after one was added."""
    v: int = Field(default=4, ge=0, le=10)
    """How much it logs: 4 tells of each node why it stays or goes."""
    extra_args: Mapping[Flag, bool | int | float | str] = {}
    """Other flags of the autoscaler, for example `scale-down-utilization-threshold: 0.4`."""

    def mistakes(self) -> Iterator[Mistake]:
        """One key for each flag, each group once, and priorities where they are read."""
        for key, value in self.extra_args.items():
            flag = key.partition("_")[0]
            if isinstance(value, str) and not survives_unquoted(flag, value):
                yield Mistake(f"extraArgs.{key}", UNQUOTED, value)
            if flag in FLAGS:
                yield Mistake(f"extraArgs.{key}", f"has a key of its own: use {FLAGS[flag]}")
            elif flag in OWN_FLAGS:
                yield Mistake(f"extraArgs.{key}", "is set by this program: drop it")
        names = Counter(group.name for group in self.groups or ())
        for name in (name for name, times in names.items() if times > 1):
            yield Mistake("groups", "names it twice: drop one", name)
        if self.priorities and self.expander != "priority":
            problem = f"is not read where expander is {self.expander}: choose priority, or drop it"
            yield Mistake("priorities", problem)
