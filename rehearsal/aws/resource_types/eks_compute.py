"""What runs in an EKS cluster and on what: add-ons, Fargate profiles, node groups."""

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
    Values,
    When,
    call,
    prop,
)

ADDON = ResourceType(
    token="aws:eks/addon:Addon",
    service="eks",
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
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "fargateProfileName": prop(REPLACES, autoname=100),
        "podExecutionRoleArn": prop(REQUIRED, REPLACES),
        "selectors": prop(REQUIRED, REPLACES, UNORDERED, EXACT),
        "subnetIds": prop(REPLACES, COMPUTED, UNORDERED, api="subnets"),
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
    old, new = running.old, running.inputs
    request: Values = {"clusterName": new["clusterName"], "nodegroupName": new["nodeGroupName"]}
    labels, before = as_object(new.get("labels")), as_object(old.get("labels"))
    if labels != before:
        gone = [key for key in before if key not in labels]
        request["labels"] = {"addOrUpdateLabels": labels, "removeLabels": gone}
    taints, had = as_list(new.get("taints")), as_list(old.get("taints"))
    if taints != had:
        removed = [taint for taint in had if taint not in taints]
        request["taints"] = {"addOrUpdateTaints": taints, "removeTaints": removed}
    for name in ("scalingConfig", "updateConfig", "nodeRepairConfig"):
        if new.get(name) != old.get(name) and new.get(name) is not None:
            request[name] = new[name]
    running.api("UpdateNodegroupConfig", **request)


def _update_group_version(running: Running) -> None:
    new = running.inputs
    request = {name: new[name] for name in ("version", "releaseVersion") if new.get(name)}
    if template := new.get("launchTemplate"):
        request["launchTemplate"] = template
    if new.get("forceUpdateVersion"):
        request["force"] = True
    running.api(
        "UpdateNodegroupVersion",
        clusterName=new["clusterName"],
        nodegroupName=new["nodeGroupName"],
        **request,
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
    properties={
        "clusterName": prop(REQUIRED, REPLACES),
        "nodeGroupName": prop(REPLACES, autoname=63),
        "nodeRoleArn": prop(REQUIRED, REPLACES, api="nodeRole"),
        "subnetIds": prop(REQUIRED, REPLACES, UNORDERED, api="subnets"),
        "scalingConfig": prop(REQUIRED),
        "amiType": prop(REPLACES, COMPUTED),
        "capacityType": prop(REPLACES, COMPUTED),
        "diskSize": prop(REPLACES, COMPUTED),
        "instanceTypes": prop(REPLACES, COMPUTED),
        "labels": prop(EXACT),
        "launchTemplate": prop(replaces_when=field_changed("id")),
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
