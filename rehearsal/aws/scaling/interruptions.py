"""Plays what EC2 does to instances of groups on its own, and how the groups react."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import time
from typing import Any

from moto.autoscaling.models import autoscaling_backends

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.scaling import endings, launches
from rehearsal.aws.scaling.model import IN_SERVICE, Member, does, in_service, members

NOTICE = 120.0  # seconds between EC2's spot interruption notice and the end


class Interruptions:
    """Instances that EC2 interrupts."""

    def __init__(self, account: MotoAccount) -> None:
        """Nothing is interrupted yet."""
        self._account = account
        self._ends: dict[str, float] = {}
        """Ends by instance id, on the monotonic clock."""

    def recommend_rebalance(self, instance_id: str) -> dict[str, Any]:
        """Handles a rebalance recommendation: a group that rebalances replaces the instance. Raises
        AwsError if the instance does not run.
        """
        self._running(instance_id)
        group, state = self._member(instance_id)
        replaced = bool(
            group
            and group.capacity_rebalance
            and isinstance(state, Member)
            and state.lifecycle_state == IN_SERVICE
        )
        if group and replaced:
            if state.replacement is None:
                state.replacement = ""
            replace(group)
        return {
            "instance": instance_id,
            "group": group.name if group else None,
            "replaced": replaced,
        }

    def interrupt(self, instance_id: str, seconds: float = NOTICE) -> dict[str, Any]:
        """Handles a spot interruption notice: EC2 ends the instance after so many seconds. Raises
        AwsError if the instance does not run.
        """
        # EC2 sends the recommendation with the notice where it did not come before.
        answer = self.recommend_rebalance(instance_id)
        self._ends[instance_id] = time.monotonic() + seconds
        return answer

    def settle(self, now: float) -> None:
        """Ends the instances whose time is over."""
        for instance_id in [
            ending_id for ending_id, deadline in self._ends.items() if deadline <= now
        ]:
            del self._ends[instance_id]
            instance = self._instance(instance_id)
            if instance is not None and instance.state not in endings.GONE:
                self._account.ec2.terminate_instances([instance_id])

    def _running(self, instance_id: str) -> None:
        instance = self._instance(instance_id)
        if instance is None or instance.state != "running":
            raise AwsError(
                "InvalidInstanceID.NotFound", f"There is no running instance {instance_id}"
            )

    def _instance(self, instance_id: str) -> Any | None:
        everything = self._account.ec2.all_instances()
        return next((instance for instance in everything if instance.id == instance_id), None)

    def _member(self, instance_id: str) -> tuple[Any | None, Any]:
        backend = autoscaling_backends[self._account.id][self._account.region]
        for group in backend.autoscaling_groups.values():
            for state in group.instance_states:
                if state.instance.id == instance_id:
                    return group, state
        return None, None


def replace(group: Any) -> None:
    """Launches a replacement for each instance at risk that has none."""
    for member in members(group):
        at_risk = member.replacement == "" and member.lifecycle_state == IN_SERVICE
        if at_risk and does(group, "Launch") and (new := launches.launch(group)):
            member.replacement = new.instance.id


def settle(group: Any) -> None:
    """Ends instances whose replacement is in service, and replaces gone or unhealthy ones."""
    running = {state.instance.id for state in in_service(group) if state.instance.is_running()}
    for member in members(group):
        if member.replacement in running and member.lifecycle_state == IN_SERVICE:
            endings.end(group, member)
    replace(group)
    if does(group, "HealthCheck") and does(group, "ReplaceUnhealthy"):
        for state in in_service(group):
            if not state.instance.is_running() or state.health_status == "Unhealthy":
                endings.end(group, state)
    launches.fill(group)
