"""How the Node Termination Handler hears of an interruption, and what it does then."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Discriminator, Field, Tag

from ...names import TAG_KEY_LIMIT, fitted
from ...section import Mistake
from .. import user_values
from ..addon_config import ChartConfig
from .affinity import NodeSelectorTermConfig

CHART_NAME = "aws-node-termination-handler"
HOOK_SECONDS = 300
"""What an Auto Scaling group waits for the word that an instance is drained, each time anew when a
heartbeat comes."""
_QUEUE_SECONDS = 30
"""What an event may take to reach the handler: the group's hook waits already."""
UNANSWERED_HOOK_SECONDS = 120
"""Seconds of a group's hook that nobody answers: it is waited out."""
SPOT_LABELS = {
    "lifecycle": "Ec2Spot",
    "karpenter.sh/capacity-type": "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "node.kubernetes.io/lifecycle": "spot",
}
"""By which spot nodes are commonly known."""
CAPACITY_TYPE = "karpenter.sh/capacity-type"
KARPENTER_SPOT = {CAPACITY_TYPE: "spot", "karpenter.sh/initialized": "true"}

_MODE = {"enableSqsTerminationDraining": "is what mode says: drop it"}

Nodes = Literal["autoScalingGroups", "karpenter"]


def managed_tag(cluster: str) -> str:
    """The key of the tag on each instance that the handler of this cluster looks after.

    A key of the cluster's own: the events of an account go to the queues of all its clusters.
    """
    return fitted(f"{CHART_NAME}/{cluster}", TAG_KEY_LIMIT)


class _HandlerConfig(ChartConfig):
    """What both ways have in common."""

    CHART_NAME: ClassVar[str] = CHART_NAME
    WITH_NODE_GROUPS: ClassVar[bool] = True

    taint_node: bool = False
    """Whether a node is tainted too, for autoscalers and for pods that tolerate no cordon."""
    node_termination_grace_period: int = Field(default=120, ge=1, le=3600)
    """Seconds that a drain may take. Spot gives 120 in all, maintenance any."""
    pod_termination_grace_period: int = Field(default=-1, ge=-1, le=3600)
    """Seconds that a pod may take; -1: what the pod itself says."""
    emit_kubernetes_events: bool = True
    """Whether each interruption is told as an event of its node."""


class QueueHandlerConfig(_HandlerConfig):
    """Pods on safe nodes read a queue, and tell the Auto Scaling group when a node is drained."""

    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": CHART_NAME,
        "app.kubernetes.io/instance": CHART_NAME,
        "app.kubernetes.io/component": "deployment",
        "k8s-app": CHART_NAME,
    }
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("autoscaling", "ec2", "sqs")
    OWN_VALUES: ClassVar[Mapping[str, str]] = _MODE | {
        "managedTag": "is on the groups' instances, whose key is the cluster's own: drop it",
        "queueURL": "is this cluster's queue, and of another each reader deletes all: drop it",
    }

    mode: Literal["queue"] = "queue"
    """By a queue; absent means this too."""
    nodes: Nodes = "autoScalingGroups"
    """Whose nodes it looks after."""
    replicas: int = Field(default=2, ge=1, le=3)
    """Each reads the queue; with two, one is left when the other's node goes."""
    spot_interruption_draining: bool = True
    """Two minutes before AWS takes a spot instance. It, and the next three, are rules that put
    events on the queue: what arrives is drained for. The end of an instance by its group, by
    scaling in or zone rebalancing for example, always is."""
    rebalance_draining: bool = False
    """When a spot instance is at risk, early, and perhaps for nothing. A group with
    `capacityRebalance` replaces it by itself, and then the handler drains it as at every end."""
    scheduled_event_draining: bool = True
    """Before maintenance of AWS."""
    state_change_draining: bool = True
    """When somebody stops or terminates an instance by API or console."""
    heartbeat_interval_seconds: int | None = Field(default=None, ge=30, le=3600)
    """How often a drain asks its group for more time; absent: it has the hook's 300 s."""
    heartbeat_until_seconds: int | None = Field(default=None, ge=60, le=172800)
    """For how long it asks; absent, with the interval: for 48 hours."""
    complete_lifecycle_action_delay_seconds: int = Field(default=-1, ge=-1, le=3600)
    """What it waits after a drain, before the instance ends: for volumes that detach slowly. -1:
    nothing."""
    workers: int = Field(default=10, ge=1, le=100)
    """How many nodes each pod drains at once."""
    delete_sqs_msg_if_node_not_found: bool = False
    """Whether an event of a node that is not there yet is forgotten; else it is tried again, for
    five minutes."""
    use_provider_id: bool = False
    """Whether nodes are found by instance id: where they are not called as the instance's private
    DNS name, as with hostnames by resource name."""

    @property
    def hook_seconds(self) -> int:
        """How long a group's termination hook waits at most."""
        return HOOK_SECONDS

    def mistakes(self) -> Iterator[Mistake]:
        """Pods that survive what they act on, nodes that are nobody else's, heartbeats in time."""
        if self.nodes == "karpenter":
            problem = (
                "in mode queue there are none for it: Karpenter's own queue drains its nodes for "
                "the same events. Choose autoScalingGroups, or mode: imds"
            )
            yield Mistake("nodes", problem, self.nodes)
        for key, value in self.node_selector.items():
            if SPOT_LABELS.get(key) == value:
                problem = (
                    "puts the handler on the nodes that it must outlive: choose on-demand nodes, "
                    "or drop it"
                )
                yield Mistake(f"nodeSelector.{key}", problem, value)
        interval, until = self.heartbeat_interval_seconds, self.heartbeat_until_seconds
        if interval and interval >= HOOK_SECONDS:
            problem = f"comes too late for the group, which waits {HOOK_SECONDS} s: lower it"
            yield Mistake("heartbeatIntervalSeconds", problem, interval)
        if until and not interval:
            problem = "the handler does not start without an interval: add heartbeatIntervalSeconds"
            yield Mistake("heartbeatUntilSeconds", problem, until)
        if until and interval and until < interval:
            problem = f"lies below heartbeatIntervalSeconds {interval}: raise it"
            yield Mistake("heartbeatUntilSeconds", problem, until)
        yield from self._drain_mistakes()

    def _drain_mistakes(self) -> Iterator[Mistake]:
        """A group ends an instance when its hook's time is over, drained or not."""
        node, pod = self.node_termination_grace_period, self.pod_termination_grace_period
        longest = max(node, pod) + max(self.complete_lifecycle_action_delay_seconds, 0)
        until = self.heartbeat_until_seconds
        if self.heartbeat_interval_seconds is None:
            if longest + _QUEUE_SECONDS > HOOK_SECONDS:
                key = "podTerminationGracePeriod" if pod > node else "nodeTerminationGracePeriod"
                problem = (
                    f"and what follows may take {longest} s, and the group ends the instance after "
                    f"{HOOK_SECONDS} s: add heartbeatIntervalSeconds, for example "
                    f"{HOOK_SECONDS // 2}, or lower it"
                )
                yield Mistake(key, problem, max(node, pod))
        elif until and self.heartbeat_interval_seconds <= until < longest:
            problem = f"ends before the drain, which may take {longest} s: raise it"
            yield Mistake("heartbeatUntilSeconds", problem, until)


class ImdsHandlerConfig(_HandlerConfig):
    """A pod on each node asks the metadata service of its own instance."""

    POD_LABELS: ClassVar[Mapping[str, str]] = {
        "app.kubernetes.io/name": CHART_NAME,
        "app.kubernetes.io/instance": CHART_NAME,
        "app.kubernetes.io/component": "daemonset",
        "k8s-app": CHART_NAME,
    }
    ON_EVERY_NODE: ClassVar[bool] = True
    OWN_VALUES: ClassVar[Mapping[str, str]] = _MODE | dict.fromkeys(
        ("affinity", "linuxAffinity", "daemonsetAffinity"),
        "would replace the rule that keeps off Fargate: use this section's affinity instead",
    )

    mode: Literal["imds"]
    """By the metadata service."""
    nodes: Nodes = "autoScalingGroups"
    """Whose nodes it looks after. Karpenter's documentation advises against `karpenter`: only for
    rebalance recommendations, on its spot nodes."""
    affinity: tuple[NodeSelectorTermConfig, ...] = ()
    """More about the nodes that it runs on: one of these must be true. Fargate never is one."""
    spot_interruption_draining: bool | None = None
    """Two minutes before AWS takes a spot instance. Absent: true, and false where Karpenter drains
    for the same event."""
    scheduled_event_draining: bool | None = None
    """Before maintenance of AWS. Absent: as above."""
    rebalance_monitoring: bool = True
    """Whether a node takes no new pods from when its instance is at risk, before the two
    minutes."""
    rebalance_draining: bool = False
    """Whether it is also drained then, though AWS may never take it."""
    manifest: str | None = Field(default=None, pattern=r"^(https://\S+|[^\s:]+\.ya?ml)$")
    """Instead of the chart: the address of a release's `all-resources.yaml`, or a file of the
    project. It is installed as it is: no other setting reaches it."""

    @property
    def hook_seconds(self) -> int:
        """How long a group's termination hook waits: in this mode nobody can answer it."""
        return UNANSWERED_HOOK_SECONDS

    @property
    def drains_for_spot(self) -> bool:
        """What `spotInterruptionDraining` comes to."""
        asked = self.spot_interruption_draining
        return self.nodes != "karpenter" if asked is None else asked

    @property
    def drains_for_maintenance(self) -> bool:
        """What `scheduledEventDraining` comes to."""
        asked = self.scheduled_event_draining
        return self.nodes != "karpenter" if asked is None else asked

    @property
    def selected(self) -> Mapping[str, str]:
        """The labels of the nodes that it runs on; empty: every node."""
        karpenter = KARPENTER_SPOT if self.nodes == "karpenter" else {}
        return {**karpenter, **self.node_selector}

    def mistakes(self) -> Iterator[Mistake]:
        """One way to install it, and Karpenter's nodes only when asked for."""
        capacity = self.node_selector.get(CAPACITY_TYPE)
        if self.nodes == "karpenter" and capacity not in (None, "spot"):
            problem = "of Karpenter's nodes only those on spot have interruptions: drop it"
            yield Mistake(f"nodeSelector.{CAPACITY_TYPE}", problem, capacity)
        for key, value in self.node_selector.items():
            if key.startswith("karpenter.sh/") and self.nodes != "karpenter":
                problem = "only Karpenter's nodes have it: add nodes: karpenter, or drop it"
                yield Mistake(f"nodeSelector.{key}", problem, value)
        if not self.manifest:
            return
        local = not self.manifest.startswith("https://")
        if local and not (user_values.PROJECT / self.manifest).is_file():
            yield Mistake("manifest", "is no file of the project: correct it", self.manifest)
        for name in sorted(self.model_fields_set - {"mode", "manifest"}):
            key = type(self).model_fields[name].alias
            problem = "is a setting of the chart, which manifest takes the place of: drop one"
            yield Mistake(f"{key}", problem)


def handler_mode(section: Any) -> str | None:
    """Which of the two a section is; None: neither."""
    if isinstance(section, ImdsHandlerConfig):
        return "imds"
    mode = "queue"
    if isinstance(section, dict):
        mode = cast(dict[str, Any], section).get("mode", mode)
    return mode if mode in ("queue", "imds") else None


NodeTerminationHandlerConfig = Annotated[
    Annotated[QueueHandlerConfig, Tag("queue")] | Annotated[ImdsHandlerConfig, Tag("imds")],
    Discriminator(
        handler_mode,
        custom_error_type="unknown_mode",
        custom_error_message="mode is neither queue nor imds: choose one of these",
    ),
]
