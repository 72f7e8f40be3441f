"""Makes groups launch and end instances until the desired capacity is in service."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import logging
from collections import Counter
from typing import Any

from moto.autoscaling.models import ASG_NAME_TAG

from rehearsal.aws import moto_launches
from rehearsal.aws.scaling import capacity, endings
from rehearsal.aws.scaling.model import Member, does, in_service, members, weight_of
from rehearsal.aws.scaling.model import capacity as capacity_of


def set_desired_capacity(group: Any, wanted: int | None) -> None:
    """Sets the desired capacity, and launches and ends instances accordingly."""
    group.desired_capacity = group.min_size if wanted is None else wanted
    fill(group)
    if not does(group, "Terminate"):
        return
    while leaving := _superfluous(group):
        endings.end(group, leaving)


def fill(group: Any, extra: int = 0) -> list[Member]:
    """Launches what is missing, plus `extra`; returns the launched instances."""
    launched: list[Member] = []
    while does(group, "Launch") and capacity_of(group) < (group.desired_capacity or 0) + extra:
        member = launch(group)
        if member is None:
            break
        launched.append(member)
    return launched


def launch(group: Any) -> Member | None:
    """Launches one more instance; None if no type of the group is available."""
    version = group.ec2_launch_template.get_version(group.launch_template_version)
    choice = capacity.choose(group, version)
    if choice is None:
        logging.getLogger(__name__).warning(
            "%s cannot launch: no type of it fits image %s, zone and price",
            group.name,
            version.image_id,
        )
        return None
    tags = {**group.get_propagated_tags(), ASG_NAME_TAG: group.name}
    instance = moto_launches.run(group, version, tags, choice)
    member = Member(group, instance, version=version.number, weight=choice.weight)
    group.instance_states.append(member)
    return member


def _superfluous(group: Any) -> Any | None:
    """Next instance to end by AWS's default policy; None if there is none."""
    there = in_service(group)
    too_much = capacity_of(group) - (group.desired_capacity or 0)
    free = [s for s in there if not s.protected_from_scale_in and weight_of(s) <= too_much]
    if not free:
        return None
    zones = Counter(state.availability_zone for state in there)
    order = {state.instance.id: place for place, state in enumerate(group.instance_states)}
    replaced = {m.instance.id for m in members(group) if m.replacement}
    return min(
        free,
        key=lambda state: (
            state.instance.id not in replaced,
            -zones[state.availability_zone],
            getattr(state, "version", 0),
            order[state.instance.id],
        ),
    )
