"""Finds and removes instances and what starts them: groups, launch templates, instance profiles."""

from collections.abc import Iterable, Iterator
from typing import Any

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.ownership import claim
from frugal_eks.sweep.things import Thing

REGION_TAG = "topology.kubernetes.io/region"
"""Karpenter's tag on its instance profiles: IAM has no regions, and clusters of one name can exist
in two regions.
"""
ENDED = "terminated"


def named(tags: Iterable[dict[str, str]] | None) -> dict[str, str]:
    """AWS's list of keys and values as a mapping."""
    return {tag["Key"]: tag["Value"] for tag in tags or ()}


def groups(account: Account, cluster: str) -> Iterator[Thing]:
    """Auto Scaling groups, which would replace terminated instances."""
    del cluster  # a group's tags are looked at afterwards, like those of the other kinds
    for group in _groups(account):
        size = len(group["Instances"])
        yield Thing(
            id=group["AutoScalingGroupName"],
            tags=named(group.get("Tags")),
            cost=f"its instances, {size} now",
            busy="it is being deleted" if group.get("Status") else "",
        )


def remove_group(account: Account, group: Thing) -> None:
    """Removes a group with its instances, skipping lifecycle hooks, which nobody would complete."""
    account.client("autoscaling").delete_auto_scaling_group(
        AutoScalingGroupName=group.id, ForceDelete=True
    )


def instances(account: Account, cluster: str) -> Iterator[Thing]:
    """Instances started by Karpenter, a group or EKS, in any state but terminated."""
    del cluster
    for owner, instance in _instances(account):
        state = instance["State"]["Name"]
        if state == ENDED:
            continue
        tags = named(instance.get("Tags"))
        capacity = instance.get("InstanceLifecycle", "on demand")
        yield Thing(
            id=instance["InstanceId"],
            name=tags.get("Name", ""),
            tags=tags,
            cost=f"{instance['InstanceType']} {capacity}, {state}: by the hour",
            busy="it is shutting down" if state == "shutting-down" else "",
            owner=owner,
        )


def remove_instance(account: Account, instance: Thing) -> None:
    """Terminates one instance: AWS refuses a whole list for one protected instance."""
    account.client("ec2").terminate_instances(InstanceIds=[instance.id])


def known_instances(account: Account, cluster: str) -> set[str]:
    """Ids of the cluster's own instances; EC2 remembers terminated ones for about an hour."""
    claims = {
        instance["InstanceId"]: claim(named(instance.get("Tags")), cluster)
        for _, instance in _instances(account)
    }
    return {id for id, owned in claims.items() if owned and not owned.shared}


def node_disks(account: Account) -> set[str]:
    """Ids of volumes that are deleted with their instance, whoever owns it."""
    return {
        mapping["Ebs"]["VolumeId"]
        for _, instance in _instances(account)
        for mapping in instance["BlockDeviceMappings"]
        if mapping["Ebs"]["DeleteOnTermination"]
    }


def launch_templates(account: Account, cluster: str) -> Iterator[Thing]:
    """Launch templates: Karpenter's, one for each node class, image and size of its nodes, and
    those of groups.
    """
    del cluster
    users: dict[str, list[str]] = {}
    for group in _groups(account):
        for template in _templates(group):
            users.setdefault(template, []).append(group["AutoScalingGroupName"])
    # Karpenter makes many; a page of AWS's own choice is small.
    size = {"PageSize": 200}
    for page in account.pages("ec2", "describe_launch_templates", PaginationConfig=size):
        for template in page["LaunchTemplates"]:
            used = users.get(template["LaunchTemplateId"], [])
            yield Thing(
                id=template["LaunchTemplateId"],
                name=template["LaunchTemplateName"],
                tags=named(template.get("Tags")),
                busy=f"used by the Auto Scaling group {', '.join(used)}" if used else "",
            )


def remove_launch_template(account: Account, template: Thing) -> None:
    """Removes a launch template with all versions."""
    account.client("ec2").delete_launch_template(LaunchTemplateId=template.id)


def instance_profiles(account: Account, cluster: str) -> Iterator[Thing]:
    """Karpenter's instance profiles; while one is left the nodes' role cannot be deleted."""
    iam = account.client("iam")
    names = [
        profile["InstanceProfileName"]
        for page in account.pages("iam", "list_instance_profiles")
        for profile in page["InstanceProfiles"]
    ]
    profiles: list[tuple[dict[str, Any], dict[str, str]]] = []
    for name in names:
        # The list itself comes without tags.
        profile = iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]
        tags = named(profile.get("Tags"))
        if tags.get(REGION_TAG, account.region) == account.region and claim(tags, cluster):
            profiles.append((profile, tags))
    users = _profile_users(account) if profiles else {}
    for profile, tags in profiles:
        used = users.get(profile["Arn"], [])
        yield Thing(
            id=profile["InstanceProfileName"],
            name=profile["Path"].strip("/"),
            tags=tags,
            busy=f"used by {', '.join(used)}" if used else "",
        )


def remove_instance_profile(account: Account, profile: Thing) -> None:
    """Removes an instance profile, but not the role in it, which is the stack's."""
    iam = account.client("iam")
    current = iam.get_instance_profile(InstanceProfileName=profile.id)["InstanceProfile"]
    for role in current["Roles"]:
        iam.remove_role_from_instance_profile(
            InstanceProfileName=profile.id, RoleName=role["RoleName"]
        )
    iam.delete_instance_profile(InstanceProfileName=profile.id)


def _groups(account: Account) -> Iterator[dict[str, Any]]:
    for page in account.pages("autoscaling", "describe_auto_scaling_groups"):
        yield from page["AutoScalingGroups"]


def _templates(group: dict[str, Any]) -> list[str]:
    """Ids of a group's launch templates, including those of its mixed policy's overrides."""
    policy = group.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
    used = [
        group.get("LaunchTemplate"),
        policy.get("LaunchTemplateSpecification"),
        *(override.get("LaunchTemplateSpecification") for override in policy.get("Overrides", [])),
    ]
    return list(
        dict.fromkeys(specification["LaunchTemplateId"] for specification in used if specification)
    )


def _instances(account: Account) -> Iterator[tuple[str, dict[str, Any]]]:
    """Instances, each with the account that owns it."""
    for page in account.pages("ec2", "describe_instances"):
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                yield reservation.get("OwnerId", ""), instance


def _profile_users(account: Account) -> dict[str, list[str]]:
    """Instances by the ARN of their instance profile, whoever owns them."""
    users: dict[str, list[str]] = {}
    for _, instance in _instances(account):
        if "IamInstanceProfile" in instance and instance["State"]["Name"] != ENDED:
            users.setdefault(instance["IamInstanceProfile"]["Arn"], []).append(
                instance["InstanceId"]
            )
    return users
