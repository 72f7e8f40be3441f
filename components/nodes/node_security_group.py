"""A security group for nodes alone, beside the one that EKS makes for the cluster."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ..cluster_ref import ClusterRef
from ..network.tags import DISCOVERY_TAG
from .node_security_group_config import CLUSTER, NODES, NodeSecurityGroupConfig, rules

_ANYWHERE = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True)
class NodeSecurityGroupArgs:
    """The stack file's settings of the security group, and the cluster."""

    config: NodeSecurityGroupConfig
    """The stack file's settings of the group."""
    cluster: ClusterRef
    """The cluster, by whose name Karpenter finds the group. EKS's own security group must then not
    carry the discovery tag: a node would be in both groups.
    """
    vpc_id: pulumi.Input[str]
    """The VPC that the group belongs to."""


class NodeSecurityGroup(pulumi.ComponentResource):
    """The security group of the nodes with its rules. Nodes depend on the component and have no
    other group.

    The group has no tag `kubernetes.io/cluster/…`: EKS's own group carries it. The load balancer
    controller accepts an interface's only group without the tag.
    """

    security_group_id: pulumi.Output[str]
    """Id of the group; resolves once every rule exists."""

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
