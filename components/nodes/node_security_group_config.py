"""What a stack file may say of the nodes' security group, and the rules that this makes."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..section import Section

CLUSTER, NODES = "control plane and Fargate", "nodes"


class NodeSecurityGroupConfig(Section):
    """Absent: nodes are in the group that EKS makes for control plane and Fargate pods, inside
    which everybody reaches everybody on every port. Here they are apart, by rules one can read."""

    between_fargate_and_nodes: Literal["all", "dns"] = "all"
    """What pods on Fargate and pods on nodes may say to each other: `all`, or names alone, beside
    what Kubernetes itself needs."""


class Rule(NamedTuple):
    """Who may begin a conversation with whom; answers are always let through."""

    name: str
    source: str
    target: str
    protocol: Literal["tcp", "udp", "-1"]
    """`-1`: every protocol, on every port."""
    port: int | None
    why: str


RULES = (
    Rule("https", CLUSTER, NODES, "tcp", 443, "Webhooks and API services of their own"),
    Rule("metrics", CLUSTER, NODES, "tcp", 4443, "Metrics API"),
    Rule("webhook-8443", CLUSTER, NODES, "tcp", 8443, "Webhooks, Karpenter among them"),
    Rule("webhook-9443", CLUSTER, NODES, "tcp", 9443, "Webhooks, load balancer controller"),
    Rule("kubelet", CLUSTER, NODES, "tcp", 10250, "Kubelets: logs, exec and metrics"),
    Rule("metrics-server", CLUSTER, NODES, "tcp", 10251, "metrics-server of EKS"),
    Rule("dns-tcp", CLUSTER, NODES, "tcp", 53, "CoreDNS on nodes"),
    Rule("dns-udp", CLUSTER, NODES, "udp", 53, "CoreDNS on nodes"),
    Rule("api", NODES, CLUSTER, "tcp", 443, "Kubernetes API"),
    Rule("fargate-kubelet", NODES, CLUSTER, "tcp", 10250, "metrics-server to kubelets of Fargate"),
    Rule("fargate-dns-tcp", NODES, CLUSTER, "tcp", 53, "CoreDNS on Fargate"),
    Rule("fargate-dns-udp", NODES, CLUSTER, "udp", 53, "CoreDNS on Fargate"),
    Rule("nodes", NODES, NODES, "-1", None, "Nodes and their pods to each other"),
)
"""What Kubernetes needs, whatever runs on it."""


BETWEEN_PODS = (
    Rule("from-fargate", CLUSTER, NODES, "-1", None, "Pods on Fargate to pods on nodes"),
    Rule("to-fargate", NODES, CLUSTER, "-1", None, "Pods on nodes to pods on Fargate"),
)


def rules(config: NodeSecurityGroupConfig) -> Sequence[Rule]:
    """Everything that is let in, on either side."""
    return (*RULES, *BETWEEN_PODS) if config.between_fargate_and_nodes == "all" else RULES
