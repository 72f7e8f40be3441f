"""The stack file's settings of the Node Termination Handler."""

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
"""Seconds that an Auto Scaling group waits for the message that an instance is drained; each
heartbeat restarts the wait.
"""
_QUEUE_SECONDS = 30
"""Seconds that an event may take to reach the handler while the group's hook already waits."""
UNANSWERED_HOOK_SECONDS = 120
"""Seconds of a lifecycle hook that nobody answers, so that every termination waits this long."""
SPOT_LABELS = {
    "lifecycle": "Ec2Spot",
    "karpenter.sh/capacity-type": "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "node.kubernetes.io/lifecycle": "spot",
}
"""Labels by which spot nodes are commonly recognised."""
CAPACITY_TYPE = "karpenter.sh/capacity-type"
KARPENTER_SPOT = {CAPACITY_TYPE: "spot", "karpenter.sh/initialized": "true"}

_MODE = {"enableSqsTerminationDraining": "is what mode says: drop it"}

Nodes = Literal["autoScalingGroups", "karpenter"]


def managed_tag(cluster: str) -> str:
    """Key of the tag on each instance that this cluster's handler drains.

    The key contains the cluster's name: an account's events reach the queues of all its clusters.
    """
    return fitted(f"{CHART_NAME}/{cluster}", TAG_KEY_LIMIT)


class _HandlerConfig(ChartConfig):
    """Settings that both modes share."""

    CHART_NAME: ClassVar[str] = CHART_NAME
    WITH_NODE_GROUPS: ClassVar[bool] = True

    taint_node: bool = False
    """If true, a node is also tainted, for autoscalers and for pods that tolerate a cordon."""
    node_termination_grace_period: int = Field(default=120, ge=1, le=3600)
    """Seconds that a drain may take. Spot gives 120 in all, maintenance as many as you like."""
    pod_termination_grace_period: int = Field(default=-1, ge=-1, le=3600)
    """Seconds that a pod may take to end; -1: the pod's own setting."""
    emit_kubernetes_events: bool = True
    """If true, each interruption is reported as a Kubernetes event of its node."""


class QueueHandlerConfig(_HandlerConfig):
    """Mode queue: pods on safe nodes read an SQS queue, and report to the Auto Scaling group when a
    node is drained.
    """

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
    """How the handler learns of interruptions: by an SQS queue. This is the default."""
    nodes: Nodes = "autoScalingGroups"
    """Nodes that the handler drains."""
    replicas: int = Field(default=2, ge=1, le=3)
    """Number of pods, each of which reads the queue; with two, one remains when the other's node
    goes.
    """
    spot_interruption_draining: bool = True
    """If true, nodes are drained when AWS announces, two minutes ahead, that it takes a spot
    instance. This key and the next three create the rules that send events to the queue, and every
    event causes a drain. The end of an instance by its group, for example by scaling in or zone
    rebalancing, always does.
    """
    rebalance_draining: bool = False
    """If true, nodes are drained when a spot instance is at elevated risk: early, and perhaps
    needlessly. A group with `capacityRebalance` replaces the instance by itself, and the handler
    then drains it as at every end.
    """
    scheduled_event_draining: bool = True
    """If true, nodes are drained before maintenance by AWS."""
    state_change_draining: bool = True
    """If true, nodes are drained when somebody stops or terminates an instance by API or
    console.
    """
    heartbeat_interval_seconds: int | None = Field(default=None, ge=30, le=3600)
    """Seconds between requests for more time during a drain. Absent: the drain has the hook's 300
    s.
    """
    heartbeat_until_seconds: int | None = Field(default=None, ge=60, le=172800)
    """Seconds during which heartbeats are sent. Absent, with the interval set: 48 hours."""
    complete_lifecycle_action_delay_seconds: int = Field(default=-1, ge=-1, le=3600)
    """Seconds to wait between a drain and the instance's end, for volumes that detach slowly. -1:
    none.
    """
    workers: int = Field(default=10, ge=1, le=100)
    """Number of nodes that each pod drains at once."""
    delete_sqs_msg_if_node_not_found: bool = False
    """If true, an event for a node that does not exist is dropped; if false, it is tried again for
    five minutes.
    """
    use_provider_id: bool = False
    """If true, nodes are found by instance id: needed if their names are not the instances' private
    DNS names, as with hostnames by resource name.
    """

    @property
    def hook_seconds(self) -> int:
        """Longest wait of a group's termination hook, in seconds."""
        return HOOK_SECONDS

    def mistakes(self) -> Iterator[Mistake]:
        """Pods must survive what they act on, nodes belong to nobody else, and heartbeats come in
        time.
        """
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
        """The drain must fit the hook: a group ends an instance when its hook's time is over,
        drained or not.
        """
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
    """Mode imds: a pod on each node asks the metadata service of its own instance."""

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
    """How the handler learns of interruptions: from the instance metadata service."""
    nodes: Nodes = "autoScalingGroups"
    """Nodes that the handler drains. Karpenter's documentation advises against `karpenter`; use it
    only to act on rebalance recommendations for Karpenter's spot nodes.
    """
    affinity: tuple[NodeSelectorTermConfig, ...] = ()
    """Further conditions on the nodes where the handler runs: one of these terms must hold. Fargate
    is always excluded.
    """
    spot_interruption_draining: bool | None = None
    """If true, nodes are drained when AWS announces, two minutes ahead, that it takes a spot
    instance. Absent: true, but false if Karpenter drains for the same event.
    """
    scheduled_event_draining: bool | None = None
    """If true, nodes are drained before maintenance by AWS. Absent: true, but false if Karpenter
    drains for the same event.
    """
    rebalance_monitoring: bool = True
    """If true, a node takes no new pods once its instance is at elevated risk, before the two
    minutes' notice.
    """
    rebalance_draining: bool = False
    """If true, a node at elevated risk is also drained, though AWS may never take it."""
    manifest: str | None = Field(default=None, pattern=r"^(https://\S+|[^\s:]+\.ya?ml)$")
    """Address of a release's `all-resources.yaml`, or a file of the project, to install instead of
    the chart. It is installed unchanged: no other setting affects it.
    """

    @property
    def hook_seconds(self) -> int:
        """Seconds that a group's termination hook waits: in this mode nobody can answer it."""
        return UNANSWERED_HOOK_SECONDS

    @property
    def drains_for_spot(self) -> bool:
        """The value of `spotInterruptionDraining`, with its default."""
        configured = self.spot_interruption_draining
        return self.nodes != "karpenter" if configured is None else configured

    @property
    def drains_for_maintenance(self) -> bool:
        """The value of `scheduledEventDraining`, with its default."""
        configured = self.scheduled_event_draining
        return self.nodes != "karpenter" if configured is None else configured

    @property
    def selected(self) -> Mapping[str, str]:
        """Labels of the nodes where the handler runs; empty: every node."""
        karpenter = KARPENTER_SPOT if self.nodes == "karpenter" else {}
        return {**karpenter, **self.node_selector}

    def mistakes(self) -> Iterator[Mistake]:
        """Either chart or manifest, and Karpenter's nodes only with nodes: karpenter."""
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
    """Mode of a section, given as an object or as plain values; None if unknown."""
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
