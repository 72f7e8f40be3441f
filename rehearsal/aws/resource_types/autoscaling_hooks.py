"""Lifecycle hooks of an existing Auto Scaling group."""

from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    ResourceType,
    Retry,
    call,
    prop,
)

# The same request makes a hook, and changes one of that name: of the group's first hooks too.
_PUT = call("PutLifecycleHook")

LIFECYCLE_HOOK = ResourceType(
    token="aws:autoscaling/lifecycleHook:LifecycleHook",
    service="autoscaling",
    retries=(
        Retry("ValidationError", 5, ("Unable to publish test message to notification target",)),
    ),
    properties={
        "name": prop(REPLACES, api="LifecycleHookName", autoname=255),
        "autoscalingGroupName": prop(
            REQUIRED,
            api="AutoScalingGroupName",
            refers_to="aws:autoscaling/group:Group",
        ),
        "lifecycleTransition": prop(
            REQUIRED,
            one_of=("autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING"),
        ),
        "defaultResult": prop(COMPUTED, one_of=("CONTINUE", "ABANDON")),
        "heartbeatTimeout": prop(within=(30, 7200)),
    },
    id="{name}",
    create=(_PUT,),
    read=(
        call(
            "DescribeLifecycleHooks",
            takes=("autoscalingGroupName",),
            LifecycleHookNames=["{id}"],
            at="LifecycleHooks[0]",
        ),
    ),
    # Another group gets the hook, and the old group keeps its own.
    update=(_PUT,),
    delete=(
        call("DeleteLifecycleHook", takes=("autoscalingGroupName",), LifecycleHookName="{id}"),
    ),
)

PAGE = (LIFECYCLE_HOOK,)
