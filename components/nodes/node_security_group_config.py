"""The stack file's settings of the nodes' security group, and the rules derived from them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..section import Section

CLUSTER, NODES = "control plane and Fargate", "nodes"


class NodeSecurityGroupConfig(Section):
    """A security group for nodes alone, with one rule for each purpose. Absent: nodes are in the
    group that EKS makes for the control plane and Fargate pods, whose members reach each other on
    every port.
    """

    between_fargate_and_nodes: Literal["all", "dns"] = "all"
    """Traffic between pods on Fargate and pods on nodes: `all`, or `dns` for DNS only, besides what
    Kubernetes itself needs.
    """


class Rule(NamedTuple):
    """One permitted direction of connections, from source to target; replies are always allowed."""

    name: str
    source: str
    target: str
    protocol: Literal["tcp", "udp", "-1"]
    """The protocol; `-1` is every protocol on every port."""
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
"""Rules that Kubernetes needs, whatever workloads run."""


BETWEEN_PODS = (
    Rule("from-fargate", CLUSTER, NODES, "-1", None, "Pods on Fargate to pods on nodes"),
    Rule("to-fargate", NODES, CLUSTER, "-1", None, "Pods on nodes to pods on Fargate"),
)


def rules(config: NodeSecurityGroupConfig) -> Sequence[Rule]:
    """All ingress rules of both groups."""
    return (*RULES, *BETWEEN_PODS) if config.between_fargate_and_nodes == "all" else RULES
