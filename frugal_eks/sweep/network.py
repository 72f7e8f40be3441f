"""Finds and removes network interfaces and security groups, which block deleting a subnet or
VPC.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.compute import known_instances, named
from frugal_eks.sweep.ownership import claim
from frugal_eks.sweep.things import Thing

NODE_TAG = "node.k8s.amazonaws.com/instance_id"
"""The VPC CNI's tag on every interface; it tags the cluster's name only if configured."""
AT_ONCE = 100
"""Number of security groups whose users one call returns: a filter takes 200 values."""
DEFAULT = "default"


def interfaces(account: Account, cluster: str) -> Iterator[Thing]:
    """Interfaces that the VPC CNI made for pods, or that came with a node and outlived it."""
    nodes = known_instances(account, cluster)
    for page in account.pages("ec2", "describe_network_interfaces"):
        for interface in page["NetworkInterfaces"]:
            tags = named(interface.get("TagSet"))
            node = tags.get(NODE_TAG)
            yield Thing(
                id=interface["NetworkInterfaceId"],
                name=interface.get("Description", ""),
                tags=tags,
                by=f"{NODE_TAG}={node}, an instance of the cluster" if node in nodes else "",
                busy=_attached(interface),
                owner=interface.get("OwnerId", ""),
            )


def remove_interface(account: Account, interface: Thing) -> None:
    """Removes an interface. AWS refuses while it is attached."""
    account.client("ec2").delete_network_interface(NetworkInterfaceId=interface.id)


def security_groups(account: Account, cluster: str) -> Iterator[Thing]:
    """Security groups of the Load Balancer Controller, of Kubernetes, and of EKS if still in
    use.
    """
    groups = {
        group["GroupId"]: group
        for page in account.pages("ec2", "describe_security_groups")
        for group in page["SecurityGroups"]
        if group["GroupName"] != DEFAULT  # it goes with its VPC
    }
    tags = {id: named(group.get("Tags")) for id, group in groups.items()}
    ours = [id for id in groups if claim(tags[id], cluster)]
    users = _users(account, ours)
    for id in ours:
        yield Thing(
            id=id,
            name=groups[id]["GroupName"],
            tags=tags[id],
            busy=f"used by {', '.join(users[id])}" if users.get(id) else "",
            owner=groups[id].get("OwnerId", ""),
        )


def remove_security_group(account: Account, group: Thing) -> None:
    """Removes a group after its rules: groups whose rules refer to each other could not be
    deleted.
    """
    ec2 = account.client("ec2")
    filters = [{"Name": "group-id", "Values": [group.id]}]
    pages = account.pages("ec2", "describe_security_group_rules", Filters=filters)
    rules = [
        rule
        for page in pages
        for rule in page["SecurityGroupRules"]
        if "ReferencedGroupInfo" in rule
    ]
    for outward, revoke in (
        (False, ec2.revoke_security_group_ingress),
        (True, ec2.revoke_security_group_egress),
    ):
        some = [rule["SecurityGroupRuleId"] for rule in rules if rule["IsEgress"] is outward]
        if some:
            revoke(GroupId=group.id, SecurityGroupRuleIds=some)
    ec2.delete_security_group(GroupId=group.id)


def _attached(interface: Mapping[str, Any]) -> str:
    if interface["Status"] == "available":
        return ""
    attachment = interface.get("Attachment", {})
    to = attachment.get("InstanceId") or attachment.get("InstanceOwnerId") or "something"
    return f"attached to {to}"


def _users(account: Account, ids: list[str]) -> dict[str, list[str]]:
    """Users by group: interfaces in it, and foreign groups with a rule that refers to it."""
    users: dict[str, list[str]] = {}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        filters = [{"Name": "group-id", "Values": some}]
        for page in account.pages("ec2", "describe_network_interfaces", Filters=filters):
            for interface in page["NetworkInterfaces"]:
                for group in interface["Groups"]:
                    users.setdefault(group["GroupId"], []).append(interface["NetworkInterfaceId"])
        for direction in ("ip-permission.group-id", "egress.ip-permission.group-id"):
            filters = [{"Name": direction, "Values": some}]
            for page in account.pages("ec2", "describe_security_groups", Filters=filters):
                for group in page["SecurityGroups"]:
                    for id in _mentioned(group) & set(some) if group["GroupId"] not in ids else ():
                        users.setdefault(id, []).append(f"a rule of {group['GroupId']}")
    return {id: list(dict.fromkeys(names)) for id, names in users.items()}


def _mentioned(group: Mapping[str, Any]) -> set[str]:
    rules = [*group["IpPermissions"], *group["IpPermissionsEgress"]]
    return {pair["GroupId"] for rule in rules for pair in rule["UserIdGroupPairs"]}
