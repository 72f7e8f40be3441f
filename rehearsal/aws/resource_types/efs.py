"""EFS: file systems and their mount targets."""

from rehearsal.aws.provider.codecs import TAG_PAIRS
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNORDERED,
    Ready,
    ResourceType,
    Text,
    Timeouts,
    When,
    call,
    prop,
)
from rehearsal.aws.resource_types.tags import retag

FILE_SYSTEM = ResourceType(
    token="aws:efs/fileSystem:FileSystem",
    service="efs",
    properties={
        "creationToken": prop(REPLACES, autoname=255),
        "encrypted": prop(REPLACES, COMPUTED),
        "kmsKeyId": prop(REPLACES, COMPUTED),
        "performanceMode": prop(REPLACES, COMPUTED),
        "throughputMode": prop(default="bursting"),
        "lifecyclePolicies": prop(
            UNORDERED,
            cleared=[],
            names={"transitionToIa": "TransitionToIA"},
        ),
        "tags": prop(EXACT, api="Tags", codec=TAG_PAIRS),
    },
    rules=(
        lambda inputs: (
            "kmsKeyId can only be given with encrypted: true"
            if inputs.get("kmsKeyId") and not inputs.get("encrypted")
            else None
        ),
    ),
    id="FileSystemId",
    create=(call("CreateFileSystem"),),
    read=(
        call("DescribeFileSystems", takes=(), FileSystemId="{id}", at="FileSystems[0]"),
        call("DescribeLifecycleConfiguration", FileSystemId="{id}"),
    ),
    update=(
        When(("throughputMode",), call("UpdateFileSystem", FileSystemId="{id}")),
        When(
            ("lifecyclePolicies",),
            call("PutLifecycleConfiguration", FileSystemId="{id}"),
            at_create=True,
        ),
        retag(
            call("TagResource", takes=(), ResourceId="{id}", Tags="{tags}"),
            call("UntagResource", takes=(), ResourceId="{id}", TagKeys="{goneTags}"),
        ),
    ),
    delete=(call("DeleteFileSystem", FileSystemId="{id}"),),
    ready=Ready(
        "LifeCycleState",
        states=("available",),
        pending=("creating", "updating", "deleting"),
        gone=("deleted",),
    ),
    outputs={
        "arn": "FileSystemArn",
        "dnsName": Text("{id}.efs.{region}.amazonaws.com"),
        "name": "Name",
        "numberOfMountTargets": "NumberOfMountTargets",
        "ownerId": "OwnerId",
    },
)

MOUNT_TARGET = ResourceType(
    token="aws:efs/mountTarget:MountTarget",
    service="efs",
    timeouts=Timeouts(create=30, delete=10),
    properties={
        "fileSystemId": prop(REQUIRED, REPLACES, refers_to="aws:efs/fileSystem:FileSystem"),
        "subnetId": prop(REQUIRED, REPLACES),
        "ipAddress": prop(REPLACES, COMPUTED),
        "securityGroups": prop(COMPUTED, UNORDERED),
    },
    id="MountTargetId",
    create=(call("CreateMountTarget"),),
    read=(
        call("DescribeMountTargets", takes=(), MountTargetId="{id}", at="MountTargets[0]"),
        call("DescribeMountTargetSecurityGroups", MountTargetId="{id}"),
    ),
    update=(
        When(
            ("securityGroups",),
            call("ModifyMountTargetSecurityGroups", MountTargetId="{id}"),
        ),
    ),
    delete=(call("DeleteMountTarget", MountTargetId="{id}"),),
    ready=Ready(
        "LifeCycleState",
        states=("available",),
        pending=("creating", "updating", "deleting"),
        gone=("deleted",),
    ),
    # A zone has one mount target of a file system.
    delete_first=True,
    outputs={
        "availabilityZoneId": "AvailabilityZoneId",
        "availabilityZoneName": "AvailabilityZoneName",
        "dnsName": Text("{FileSystemId}.efs.{region}.amazonaws.com"),
        "mountTargetDnsName": Text(
            "{AvailabilityZoneName}.{FileSystemId}.efs.{region}.amazonaws.com"
        ),
        "networkInterfaceId": "NetworkInterfaceId",
        "ownerId": "OwnerId",
    },
)

PAGE = (FILE_SYSTEM, MOUNT_TARGET)
