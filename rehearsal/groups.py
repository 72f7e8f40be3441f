"""Shows the account's Auto Scaling groups as the Cluster Autoscaler would see them."""

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
    """An instance of a group."""

    id: str
    type: str
    zone: str
    market: str
    """Market of the instance: "spot" or "on-demand"."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """A group at one moment."""

    name: str
    minimum: int
    desired: int
    maximum: int
    instances: tuple[Instance, ...]
    tags: Mapping[str, str]

    @property
    def key(self) -> str | None:
        """Key under `spotNodeGroups` in the stack file; None for a group that EKS made."""
        return self.tags.get(KEY_TAG)

    @property
    def template(self) -> dict[str, str]:
        """Tags that describe a group's future nodes to the Cluster Autoscaler."""
        return {
            key.removeprefix(TEMPLATE): value
            for key, value in self.tags.items()
            if key.startswith(TEMPLATE)
        }

    def undiscovered(self, cluster: str) -> list[str]:
        """Tags that the Cluster Autoscaler looks for and does not find."""
        wanted = (f"{DISCOVERY}enabled", DISCOVERY + cluster)
        return [tag for tag in wanted if tag not in self.tags]


def groups_now(endpoints: Endpoints) -> list[Group]:
    """All groups of the account, by name."""
    response = aws_client("autoscaling", endpoints).describe_auto_scaling_groups()
    listed: list[dict[str, Any]] = response["AutoScalingGroups"]
    ids = [instance["InstanceId"] for group in listed for instance in group["Instances"]]
    instances = _instances(endpoints, ids)
    groups = [
        Group(
            name=group["AutoScalingGroupName"],
            minimum=group["MinSize"],
            desired=group["DesiredCapacity"],
            maximum=group["MaxSize"],
            instances=tuple(
                instances[instance["InstanceId"]]
                for instance in group["Instances"]
                if instance["InstanceId"] in instances
            ),
            tags={tag["Key"]: tag.get("Value", "") for tag in group.get("Tags", [])},
        )
        for group in listed
    ]
    return sorted(groups, key=lambda group: group.name)


def set_desired(endpoints: Endpoints, group: Group, desired: int) -> None:
    """Resizes a group as an autoscaler does."""
    aws_client("autoscaling", endpoints).set_desired_capacity(
        AutoScalingGroupName=group.name, DesiredCapacity=desired, HonorCooldown=False
    )


def _instances(endpoints: Endpoints, ids: list[str]) -> dict[str, Instance]:
    if not ids:
        return {}
    chosen = {"Name": "instance-id", "Values": ids}
    reservations = aws_client("ec2", endpoints).describe_instances(Filters=[chosen])["Reservations"]
    return {
        instance["InstanceId"]: Instance(
            id=instance["InstanceId"],
            type=instance["InstanceType"],
            zone=instance["Placement"]["AvailabilityZone"],
            market=instance.get("InstanceLifecycle") or "on-demand",
        )
        for each in reservations
        for instance in each["Instances"]
        if instance["State"]["Name"] not in GOING
    }
