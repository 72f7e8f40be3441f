"""Announces the end of an instance as AWS does: by EventBridge and in instance metadata."""

import datetime
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.errors import RehearsalError
from rehearsal.nodes import notices
from rehearsal.nodes.notices import Notices
from rehearsal.state import Endpoints, State

NOTICE_SECONDS = 120.0
"""Seconds between a spot interruption warning and the end of the instance."""
LAUNCH = "Launch"
"""Process of an Auto Scaling group that launches instances."""
NOT_FOUND = 404
METADATA_TIME = "%d %b %Y %H:%M:%S GMT"


class Kind(StrEnum):
    """Reason why an instance is about to end."""

    SPOT = "spot"
    REBALANCE = "rebalance"
    MAINTENANCE = "maintenance"


class Ec2:
    """Plays actions of EC2 that no API offers."""

    def __init__(self, state: State) -> None:
        self.state, self.endpoints = state, state.endpoints
        self.events = aws_client("events", self.endpoints)
        self.ec2 = aws_client("ec2", self.endpoints)
        self.autoscaling = aws_client("autoscaling", self.endpoints)

    def announce(self, kind: Kind, instance_id: str) -> None:
        """Sends the event, and puts the notice into the instance's metadata."""
        now = datetime.datetime.now(datetime.UTC)
        notices.write(self.state, instance_id, notices_of(kind, instance_id, now))
        entry = event(kind, instance_id, self.endpoints, now)
        self.events.put_events(Entries=[entry])

    def end_after_notice(self, instance_id: str, seconds: float = NOTICE_SECONDS) -> None:
        """Ends a group's instance after the notice, whoever is still on it. A missing instance is
        no error.
        """
        self._control("spot-interruption", instance=instance_id, seconds=str(seconds))

    def rebalance(self, instance_id: str) -> bool:
        """Returns True if the instance's group launches a replacement and then ends it."""
        return bool(self._control("rebalance", instance=instance_id).get("replaced"))

    def retire(self, instance_id: str) -> None:
        """Ends an instance whose hardware is retired; its group launches another one."""
        self.ec2.terminate_instances(InstanceIds=[instance_id])

    def hold_launches(self, instance_ids: Sequence[str]) -> list[str]:
        """Stops the groups of these instances from launching; returns the groups' names."""
        if not instance_ids:
            # Without ids AWS would tell all instances of the account.
            return []
        response = self.autoscaling.describe_auto_scaling_instances(InstanceIds=list(instance_ids))
        names = sorted(
            {instance["AutoScalingGroupName"] for instance in response["AutoScalingInstances"]}
        )
        for name in names:
            self.autoscaling.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=[LAUNCH])
        return names

    def release_launches(self, groups: Sequence[str]) -> None:
        """Lets these groups launch instances again."""
        for name in groups:
            self.autoscaling.resume_processes(AutoScalingGroupName=name, ScalingProcesses=[LAUNCH])

    def _control(self, path: str, **parameters: str) -> dict[str, Any]:
        query = urllib.parse.urlencode(parameters)
        url = f"{self.endpoints['aws']}/_rehearsal/{path}?{query}"
        # No proxy of the user's may come between.
        opener: Callable[..., Any] = urllib.request.build_opener(
            urllib.request.ProxyHandler({})
        ).open
        try:
            with opener(urllib.request.Request(url, method="POST"), timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == NOT_FOUND:
                    return {}
                said = error.read().decode(errors="replace")
            raise RehearsalError(f"The played AWS refuses {path}: {said}") from None


def event(
    kind: Kind, instance_id: str, endpoints: Endpoints, now: datetime.datetime
) -> dict[str, Any]:
    """Entry that makes EventBridge deliver AWS's own event."""
    if kind is Kind.MAINTENANCE:
        detail: dict[str, Any] = {
            "service": "EC2",
            "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
            "eventTypeCategory": "scheduledChange",
            "startTime": _ends(now).strftime("%a, " + METADATA_TIME),
            "affectedEntities": [{"entityValue": instance_id}],
        }
        return _entry("aws.health", "AWS Health Event", instance_id, detail)
    arn = f"arn:aws:ec2:{endpoints['region']}:{endpoints['account']}:instance/{instance_id}"
    detail = {"instance-id": instance_id}
    if kind is Kind.REBALANCE:
        return _entry("aws.ec2", "EC2 Instance Rebalance Recommendation", arn, detail)
    detail["instance-action"] = "terminate"
    return _entry("aws.ec2", "EC2 Spot Instance Interruption Warning", arn, detail)


def notices_of(kind: Kind, instance_id: str, now: datetime.datetime) -> Notices:
    """Notices in instance metadata for an announcement."""
    match kind:
        case Kind.SPOT:
            return Notices(spot_action={"action": "terminate", "time": _iso(_ends(now))})
        case Kind.REBALANCE:
            return Notices(rebalance={"noticeTime": _iso(now)})
        case Kind.MAINTENANCE:
            scheduled = {
                "NotBefore": _ends(now).strftime(METADATA_TIME),
                "NotAfter": "",
                "Code": "instance-retirement",
                "Description": "The instance is running on degraded hardware",
                "EventId": f"instance-event-{instance_id.removeprefix('i-')}",
                "State": "active",
            }
            return Notices(scheduled=(scheduled,))


def _entry(source: str, kind: str, resource: str, detail: dict[str, Any]) -> dict[str, Any]:
    return {
        "Source": source,
        "DetailType": kind,
        "Resources": [resource],
        "Detail": json.dumps(detail),
    }


def _ends(now: datetime.datetime) -> datetime.datetime:
    return now + datetime.timedelta(seconds=NOTICE_SECONDS)


def _iso(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
