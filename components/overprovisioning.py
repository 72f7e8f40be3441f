"""Overprovisioning: room that is kept free, by pods that any other pod may push aside."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pulumi
from pydantic import Field

import versions
from components.charts import ChartSource
from components.karpenter.node_pools import LabelKey, LabelValue
from components.karpenter.quantities import Quantity
from components.kubernetes_object import KubernetesObject
from components.section import Mistake, Section

NAMESPACE = "pause"
"""No Fargate profile may select it: a pause pod there is a machine that reserves nothing."""
POD_LABELS = {"run": "pause-pods"}
PRIORITY_CLASS = "pause-pods"
PRIORITY = -1
"""Below that of pods without a class, 0; above -10, under which Cluster Autoscaler adds no node."""
IMAGE = "registry.k8s.io/pause"
NOBODY = 65535
"""The user that the image itself runs as (kubernetes/kubernetes, build/pause)."""


class TolerationConfig(Section):
    """A taint of the nodes on which room is kept."""

    key: LabelKey
    operator: Literal["Equal", "Exists"] = "Equal"
    value: LabelValue | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Absent: all of them."""

    def mistakes(self) -> Iterator[Mistake]:
        """The API server takes a value with Equal only."""
        if self.operator == "Exists" and self.value is not None:
            problem = "operator Exists takes any value: drop it, or choose Equal"
            yield Mistake("value", problem, self.value)


class OverprovisioningConfig(Section):
    """Room that is paid for all the time, so that the next pod need not wait for a node.

    A pod takes over what is freed on one node: make a pause pod as large as the largest usual one.
    """

    replicas: int = Field(default=2, ge=0)
    """How many such pods there is room for. They count against the limits of node pools."""
    cpu: Quantity = "1"
    memory: Quantity = "1536Mi"
    """Of each. The cheapest nodes have 2 GiB a vCPU, of which the kubelet keeps a part."""
    node_selector: Mapping[LabelKey, LabelValue] = {}
    """That of the pods for which room is kept; absent: any node."""
    tolerations: tuple[TolerationConfig, ...] = ()
    """Theirs as well: a pause pod helps only on nodes where they may run."""
    default_priority_class: bool = False
    """Whether to make a class `default` with the priority 0, for all pods that name none. They have
    that priority anyway; the API server refuses it where another class is the default."""


@dataclass(frozen=True, kw_only=True)
class OverprovisioningArgs:
    """The stack file's part, and what gives the pods their nodes."""

    config: OverprovisioningConfig
    charts: ChartSource
    needs: Sequence[pulumi.Resource]
    """In a destroy the pods go first, while there is somebody to take nodes: else a pending one
    would bring a node in the midst of it."""
    kubernetes: pulumi.ProviderResource | None = None
    """The provider of the cluster; absent: by opts."""


class Overprovisioning(pulumi.ComponentResource):
    """Two pods that do nothing, and the priority by which they make room."""

    def __init__(
        self, name: str, args: OverprovisioningArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:Overprovisioning", name, None, opts)
        in_cluster = pulumi.ResourceOptions(parent=self, provider=args.kubernetes)
        # Value and preemption policy cannot be changed, and the names are the same.
        fixed = pulumi.ResourceOptions(
            parent=self, provider=args.kubernetes, delete_before_replace=True
        )
        namespace = KubernetesObject(name, namespace_manifest(), opts=in_cluster)
        priority = KubernetesObject(name, pause_priority(), opts=fixed)
        if args.config.default_priority_class:
            KubernetesObject(f"{name}-default", default_priority(), opts=fixed)
        image = f"{args.charts.image(IMAGE)}:{versions.PAUSE_PODS}@{versions.PAUSE_PODS_DIGEST}"
        KubernetesObject(
            name,
            deployment(args.config, image=image),
            opts=pulumi.ResourceOptions(
                parent=self,
                provider=args.kubernetes,
                depends_on=[namespace, priority, *args.needs],
            ),
        )
        self.register_outputs({})


def namespace_manifest() -> dict[str, Any]:
    """A namespace of their own, in which nothing can have rights."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": NAMESPACE, "labels": labels},
    }


def pause_priority() -> dict[str, Any]:
    """Below everything that does something."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS},
        "value": PRIORITY,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Pods that keep room free: every other pod may take their place.",
    }


def default_priority() -> dict[str, Any]:
    """What pods without a class have, with a name."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "default"},
        "value": 0,
        "globalDefault": True,
        "description": "Pods that name no priority class.",
    }


def deployment(config: OverprovisioningConfig, *, image: str) -> dict[str, Any]:
    """The pods. There is no disruption budget: they must be the first to go."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "pause-pods",
            "namespace": NAMESPACE,
            # One that has just made room is pending until its node comes: that is its purpose, and
            # no reason for an update to wait, or to fail after ten minutes.
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {
            "replicas": config.replicas,
            "selector": {"matchLabels": POD_LABELS},
            "template": {
                "metadata": {"labels": POD_LABELS},
                "spec": _pod(config, image=image),
            },
        },
    }


def _pod(config: OverprovisioningConfig, *, image: str) -> dict[str, Any]:
    size = {"cpu": config.cpu, "memory": config.memory}
    pod: dict[str, Any] = {
        "priorityClassName": PRIORITY_CLASS,
        # Not 0: a pod that takes over would then often wait for five minutes, since the scheduler
        # misses a deletion that is done at once (kubernetes/kubernetes#141694). The image ends when
        # it is asked to, long before the default of 30.
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": "reserve-resources",
                "image": image,
                "resources": {"requests": size, "limits": size},
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                },
            }
        ],
    }
    if config.node_selector:
        pod["nodeSelector"] = dict(config.node_selector)
    if config.tolerations:
        pod["tolerations"] = [each.model_dump(exclude_none=True) for each in config.tolerations]
    return pod
