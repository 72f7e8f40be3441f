"""Auto Scaling groups."""

from collections.abc import Iterable

from rehearsal.aws.provider.account import AwsError
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types import autoscaling_rules
from rehearsal.aws.resource_types.autoscaling_waits import empty, wait_for_capacity
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    UNREAD,
    Codec,
    ResourceType,
    Retry,
    Timeouts,
    Values,
    When,
    call,
    exactly_one,
    prop,
)

COMMA_SEPARATED = Codec(to_api=",".join, from_api=lambda text: text.split(",") if text else None)
LAUNCH_TEMPLATE = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
REQUIREMENTS = {
    "acceleratorTotalMemoryMib": "AcceleratorTotalMemoryMiB",
    "memoryGibPerVcpu": "MemoryGiBPerVCpu",
    "memoryMib": "MemoryMiB",
    "totalLocalStorageGb": "TotalLocalStorageGB",
    "vcpuCount": "VCpuCount",
}
"""Names inside instanceRequirements."""
HOOK = {
    "name": "LifecycleHookName",
    "notificationTargetArn": "NotificationTargetARN",
    "roleArn": "RoleARN",
}
SETTINGS = (
    "capacityRebalance",
    "defaultCooldown",
    "desiredCapacity",
    "healthCheckGracePeriod",
    "healthCheckType",
    "instanceMaintenancePolicy",
    "launchTemplate",
    "maxInstanceLifetime",
    "maxSize",
    "minSize",
    "mixedInstancesPolicy",
    "terminationPolicies",
    "vpcZoneIdentifiers",
)
"""Properties that one request changes."""
NEW_INSTANCES = ("launchTemplate", "mixedInstancesPolicy", "vpcZoneIdentifiers")
"""Changes for which the provider starts an instance refresh, if the program asks for refreshes."""
IN_PROGRESS = "InstanceRefreshInProgress"
NOTHING_ACTIVE = "ActiveInstanceRefreshNotFound"


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
    if {"desiredCapacity", "minSize"} & set(changed):
        wait_for_capacity(running)


def _suspend(running: Running) -> None:
    had, wanted = (
        set(as_list(source.get("suspendedProcesses"))) for source in (running.old, running.inputs)
    )
    for operation, processes in (
        ("ResumeProcesses", had - wanted),
        ("SuspendProcesses", wanted - had),
    ):
        if processes:
            running.api(
                operation, AutoScalingGroupName=running.id, ScalingProcesses=sorted(processes)
            )


def _refresh(running: Running) -> None:
    refresh = as_object(running.inputs.get("instanceRefresh"))
    if not refresh:
        return
    settings = {"Strategy": refresh.get("strategy"), "Preferences": refresh.get("preferences")}
    start = call(
        "StartInstanceRefresh",
        takes=("name",),
        **{name: value for name, value in settings.items() if value},
    )
    try:
        running.do(start)
    except AwsError as error:
        if error.code != IN_PROGRESS:
            raise
        # As the real provider does: the newest template is the one to come.
        running.do(call("CancelInstanceRefresh", takes=("name",), tolerates=(NOTHING_ACTIVE,)))
        running.do(start)


TAGS = Codec(to_api=list, from_api=_from_tags, inside=True)
POLICIES = Codec(to_api=list, from_api=lambda names: None if names == ["Default"] else names)
GROUP = ResourceType(
    token="aws:autoscaling/group:Group",
    service="autoscaling",
    timeouts=Timeouts(update=10, delete=10),
    retries=(
        Retry("ValidationError", 2, ("Invalid IAM Instance Profile",)),
        Retry("ValidationError", 5, ("Unable to publish test message to notification target",)),
    ),
    properties={
        "name": prop(REPLACES, api="AutoScalingGroupName", autoname=255),
        "minSize": prop(REQUIRED),
        "maxSize": prop(REQUIRED),
        "desiredCapacity": prop(COMPUTED),
        "capacityRebalance": prop(cleared=False),
        "defaultCooldown": prop(COMPUTED),
        "healthCheckGracePeriod": prop(default=300),
        "healthCheckType": prop(COMPUTED),
        "initialLifecycleHooks": prop(
            REPLACES, UNREAD, UNORDERED, api="LifecycleHookSpecificationList", names=HOOK
        ),
        "launchTemplate": prop(COMPUTED, names=LAUNCH_TEMPLATE),
        "maxInstanceLifetime": prop(cleared=0),
        "mixedInstancesPolicy": prop(COMPUTED, names=REQUIREMENTS),
        "suspendedProcesses": prop(UNORDERED, at="SuspendedProcesses[].ProcessName"),
        "terminationPolicies": prop(codec=POLICIES, cleared=["Default"]),
        "vpcZoneIdentifiers": prop(
            COMPUTED,
            UNORDERED,
            api="VPCZoneIdentifier",
            codec=COMMA_SEPARATED,
            refers_to="aws:ec2/subnet:Subnet",
        ),
        "instanceMaintenancePolicy": prop(
            cleared={"minHealthyPercentage": -1, "maxHealthyPercentage": -1}
        ),
        "instanceRefresh": prop(UNREAD),
        "forceDelete": prop(UNREAD, default=False),
        "waitForCapacityTimeout": prop(UNREAD, default="10m"),
        "tags": prop(UNORDERED, api="Tags", codec=TAGS),
    },
    rules=(
        exactly_one("launchTemplate", "mixedInstancesPolicy"),
        exactly_one("vpcZoneIdentifiers"),
        *autoscaling_rules.RULES,
    ),
    id="{name}",
    create=(
        call("CreateAutoScalingGroup", takes=("name", "tags", "initialLifecycleHooks", *SETTINGS)),
        wait_for_capacity,
    ),
    read=(
        call(
            "DescribeAutoScalingGroups",
            takes=(),
            AutoScalingGroupNames=["{id}"],
            at="AutoScalingGroups[0]",
        ),
    ),
    update=(
        When(SETTINGS, _update),
        When(("suspendedProcesses",), _suspend, at_create=True),
        When(("tags",), _retag),
        When(NEW_INSTANCES, _refresh),
    ),
    delete=(empty, call("DeleteAutoScalingGroup")),
    delete_retries=(Retry("ResourceInUse", 10), Retry("ScalingActivityInProgress", 10)),
    default_tags=False,
    outputs={"arn": "AutoScalingGroupARN", "availabilityZones": "AvailabilityZones"},
)

PAGE = (GROUP,)
