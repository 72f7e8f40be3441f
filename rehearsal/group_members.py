"""Looks up in EC2 which Auto Scaling group an instance belongs to, and if it is spot."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.state import Endpoints

GROUP_TAG = "aws:autoscaling:groupName"
KEY_TAG = "frugal-eks/node-group"
"""Tag with the group's key in the stack file, on instances of groups that EKS does not manage."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """Group and market of an instance, as EC2 reports them."""

    key: str | None
    """Key of the group in the stack file, else the group's own name."""
    spot: bool


class Members:
    """Instances of the account, each looked up once."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.endpoints = endpoints
        self._known: dict[str, Member] = {}

    @cached_property
    def _ec2(self) -> Any:
        return aws_client("ec2", self.endpoints)

    def of(self, instance_ids: Iterable[str]) -> dict[str, Member]:
        """Members by instance id; unknown instances are left out."""
        wanted = [instance_id for instance_id in instance_ids if instance_id.startswith("i-")]
        if unknown := [instance_id for instance_id in wanted if instance_id not in self._known]:
            # By a filter: an instance that is gone is then no error.
            chosen = {"Name": "instance-id", "Values": unknown}
            reservations = self._ec2.describe_instances(Filters=[chosen])["Reservations"]
            for instance in (member for each in reservations for member in each["Instances"]):
                self._known[instance["InstanceId"]] = _member(instance)
        return {
            instance_id: self._known[instance_id]
            for instance_id in wanted
            if instance_id in self._known
        }


def _member(instance: dict[str, Any]) -> Member:
    tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
    spot = instance.get("InstanceLifecycle") == "spot"
    return Member(key=tags.get(KEY_TAG) or tags.get(GROUP_TAG), spot=spot)
