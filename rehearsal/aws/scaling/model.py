"""Data of a group's instances that moto does not keep."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moto.autoscaling.models import InstanceState

IN_SERVICE = "InService"
WAITING = "Terminating:Wait"


@dataclass
class Action:
    """A hook's action that an ending instance waits for."""

    token: str
    seconds: float
    """The hook's heartbeat timeout."""
    deadline: float
    """End on the monotonic clock."""


class Member(InstanceState):
    """An instance of a group."""

    def __init__(self, group: Any, instance: Any, *, version: int, weight: int | None) -> None:
        """`version` is that of the launch template; `weight` is None where none is given."""
        instance.autoscaling_group = group  # moto reads it from there
        self.group = group
        super().__init__(
            instance, protected_from_scale_in=group.new_instances_protected_from_scale_in
        )
        self.version = version
        self.weighted_capacity = None if weight is None else str(weight)
        self.replacement: str | None = None
        """Id of the instance that was launched in its place; "" while there is none yet."""
        self.actions: dict[str, Action] = {}
        """Actions by the hook's name."""

    @property
    def launch_template(self) -> dict[str, Any] | None:
        """Launch template in DescribeAutoScalingInstances' form, with the version of the launch."""
        template = self.group.ec2_launch_template
        return {
            "LaunchTemplateId": template.id,
            "LaunchTemplateName": template.name,
            "Version": str(self.version),
        }


def members(group: Any) -> list[Member]:
    """Instances that the group launched itself, including ending ones."""
    return [state for state in group.instance_states if isinstance(state, Member)]


def weight_of(state: Any) -> int:
    """Weight of an instance in the desired capacity."""
    return int(getattr(state, "weighted_capacity", None) or 1)


def in_service(group: Any) -> list[Any]:
    """Instances that count: neither ending nor in standby."""
    return [state for state in group.instance_states if state.lifecycle_state == IN_SERVICE]


def capacity(group: Any) -> int:
    """Total weight in service."""
    return sum(map(weight_of, in_service(group)))


def does(group: Any, process: str) -> bool:
    """True if a scaling process is not suspended."""
    return process not in [suspended["ProcessName"] for suspended in group.suspended_processes]


def terminating_hooks(group: Any) -> Iterator[Any]:
    """Hooks that an ending instance waits for."""
    for hook in group.autoscaling_backend.describe_lifecycle_hooks(group.name):
        if hook.lifecycle_transition == "autoscaling:EC2_INSTANCE_TERMINATING":
            yield hook
