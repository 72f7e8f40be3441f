"""Which Auto Scaling group an instance belongs to, and whether it is spot: asked from EC2."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.state import Endpoints

GROUP_TAG = "aws:autoscaling:groupName"
KEY_TAG = "frugal-eks/node-group"
"""The group's key in the stack file, on the instances of groups that EKS does not manage."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """What EC2 says of an instance."""

    key: str | None
    """Of its group in the stack file, or else the group's own name."""
    spot: bool


class Members:
    """The instances of the account; each is asked for once."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.endpoints = endpoints
        self._known: dict[str, Member] = {}

    @cached_property
    def _ec2(self) -> Any:
        return aws_client("ec2", self.endpoints)

    def of(self, instance_ids: Iterable[str]) -> dict[str, Member]:
        """Those of them that EC2 knows, by their ids."""
        wanted = [one for one in instance_ids if one.startswith("i-")]
        if unknown := [one for one in wanted if one not in self._known]:
            # By a filter: an instance that is gone is then no error.
            chosen = {"Name": "instance-id", "Values": unknown}
            found = self._ec2.describe_instances(Filters=[chosen])["Reservations"]
            for instance in (one for each in found for one in each["Instances"]):
                self._known[instance["InstanceId"]] = _member(instance)
        return {one: self._known[one] for one in wanted if one in self._known}


def _member(instance: dict[str, Any]) -> Member:
    tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", [])}
    spot = instance.get("InstanceLifecycle") == "spot"
    return Member(key=tags.get(KEY_TAG) or tags.get(GROUP_TAG), spot=spot)
