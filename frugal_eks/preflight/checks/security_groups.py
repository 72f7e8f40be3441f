"""Compares security groups and their rules with quotas."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.plans.cost.program import objects, texts
from frugal_eks.preflight import quotas
from frugal_eks.preflight.findings import Finding, ok
from frugal_eks.preflight.quotas import compared, limit
from frugal_eks.preflight.situation import Situation

GROUP = "aws:ec2/securityGroup:SecurityGroup"
RULES = {
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "ingress",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "egress",
}
_SOURCES = ("cidrBlocks", "ipv6CidrBlocks", "securityGroups", "prefixListIds")


def groups(situation: Situation) -> Iterator[Finding]:
    """Compares security groups of the region: the stack's, EKS's for the cluster, the
    controller's.
    """
    config = situation.stack.config
    needed = situation.count(GROUP)
    needed += situation.new_cluster is not None
    # It makes one for each load balancer that asks for none, and one that all of them share.
    needed += 2 * (config.addons.aws_load_balancer_controller is not None)
    if not needed:
        return
    used = len(situation.account.listed("ec2", "describe_security_groups", "SecurityGroups"))
    allowed = limit(situation.account, quotas.SECURITY_GROUPS)
    yield compared("security groups", quotas.SECURITY_GROUPS, allowed, used, needed)


def rules(situation: Situation) -> Iterator[Finding]:
    """Compares rules in one direction of the stack's fullest security group."""
    counted = Counter[tuple[str, str]]()
    for group in situation.program.of_type(GROUP):
        for direction in ("ingress", "egress"):
            for rule in objects(group.inputs, direction):
                counted[f"{group.name}-id", direction] += _sources(rule)
    for kind, direction in RULES.items():
        for rule in situation.program.of_type(kind):
            counted[str(rule.inputs.get("securityGroupId")), direction] += 1
    if not counted:
        yield ok("security group rules", "the stack makes none")
        return
    (_, direction), most = counted.most_common(1)[0]
    quota = quotas.SECURITY_GROUP_RULES
    check = f"{direction} rules of a security group"
    yield compared(check, quota, limit(situation.account, quota), 0, most)


def _sources(rule: Mapping[str, Any]) -> int:
    """Number of rules as EC2 counts them: each source, and the group itself, counts as one."""
    return sum(len(texts(rule, key)) for key in _SOURCES) + bool(rule.get("self"))
