"""Auto Scaling groups."""

from collections.abc import Iterable

from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    UNREAD,
    Codec,
    ResourceType,
    Values,
    When,
    call,
    exactly_one,
    prop,
)

COMMA_SEPARATED = Codec(to_api=",".join, from_api=lambda text: text.split(",") if text else None)
LAUNCH_TEMPLATE = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
SETTINGS = (
    "defaultCooldown",
    "desiredCapacity",
    "healthCheckGracePeriod",
    "healthCheckType",
    "instanceMaintenancePolicy",
    "launchTemplate",
    "maxSize",
    "minSize",
    "vpcZoneIdentifiers",
)
"""What one request changes."""
NEW_INSTANCES = ("launchTemplate", "vpcZoneIdentifiers")
"""What makes the provider begin an instance refresh where the program asks for refreshes."""


def _from_tags(tags: Iterable[Values]) -> list[Values]:
    return [
        {
            "key": tag["Key"],
            "value": tag.get("Value", ""),
            "propagateAtLaunch": tag["PropagateAtLaunch"],
        }
        for tag in tags
    ]


def _retag(running: Running) -> None:
    of: Values = {"resourceId": running.id, "resourceType": "auto-scaling-group"}
    wanted, had = as_list(running.inputs.get("tags")), as_list(running.old.get("tags"))
    kept = {tag["key"] for tag in wanted}
    if gone := [of | tag for tag in had if tag["key"] not in kept]:
        running.do(call("DeleteTags", takes=(), Tags=gone))
    if wanted:
        running.do(call("CreateOrUpdateTags", takes=(), Tags=[of | tag for tag in wanted]))


def _update(running: Running) -> None:
    # What did not change is not sent: an autoscaler may have set another size meanwhile.
    changed = [n for n in SETTINGS if running.inputs.get(n) != running.old.get(n)]
    running.do(call("UpdateAutoScalingGroup", takes=("name", *changed)))


def _refresh(running: Running) -> None:
    if refresh := as_object(running.inputs.get("instanceRefresh")):
        asked = {"Strategy": refresh.get("strategy"), "Preferences": refresh.get("preferences")}
        given = {name: value for name, value in asked.items() if value}
        running.do(call("StartInstanceRefresh", takes=("name",), **given))


def _empty(running: Running) -> None:
    if not running.inputs.get("forceDelete"):
        nothing = dict.fromkeys(("MinSize", "MaxSize", "DesiredCapacity"), 0)
        running.api("UpdateAutoScalingGroup", AutoScalingGroupName=running.id, **nothing)
        while running.refresh() and running.description.get("Instances"):
            running.pause()


def _sizes(inputs: Values) -> str | None:
    low, wanted, high = (inputs.get(n) for n in ("minSize", "desiredCapacity", "maxSize"))
    if low is None or high is None or low <= (low if wanted is None else wanted) <= high:
        return None
    return (
        "ValidationError: minSize <= desiredCapacity <= maxSize must hold "
        f"(got {low}, {wanted}, {high})"
    )


TAGS = Codec(to_api=list, from_api=_from_tags, inside=True)
GROUP = ResourceType(
    token="aws:autoscaling/group:Group",
    service="autoscaling",
    properties={
        "name": prop(REPLACES, api="AutoScalingGroupName", autoname=255),
        "minSize": prop(REQUIRED),
        "maxSize": prop(REQUIRED),
        "desiredCapacity": prop(COMPUTED),
        "defaultCooldown": prop(COMPUTED),
        "healthCheckGracePeriod": prop(default=300),
        "healthCheckType": prop(COMPUTED),
        "launchTemplate": prop(names=LAUNCH_TEMPLATE),
        "vpcZoneIdentifiers": prop(
            COMPUTED,
            UNORDERED,
            api="VPCZoneIdentifier",
            codec=COMMA_SEPARATED,
            refers_to="aws:ec2/subnet:Subnet",
        ),
        "instanceMaintenancePolicy": prop(UNREAD),
        "instanceRefresh": prop(UNREAD),
        "forceDelete": prop(UNREAD, default=False),
        "waitForCapacityTimeout": prop(UNREAD, default="10m"),
        "tags": prop(UNORDERED, api="Tags", codec=TAGS),
    },
    rules=(exactly_one("launchTemplate"), exactly_one("vpcZoneIdentifiers"), _sizes),
    id="{name}",
    create=(call("CreateAutoScalingGroup", takes=("name", "tags", *SETTINGS)),),
    read=(
        call(
            "DescribeAutoScalingGroups",
            takes=(),
            AutoScalingGroupNames=["{id}"],
            at="AutoScalingGroups[0]",
        ),
    ),
    update=(When(SETTINGS, _update), When(("tags",), _retag), When(NEW_INSTANCES, _refresh)),
    delete=(_empty, call("DeleteAutoScalingGroup")),
    default_tags=False,
    outputs={"arn": "AutoScalingGroupARN", "availabilityZones": "AvailabilityZones"},
)

PAGE = (GROUP,)
