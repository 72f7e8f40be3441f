"""Node pools of the tests' own, and pods that no other pool takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components.karpenter.node_pools import NodePoolConfig, node_pool_spec

RULE = "frugal-eks/rule"
"""Label and taint of the nodes: pods of one rule never meet those of another."""
HELD = {"karpenter.sh/do-not-disrupt": "true"}
MEDIUM = "c5.xlarge"
"""4 vCPUs, of which 3.7 are free beside the pods of DaemonSets."""
ZONE = "topology.kubernetes.io/zone"

Object = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A pool as a stack file says it. Without more it packs pods together as soon as it can."""

    name: str
    rules: Sequence[str] = ()
    """Whose pods it takes, each on nodes of their own; absent: of the rule it is named after."""
    types: Sequence[str] = (MEDIUM,)
    disruption: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def served(self) -> Sequence[str]:
        """All its rules."""
        return self.rules or (self.name,)

    def manifest(self, **instead: Any) -> Object:
        """The NodePool, by the package's own writer; `instead` are keys of the stack file."""
        usual = {
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
            "consolidateAfter": "2s",
            "budgets": [{"nodes": "100%"}],
        }
        settings: dict[str, Any] = {
            "nodeClass": "default",
            "capacityTypes": ["on-demand"],
            "requirements": [
                _one_of("node.kubernetes.io/instance-type", self.types),
                # A node gets that one as its label which its first pod asks for.
                _one_of(RULE, self.served),
            ],
            "taints": [{"key": RULE, "value": "yes", "effect": "NoSchedule"}],
            "disruption": {**usual, **self.disruption},
            **self.more,
            **instead,
        }
        return {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodePool",
            "metadata": {"name": self.name},
            "spec": node_pool_spec(NodePoolConfig.model_validate(settings)),
        }


@dataclass(frozen=True, kw_only=True)
class Pod:
    """A pod of a rule."""

    name: str
    cpu: str = "200m"
    owned: bool = True
    """Whether there is a ReplicaSet that makes it anew."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)

    def template(self, rule: str) -> Object:
        """Metadata and spec."""
        return {
            "metadata": {
                "labels": {"pod": self.name, "rule": rule},
                "annotations": dict(self.annotations),
            },
            "spec": {
                "nodeSelector": {RULE: rule},
                "tolerations": [{"key": RULE, "operator": "Exists"}],
                "terminationGracePeriodSeconds": 1,
                "containers": [
                    {
                        "name": "one",
                        "image": "registry.k8s.io/pause",
                        "resources": {"requests": {"cpu": self.cpu}},
                    }
                ],
                **self.spec,
            },
        }

    def on(self, node: str, rule: str) -> Object:
        """It on a node, whatever the scheduler would say."""
        one = self.template(rule)
        one["metadata"] |= {"name": self.name, "namespace": "default"}
        return {"apiVersion": "v1", "kind": "Pod", **one, "spec": {**one["spec"], "nodeName": node}}

    def owner(self, rule: str) -> Object:
        """A ReplicaSet that adopts it."""
        return _replicated("ReplicaSet", self, rule, 1)

    def deployment(self, rule: str, replicas: int) -> Object:
        return _replicated("Deployment", self, rule, replicas)


def ballast(rule: str, nodes: int, cpu: str = "3", **spec: Any) -> Object:
    """Pods that bring a rule so many nodes, and keep them until they are deleted."""
    name = f"{rule}-ballast"
    return Pod(name=name, cpu=cpu, annotations=HELD, spec=spec).deployment(rule, nodes)


def budget(rule: str, pod: str) -> Object:
    """Which forbids that this pod is evicted."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": pod, "namespace": "default", "labels": {"rule": rule}},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"pod": pod}}},
    }


def _replicated(kind: str, pod: Pod, rule: str, replicas: int) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": pod.name, "namespace": "default", "labels": {"rule": rule}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"pod": pod.name}},
            "template": pod.template(rule),
        },
    }


def _one_of(key: str, values: Sequence[str]) -> Object:
    return {"key": key, "operator": "In", "values": list(values)}
