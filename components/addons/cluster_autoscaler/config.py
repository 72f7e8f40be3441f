"""The stack file's settings of Cluster Autoscaler."""

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
"""Flags that the program sets, from the cluster or to a constant."""

GroupName = Annotated[str, Field(pattern=r"^[^\s:*?]+$", max_length=255)]
"""Name of an Auto Scaling group. EC2 allows no colon; `*` and `?` would match other groups in the
IAM policy.
"""
Flag = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*(_\w+)?$")]
"""Name of a flag without its dashes. The chart drops what follows a `_`, so that a flag can be
repeated.
"""


class AutoScalingGroupConfig(Section):
    """An Auto Scaling group by name, and the bounds of its size."""

    name: GroupName
    """The Auto Scaling group's name in EC2."""
    min: int = Field(ge=0)
    """Fewest nodes that the autoscaler leaves."""
    max: int = Field(ge=1)
    """Most nodes. min and max must lie within the group's own bounds, which EC2 enforces in any
    case.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """min must not exceed max."""
        if self.max < self.min:
            yield Mistake("max", f"lies below min {self.min}: correct one of them", self.max)


class ClusterAutoscalerConfig(PodsConfig):
    """Cluster Autoscaler: which Auto Scaling groups it scales, and how.

    The autoscaler finds groups by two tags. EKS sets them on the groups behind managed node groups
    (EKS user guide, managed node groups: "automatically tagged for auto-discovery"; not tried on
    AWS).
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
    """Number of pods. One of them does the work, the others wait. 0 leaves the nodes to Karpenter
    during a migration that you can still undo.
    """
    groups: tuple[AutoScalingGroupConfig, ...] | None = Field(default=None, min_length=1)
    """Auto Scaling groups by name instead of by tag; only these are scaled."""
    expander: Literal["least-waste", "random", "most-pods", "priority"] = "least-waste"
    """How to choose among groups that could grow: least-waste leaves the least CPU and memory
    unused, random takes any, most-pods fits the most pods, priority follows `priorities`.
    """
    priorities: Mapping[
        Annotated[int, Field(ge=1)],
        Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)],
    ] = {}
    """For `expander: priority`: regular expressions for names of groups, the highest number first,
    for example `50: [".*spot.*"]`. A group that none matches comes last. Absent: the stack's spot
    groups, then all others, so that on-demand nodes come only if spot has no capacity, and go again
    when their pods fit elsewhere.
    """
    skip_nodes_with_local_storage: bool = False
    """If true, a pod with an emptyDir or hostPath keeps its node from being removed. If false, the
    content is lost with the node.
    """
    balance_similar_node_groups: bool | None = None
    """Whether groups of the same kind grow alike. Absent: true if any spot group is `perZone`, as
    EBS volumes need it.
    """
    scale_down_unneeded_time: Duration = "10m"
    """How long a node must be unneeded before it is removed. Shorter is cheaper, but moves pods
    more often.
    """
    scale_down_delay_after_add: Duration = "10m"
    """How long no node is removed after one was added."""
    v: int = Field(default=4, ge=0, le=10)
    """Verbosity of the log; 4 explains for each node why it stays or goes."""
    extra_args: Mapping[Flag, bool | int | float | str] = {}
    """Other flags of the autoscaler, for example `scale-down-utilization-threshold: 0.4`."""

    def mistakes(self) -> Iterator[Mistake]:
        """Each flag must have one key, each group appear once, and priorities need the expander
        priority.
        """
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
