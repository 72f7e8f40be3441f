"""A security group of the nodes' own, beside the one that EKS makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..network.tags import DISCOVERY_TAG
from ..section import Section

_ANYWHERE = "0.0.0.0/0"
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


@dataclass(frozen=True, kw_only=True)
class NodeSecurityGroupArgs:
    """The stack file's part, and the group that it stands beside."""

    config: NodeSecurityGroupConfig
    """The stack file's part."""
    cluster: ClusterRef
    """The cluster, by whose name Karpenter finds the group. EKS's own security group must then not
    carry the discovery tag: a node would be in both."""
    vpc_id: pulumi.Input[str]
    """The VPC of the group."""


class NodeSecurityGroup(pulumi.ComponentResource):
    """The group and its rules; nodes depend on the component, and are in this group alone.

    It lacks the tag `kubernetes.io/cluster/…`, so that EKS's own group is the one that carries it:
    the load balancer controller takes an interface's only group as it is.
    """

    security_group_id: pulumi.Output[str]
    """Known once every rule is there."""

    def __init__(
        self, name: str, args: NodeSecurityGroupArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("frugal-eks:index:NodeSecurityGroup", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        group = aws.ec2.SecurityGroup(
            name,
            vpc_id=args.vpc_id,
            description=f"Nodes of the EKS cluster {args.cluster.name}",
            tags={"Name": f"{args.cluster.name}-nodes", DISCOVERY_TAG: args.cluster.name},
            opts=child,
        )
        groups = {CLUSTER: args.cluster.security_group_id, NODES: group.id}
        # Each a resource of its own: groups whose own rules name each other cannot be deleted.
        out = aws.vpc.SecurityGroupEgressRule(
            f"{name}-out",
            security_group_id=group.id,
            description="Everything",
            ip_protocol="-1",
            cidr_ipv4=_ANYWHERE,
            opts=child,
        )
        ingress = [
            aws.vpc.SecurityGroupIngressRule(
                f"{name}-{rule.name}",
                security_group_id=groups[rule.target],
                referenced_security_group_id=groups[rule.source],
                description=rule.why,
                ip_protocol=rule.protocol,
                from_port=rule.port,
                to_port=rule.port,
                opts=child,
            )
            for rule in rules(args.config)
        ]
        open_ = pulumi.Output.all(group.id, out.id, *(rule.id for rule in ingress))
        self.security_group_id = open_.apply(lambda ids: ids[0])
        self.register_outputs({"securityGroupId": self.security_group_id})


def rules(config: NodeSecurityGroupConfig) -> Sequence[Rule]:
    """Everything that is let in, on either side."""
    return (*RULES, *BETWEEN_PODS) if config.between_fargate_and_nodes == "all" else RULES
