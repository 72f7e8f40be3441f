"""EKS add-ons, Fargate profiles and node groups."""

import time
from typing import Any

from rehearsal.aws.provider.account import AwsError
from rehearsal.aws.provider.codecs import JSON
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.eks_words import ISSUES, TAGS, field_changed, retagged
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNORDERED,
    UNREAD,
    Ready,
    ResourceType,
    Retry,
    Timeouts,
    Values,
    When,
    call,
    prop,
)

ADDON = ResourceType(
    token="aws:eks/addon:Addon",
    service="eks",
    timeouts=Timeouts(create=20, update=20, delete=40),
    retries=(
        Retry(
            "InvalidParameterException",
            2,
            (
                "CREATE_FAILED",
                "does not exist",
            ),
        ),
    ),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "addonName": prop(REQUIRED, REPLACES),
        "addonVersion": prop(COMPUTED),
        "configurationValues": prop(COMPUTED, codec=JSON, cleared="{}"),
        "podIdentityAssociations": prop(UNREAD, cleared=[]),
        "preserve": prop(UNREAD),
        "resolveConflictsOnCreate": prop(UNREAD, one_of=("NONE", "OVERWRITE")),
        "resolveConflictsOnUpdate": prop(UNREAD, one_of=("NONE", "OVERWRITE", "PRESERVE")),
        "serviceAccountRoleArn": prop(),
        "tags": TAGS,
    },
    id="{clusterName}:{addonName}",
    create=(call("CreateAddon", resolveConflicts="{resolveConflictsOnCreate}", at="addon"),),
    read=(call("DescribeAddon", at="addon"),),
    update=(
        When(
            (
                "addonVersion",
                "configurationValues",
                "podIdentityAssociations",
                "serviceAccountRoleArn",
            ),
            call("UpdateAddon", resolveConflicts="{resolveConflictsOnUpdate}"),
        ),
        retagged("{addonArn}"),
    ),
    delete=(call("DeleteAddon"),),
    ready=Ready(
        "status",
        states=("ACTIVE",),
        # A degraded add-on may still find its capacity: AWS's provider waits as well.
        pending=("CREATING", "UPDATING", "DEGRADED", "DELETING"),
        why=ISSUES,
    ),
    outputs={"arn": "addonArn", "createdAt": "createdAt", "modifiedAt": "modifiedAt"},
    changing=("modifiedAt",),
)

FARGATE_PROFILE = ResourceType(
    token="aws:eks/fargateProfile:FargateProfile",
    service="eks",
    timeouts=Timeouts(create=10, delete=10),
    retries=(
        Retry("InvalidParameterException", 2, ("Misconfigured PodExecutionRole Trust Policy",)),
    ),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "fargateProfileName": prop(REPLACES, autoname=255),
        "podExecutionRoleArn": prop(REQUIRED, REPLACES),
        "selectors": prop(REQUIRED, REPLACES, UNORDERED, EXACT),
        "subnetIds": prop(REPLACES, UNORDERED, api="subnets"),
        "tags": TAGS,
    },
    id="{clusterName}:{fargateProfileName}",
    create=(call("CreateFargateProfile", at="fargateProfile"),),
    read=(call("DescribeFargateProfile", at="fargateProfile"),),
    update=(retagged("{fargateProfileArn}"),),
    delete=(call("DeleteFargateProfile"),),
    ready=Ready("status", states=("ACTIVE",), pending=("CREATING", "DELETING"), why=ISSUES),
    # EKS makes and removes the profiles of a cluster one at a time.
    lock="fargate-profiles/{clusterName}",
    outputs={"arn": "fargateProfileArn", "status": "status"},
)


def _update_group(running: Running) -> None:
    """One UpdateNodegroupConfig: what changed of labels and taints, the other blocks as a whole.

    A changed scalingConfig carries minSize, maxSize and desiredSize together, also where the
    program ignores changes of desiredSize (the provider's update_behaviour in
    tests/data/provider/eks.yaml).
    """
    old, new = running.old, running.inputs
    request: Values = {"clusterName": new["clusterName"], "nodegroupName": new["nodeGroupName"]}
    labels, before = as_object(new.get("labels")), as_object(old.get("labels"))
    if labels != before:
        request["labels"] = {
            "addOrUpdateLabels": {k: v for k, v in labels.items() if before.get(k) != v},
            "removeLabels": [key for key in before if key not in labels],
        }
    taints, had = as_list(new.get("taints")), as_list(old.get("taints"))
    if taints != had:
        # EKS knows a taint by its key and effect: a new value updates it.
        stay = {(taint["key"], taint["effect"]) for taint in taints}
        request["taints"] = {
            "addOrUpdateTaints": [taint for taint in taints if taint not in had],
            "removeTaints": [t for t in had if (t["key"], t["effect"]) not in stay],
        }
    for name in ("scalingConfig", "updateConfig", "nodeRepairConfig"):
        if new.get(name) != old.get(name) and new.get(name) is not None:
            request[name] = new[name]
    _wait_for_update(running, running.api("UpdateNodegroupConfig", **request))


def _update_group_version(running: Running) -> None:
    """One UpdateNodegroupVersion: version and releaseVersion only if they changed.

    The launch template goes along whenever one is set, by its id if that is known (the
    provider's update_behaviour in tests/data/provider/eks.yaml).
    """
    old, new = running.old, running.inputs
    names = ("version", "releaseVersion")
    request = {n: new[n] for n in names if new.get(n) and new[n] != old.get(n)}
    if template := as_object(new.get("launchTemplate")):
        known_by = "id" if template.get("id") else "name"
        request["launchTemplate"] = {k: template[k] for k in (known_by, "version")}
    begun = running.api(
        "UpdateNodegroupVersion",
        clusterName=new["clusterName"],
        nodegroupName=new["nodeGroupName"],
        force=bool(new.get("forceUpdateVersion")),
        **request,
    )
    _wait_for_update(running, begun)


def _wait_for_update(running: Running, begun: Any) -> None:
    """Wait to the update's end. Raises AwsError with its errors unless it is Successful."""
    update = as_object(as_object(begun)["update"])
    of: Values = {"name": running.inputs["clusterName"], "updateId": update["id"]}
    of["nodegroupName"] = running.inputs["nodeGroupName"]
    deadline = time.monotonic() + running.timeout_seconds
    while update["status"] == "InProgress":
        if time.monotonic() > deadline:
            raise AwsError("Timeout", f"update {update['id']} of {running.id} is still InProgress")
        running.pause()
        update = as_object(as_object(running.api("DescribeUpdate", **of))["update"])
    if update["status"] != "Successful":
        errors = "; ".join(
            f"{', '.join(error.get('resourceIds', []))}: {error['errorCode']}: "
            f"{error['errorMessage']}"
            for error in as_list(update.get("errors"))
        )
        raise AwsError(
            "UnexpectedState",
            f"waiting for EKS Node Group ({running.id}) update ({update['id']}): unexpected state "
            f"'{update['status']}', wanted target 'Successful'. last error: {errors}",
        )


def _sizes(inputs: Values) -> str | None:
    size = as_object(inputs.get("scalingConfig"))
    low, wanted, high = (size.get(name) for name in ("minSize", "desiredSize", "maxSize"))
    if low is None or wanted is None or high is None or low <= wanted <= high:
        return None
    return (
        "InvalidParameterException: scalingConfig: minSize <= desiredSize <= maxSize must hold "
        f"(got {low}, {wanted}, {high})"
    )


_GROUP_UPDATES = ("labels", "nodeRepairConfig", "scalingConfig", "taints", "updateConfig")

NODE_GROUP = ResourceType(
    token="aws:eks/nodeGroup:NodeGroup",
    service="eks",
    timeouts=Timeouts(create=60, update=60, delete=60),
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "nodeGroupName": prop(REPLACES, autoname=255, longest=63),
        "nodeRoleArn": prop(REQUIRED, REPLACES, api="nodeRole"),
        "subnetIds": prop(REQUIRED, REPLACES, UNORDERED, api="subnets"),
        "scalingConfig": prop(REQUIRED),
        "amiType": prop(REPLACES, COMPUTED),
        "capacityType": prop(REPLACES, COMPUTED),
        "diskSize": prop(REPLACES, COMPUTED),
        "instanceTypes": prop(REPLACES, COMPUTED),
        "labels": prop(EXACT),
        "launchTemplate": prop(replaces_when=field_changed("id", "name")),
        "nodeRepairConfig": prop(COMPUTED),
        "releaseVersion": prop(COMPUTED),
        "remoteAccess": prop(REPLACES, names={"sourceSecurityGroupIds": "sourceSecurityGroups"}),
        "taints": prop(UNORDERED),
        "updateConfig": prop(COMPUTED),
        "version": prop(COMPUTED),
        "forceUpdateVersion": prop(UNREAD),
        "tags": TAGS,
    },
    rules=(_sizes,),
    id="{clusterName}:{nodeGroupName}",
    create=(call("CreateNodegroup", at="nodegroup"),),
    read=(call("DescribeNodegroup", at="nodegroup"),),
    update=(
        When(("version", "releaseVersion", "launchTemplate"), _update_group_version),
        When(_GROUP_UPDATES, _update_group),
        retagged("{nodegroupArn}"),
    ),
    delete=(call("DeleteNodegroup"),),
    ready=Ready(
        "status",
        states=("ACTIVE",),
        pending=("CREATING", "UPDATING", "DELETING"),
        why=ISSUES,
    ),
    outputs={
        "arn": "nodegroupArn",
        "resources": "[resources.{autoscalingGroups: autoScalingGroups, "
        "remoteAccessSecurityGroupId: remoteAccessSecurityGroup}]",
        "status": "status",
    },
)

PAGE = (ADDON, FARGATE_PROFILE, NODE_GROUP)
