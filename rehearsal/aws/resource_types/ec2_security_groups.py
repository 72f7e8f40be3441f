"""Security groups with the rules inside them."""

from typing import Any

from rehearsal.aws.provider.plain import as_list
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    Codec,
    InUse,
    ResourceType,
    Retry,
    Timeouts,
    Values,
    When,
    call,
    prop,
)

_RANGES = (
    ("cidrBlocks", "IpRanges", "CidrIp"),
    ("ipv6CidrBlocks", "Ipv6Ranges", "CidrIpv6"),
    ("prefixListIds", "PrefixListIds", "PrefixListId"),
    ("securityGroups", "UserIdGroupPairs", "GroupId"),
)


def _permissions(rules: list[Values]) -> list[Values]:
    """Inline rules in the form of EC2's IpPermissions."""
    permissions: list[Values] = []
    for rule in rules:
        note = {"Description": rule["description"]} if rule.get("description") else {}
        permission: Values = {"IpProtocol": str(rule["protocol"])}
        if str(rule["protocol"]) != "-1":
            permission |= {"FromPort": int(rule["fromPort"]), "ToPort": int(rule["toPort"])}
        for ours, theirs, key in _RANGES:
            if rule.get(ours):
                permission[theirs] = [{key: item} | note for item in rule[ours]]
        permissions.append(permission)
    return permissions


def _inline(permissions: list[Values]) -> list[Values]:
    rules: list[Values] = []
    for permission in permissions:
        open_ended = permission["IpProtocol"] == "-1"
        rule: Values = {
            "protocol": permission["IpProtocol"],
            "fromPort": 0 if open_ended else permission.get("FromPort", 0),
            "toPort": 0 if open_ended else permission.get("ToPort", 0),
        }
        for ours, theirs, key in _RANGES:
            if permission.get(theirs):
                rule[ours] = [item[key] for item in permission[theirs]]
                if note := permission[theirs][0].get("Description"):
                    rule["description"] = note
        rules.append(rule)
    return rules


def _atoms(rules: Any) -> set[tuple[str, ...]]:
    """Rules split by source, which is how EC2 stores them."""
    return {
        (str(p["IpProtocol"]), str(p.get("FromPort")), str(p.get("ToPort")), theirs, item[key])
        for p in _permissions(rules)
        for _, theirs, key in _RANGES
        for item in p.get(theirs, [])
    }


RULES = Codec(_permissions, _inline, same=lambda a, b: _atoms(a) == _atoms(b))


def _sync_rules(name: str, authorize: str, revoke: str, described: str) -> When:
    def sync(running: Running) -> None:
        running.refresh()
        existing = as_list(running.description.get(described))
        wanted = _permissions(running.inputs.get(name) or [])
        if existing:
            running.api(revoke, GroupId=running.id, IpPermissions=existing)
        if wanted:
            running.api(authorize, GroupId=running.id, IpPermissions=wanted)

    return When((name,), sync, at_create=True)


def _drop_default_egress(running: Running) -> None:
    # EC2 makes a new group with "allow all" outbound; the AWS provider takes it away.
    running.refresh()
    if rules := running.description.get("IpPermissionsEgress"):
        running.api("RevokeSecurityGroupEgress", GroupId=running.id, IpPermissions=rules)


SECURITY_GROUP = ResourceType(
    token="aws:ec2/securityGroup:SecurityGroup",
    service="ec2",
    timeouts=Timeouts(create=10, delete=15),
    properties={
        "name": prop(REPLACES, api="GroupName", autoname=255),
        "description": prop(REPLACES, COMPUTED, default="Managed by Pulumi"),
        "vpcId": prop(REPLACES, COMPUTED, refers_to="aws:ec2/vpc:Vpc"),
        "ingress": prop(COMPUTED, at="IpPermissions", codec=RULES),
        "egress": prop(COMPUTED, at="IpPermissionsEgress", codec=RULES),
        "revokeRulesOnDelete": prop(default=False),
        "tags": TAGS,
    },
    id="GroupId",
    create=(call("CreateSecurityGroup", **tagged("security-group")), _drop_default_egress),
    read=(call("DescribeSecurityGroups", GroupIds=["{id}"], at="SecurityGroups[0]"),),
    update=(
        _sync_rules(
            "ingress",
            "AuthorizeSecurityGroupIngress",
            "RevokeSecurityGroupIngress",
            "IpPermissions",
        ),
        _sync_rules(
            "egress",
            "AuthorizeSecurityGroupEgress",
            "RevokeSecurityGroupEgress",
            "IpPermissionsEgress",
        ),
        RETAG,
    ),
    delete=(call("DeleteSecurityGroup", takes=(), GroupId="{id}"),),
    delete_retries=(Retry("DependencyViolation", 15), Retry("InvalidGroup.InUse", 15)),
    in_use=(
        InUse(
            call(
                "DescribeNetworkInterfaces",
                Filters=where("group-id"),
                at="NetworkInterfaces[].NetworkInterfaceId",
            )
        ),
        InUse(
            call(
                "DescribeSecurityGroups",
                Filters=where("ip-permission.group-id"),
                at="SecurityGroups[?GroupId!='{id}'].GroupId",
            )
        ),
    ),
    outputs={"arn": ec2_arn("security-group"), "ownerId": "OwnerId"},
)

PAGE = (SECURITY_GROUP,)
