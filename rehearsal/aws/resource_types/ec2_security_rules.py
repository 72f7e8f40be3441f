"""Rules of security groups, each a resource of its own."""

from dataclasses import replace

from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn
from rehearsal.aws.resource_types.entry import (
    REPLACES,
    REQUIRED,
    ResourceType,
    Values,
    When,
    call,
    exactly_one,
    prop,
)

# The source is one of the four; the ranges of the others are left out.
PERMISSION = {
    "IpProtocol": "{ipProtocol}",
    "FromPort": "{fromPort?}",
    "ToPort": "{toPort?}",
    "IpRanges": [{"CidrIp": "{cidrIpv4}", "Description": "{description?}"}],
    "Ipv6Ranges": [{"CidrIpv6": "{cidrIpv6}", "Description": "{description?}"}],
    "PrefixListIds": [{"PrefixListId": "{prefixListId}", "Description": "{description?}"}],
    "UserIdGroupPairs": [
        {"GroupId": "{referencedSecurityGroupId}", "Description": "{description?}"}
    ],
}


def _modify_rule(running: Running) -> None:
    changed = {"SecurityGroupRuleId": running.id, "SecurityGroupRule": _rule(running)}
    group = running.inputs["securityGroupId"]
    running.api("ModifySecurityGroupRules", GroupId=group, SecurityGroupRules=[changed])


def _rule(running: Running) -> Values:
    names = ("ipProtocol", "fromPort", "toPort", "cidrIpv4", "cidrIpv6", "prefixListId")
    rule = {n[:1].upper() + n[1:]: running.inputs[n] for n in names if n in running.inputs}
    if str(rule["IpProtocol"]) == "-1":
        rule |= {"FromPort": -1, "ToPort": -1}
    if group := running.inputs.get("referencedSecurityGroupId"):
        rule["ReferencedGroupId"] = group
    if note := running.inputs.get("description"):
        rule["Description"] = note
    return rule


def _another_kind(old: str | None, new: str | None) -> bool:
    """True if the kind of source changes: EC2 changes a source only to one of its own kind."""
    return old is None or new is None


def _rule_type(token: str, revoke: str, authorize: str) -> ResourceType:
    return ResourceType(
        token=token,
        service="ec2",
        properties={
            "securityGroupId": prop(
                REQUIRED, REPLACES, at="GroupId", refers_to="aws:ec2/securityGroup:SecurityGroup"
            ),
            "ipProtocol": prop(REQUIRED),
            "fromPort": prop(at="[@][?IpProtocol!='-1'] | [0].FromPort"),
            "toPort": prop(at="[@][?IpProtocol!='-1'] | [0].ToPort"),
            "cidrIpv4": prop(replaces_when=_another_kind),
            "cidrIpv6": prop(replaces_when=_another_kind),
            "prefixListId": prop(replaces_when=_another_kind),
            "referencedSecurityGroupId": prop(
                at="ReferencedGroupInfo.GroupId",
                refers_to="aws:ec2/securityGroup:SecurityGroup",
                replaces_when=_another_kind,
            ),
            "description": prop(),
            "tags": TAGS,
        },
        rules=(
            exactly_one("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"),
            lambda inputs: (
                "fromPort and toPort are required unless ipProtocol is -1"
                if str(inputs.get("ipProtocol")) != "-1"
                and (inputs.get("fromPort") is None or inputs.get("toPort") is None)
                else None
            ),
        ),
        id="SecurityGroupRuleId",
        create=(
            call(
                authorize,
                takes=(),
                GroupId="{securityGroupId}",
                IpPermissions=[PERMISSION],
                at="SecurityGroupRules[0]",
            ),
        ),
        read=(
            call(
                "DescribeSecurityGroupRules",
                SecurityGroupRuleIds=["{id}"],
                at="SecurityGroupRules[0]",
            ),
        ),
        update=(
            When(
                (
                    "ipProtocol",
                    "fromPort",
                    "toPort",
                    "cidrIpv4",
                    "cidrIpv6",
                    "prefixListId",
                    "referencedSecurityGroupId",
                    "description",
                ),
                _modify_rule,
            ),
            replace(RETAG, at_create=True),
        ),
        delete=(
            call(revoke, takes=(), GroupId="{securityGroupId}", SecurityGroupRuleIds=["{id}"]),
        ),
        outputs={
            "arn": ec2_arn("security-group-rule"),
            "securityGroupRuleId": "SecurityGroupRuleId",
        },
    )


INGRESS_RULE = _rule_type(
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    "RevokeSecurityGroupIngress",
    "AuthorizeSecurityGroupIngress",
)
EGRESS_RULE = _rule_type(
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
    "RevokeSecurityGroupEgress",
    "AuthorizeSecurityGroupEgress",
)

PAGE = (INGRESS_RULE, EGRESS_RULE)
