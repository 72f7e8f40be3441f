"""The account's Auto Scaling groups, as the Cluster Autoscaler would see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.group_members import KEY_TAG
from rehearsal.state import Endpoints

DISCOVERY = "k8s.io/cluster-autoscaler/"
TEMPLATE = f"{DISCOVERY}node-template/"
GOING = ("shutting-down", "terminated")


@dataclass(frozen=True, kw_only=True)
class Instance:
    """One that a group has."""

    id: str
    type: str
    zone: str
    market: str
    """"spot" or "on-demand"."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """One group at one moment."""

    name: str
    minimum: int
    desired: int
    maximum: int
    instances: tuple[Instance, ...]
    tags: Mapping[str, str]

    @property
    def key(self) -> str | None:
        """Under `spotNodeGroups` in the stack file; None of a group that EKS made."""
        return self.tags.get(KEY_TAG)

    @property
    def template(self) -> dict[str, str]:
        """What tells the Cluster Autoscaler how a node would be of which there is none yet."""
        return {
            key.removeprefix(TEMPLATE): value
            for key, value in self.tags.items()
            if key.startswith(TEMPLATE)
        }

    def undiscovered(self, cluster: str) -> list[str]:
        """The tags that the Cluster Autoscaler looks for and does not find."""
        wanted = (f"{DISCOVERY}enabled", DISCOVERY + cluster)
        return [tag for tag in wanted if tag not in self.tags]


def groups_now(endpoints: Endpoints) -> list[Group]:
    """All groups of the account, by name."""
    found = aws_client("autoscaling", endpoints).describe_auto_scaling_groups()
    listed: list[dict[str, Any]] = found["AutoScalingGroups"]
    ids = [one["InstanceId"] for group in listed for one in group["Instances"]]
    instances = _instances(endpoints, ids)
    groups = [
        Group(
            name=group["AutoScalingGroupName"],
            minimum=group["MinSize"],
            desired=group["DesiredCapacity"],
            maximum=group["MaxSize"],
            instances=tuple(
                instances[one["InstanceId"]]
                for one in group["Instances"]
                if one["InstanceId"] in instances
            ),
            tags={tag["Key"]: tag.get("Value", "") for tag in group.get("Tags", [])},
        )
        for group in listed
    ]
    return sorted(groups, key=lambda group: group.name)


def set_desired(endpoints: Endpoints, group: Group, desired: int) -> None:
    """Resize a group as an autoscaler does it."""
    aws_client("autoscaling", endpoints).set_desired_capacity(
        AutoScalingGroupName=group.name, DesiredCapacity=desired, HonorCooldown=False
    )


def _instances(endpoints: Endpoints, ids: list[str]) -> dict[str, Instance]:
    if not ids:
        return {}
    chosen = {"Name": "instance-id", "Values": ids}
    found = aws_client("ec2", endpoints).describe_instances(Filters=[chosen])["Reservations"]
    return {
        one["InstanceId"]: Instance(
            id=one["InstanceId"],
            type=one["InstanceType"],
            zone=one["Placement"]["AvailabilityZone"],
            market=one.get("InstanceLifecycle") or "on-demand",
        )
        for each in found
        for one in each["Instances"]
        if one["State"]["Name"] not in GOING
    }
