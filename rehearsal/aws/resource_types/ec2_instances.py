"""Single instances."""

import base64
from typing import Any

from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    UNORDERED,
    UNREAD,
    Call,
    Codec,
    Ready,
    ResourceType,
    Retry,
    Timeouts,
    Values,
    When,
    call,
    exactly_one,
    prop,
)

# EC2 tells the profile's ARN and the text in base64; botocore encodes what is sent.
PROFILE = Codec(to_api=lambda name: name, from_api=lambda arn: arn.rpartition("/")[2] or None)
USER_DATA = Codec(
    to_api=lambda text: text,
    from_api=lambda encoded: base64.b64decode(encoded).decode(errors="replace") or None,
)
ROOT_AS_READ = (
    "Root && {VolumeSize: Root.Size, VolumeType: Root.VolumeType, Encrypted: Root.Encrypted, "
    "DeleteOnTermination: BlockDeviceMappings[?DeviceName=='{RootDeviceName}']"
    ".Ebs.DeleteOnTermination | [0]}"
)


def _encryption_changed(old: Any, new: Any) -> bool:
    before, after = as_object(old), as_object(new)
    return any(
        after.get(name) is not None and before.get(name) != after[name]
        for name in ("encrypted", "kmsKeyId")
    )


def _replaced_by_user_data(inputs: Values) -> bool:
    return bool(inputs.get("userDataReplaceOnChange"))


def _set_user_data(running: Running) -> None:
    # moto wants here what EC2 takes as it is: the text, in base64, which botocore encodes again.
    text = str(running.inputs.get("userData") or "")
    _while_stopped(running, UserData={"Value": base64.b64encode(text.encode())})


def _set_type(running: Running) -> None:
    _while_stopped(running, InstanceType={"Value": running.inputs["instanceType"]})


def _while_stopped(running: Running, **attribute: Any) -> None:
    running.api("StopInstances", InstanceIds=[running.id])
    running.api("ModifyInstanceAttribute", InstanceId=running.id, **attribute)
    running.api("StartInstances", InstanceIds=[running.id])


def _set_groups(running: Running) -> None:
    running.api(
        "ModifyNetworkInterfaceAttribute",
        NetworkInterfaceId=running.description["NetworkInterfaces"][0]["NetworkInterfaceId"],
        Groups=running.inputs["vpcSecurityGroupIds"],
    )


def _set_profile(running: Running) -> None:
    # Not by ReplaceIamInstanceProfileAssociation: moto's instance then tells the old profile.
    of = [{"Name": "instance-id", "Values": [running.id]}]
    response = running.api("DescribeIamInstanceProfileAssociations", Filters=of)
    for there in response["IamInstanceProfileAssociations"]:
        running.api("DisassociateIamInstanceProfile", AssociationId=there["AssociationId"])
    profile = {"Name": running.inputs["iamInstanceProfile"]}
    running.api("AssociateIamInstanceProfile", InstanceId=running.id, IamInstanceProfile=profile)


def _set_metadata_options(running: Running) -> None:
    options = as_object(running.inputs.get("metadataOptions"))
    wanted = {f"{name[:1].upper()}{name[1:]}": value for name, value in options.items()}
    running.do(Call("ModifyInstanceMetadataOptions", {"InstanceId": "{id}", **wanted}, takes=()))


def _set_root_disk(running: Running) -> None:
    disk = as_object(running.inputs.get("rootBlockDevice"))
    wanted = {"Size": disk.get("volumeSize"), "VolumeType": disk.get("volumeType")}
    running.api(
        "ModifyVolume",
        VolumeId=running.description["Root"]["VolumeId"],
        **{name: value for name, value in wanted.items() if value is not None},
    )


INSTANCE = ResourceType(
    token="aws:ec2/instance:Instance",
    service="ec2",
    timeouts=Timeouts(create=10, update=10, delete=20),
    retries=(
        Retry(
            "InvalidParameterValue",
            2,
            (
                "Invalid IAM Instance Profile",
                " has no associated IAM Roles",
            ),
        ),
    ),
    properties={
        "ami": prop(REPLACES, COMPUTED, api="ImageId"),
        "instanceType": prop(COMPUTED),
        "subnetId": prop(REPLACES, COMPUTED, refers_to="aws:ec2/subnet:Subnet"),
        "vpcSecurityGroupIds": prop(
            COMPUTED,
            UNORDERED,
            at="NetworkInterfaces[0].Groups[].GroupId",
            refers_to="aws:ec2/securityGroup:SecurityGroup",
        ),
        "associatePublicIpAddress": prop(REPLACES, COMPUTED, UNREAD),
        "iamInstanceProfile": prop(COMPUTED, at="IamInstanceProfile.Arn", codec=PROFILE),
        "keyName": prop(REPLACES, COMPUTED),
        "metadataOptions": prop(
            COMPUTED, defaults_inside={"httpEndpoint": "enabled", "httpProtocolIpv6": "disabled"}
        ),
        "rootBlockDevice": prop(
            COMPUTED,
            at=ROOT_AS_READ,
            defaults_inside={"deleteOnTermination": True},
            replaces_when=_encryption_changed,
        ),
        "userData": prop(
            api="UserData",
            at="UserData.Value",
            codec=USER_DATA,
            replaces_if=_replaced_by_user_data,
        ),
        "userDataReplaceOnChange": prop(UNREAD, default=False),
        "tags": TAGS,
    },
    rules=(exactly_one("ami"), exactly_one("instanceType")),
    before=(call("DescribeImages", takes=(), ImageIds=["{ami}"], at="Images[0]"),),
    id="InstanceId",
    create=(
        call(
            "RunInstances",
            takes=("ami", "instanceType", "keyName", "metadataOptions", "userData"),
            MinCount=1,
            MaxCount=1,
            NetworkInterfaces=[
                {
                    "DeviceIndex": 0,
                    "SubnetId": "{subnetId?}",
                    "Groups": "{vpcSecurityGroupIds?}",
                    "AssociatePublicIpAddress": "{associatePublicIpAddress?}",
                    "DeleteOnTermination": True,
                }
            ],
            IamInstanceProfile={"Name": "{iamInstanceProfile}"},
            BlockDeviceMappings=[{"DeviceName": "{RootDeviceName}", "Ebs": "{rootBlockDevice}"}],
            at="Instances[0]",
            **tagged("instance"),
        ),
    ),
    read=(
        call("DescribeInstances", InstanceIds=["{id}"], at="Reservations[0].Instances[0]"),
        call(
            "DescribeVolumes",
            Filters=[
                *where("attachment.instance-id"),
                *where("attachment.device", "{RootDeviceName}"),
            ],
            at="{Root: Volumes[0]}",
        ),
        call(
            "DescribeInstanceAttribute",
            InstanceId="{id}",
            Attribute="userData",
            at="{UserData: UserData}",
        ),
    ),
    update=(
        When(("instanceType",), _set_type),
        When(("userData",), _set_user_data),
        When(("vpcSecurityGroupIds",), _set_groups),
        When(("iamInstanceProfile",), _set_profile),
        When(("rootBlockDevice",), _set_root_disk),
        When(("metadataOptions",), _set_metadata_options),
        RETAG,
    ),
    delete=(call("TerminateInstances", takes=(), InstanceIds=["{id}"]),),
    ready=Ready(
        "State.Name",
        states=("running",),
        pending=("pending", "stopping", "stopped", "shutting-down"),
        gone=("terminated",),
        why="StateReason.Message",
    ),
    outputs={
        "arn": ec2_arn("instance"),
        "availabilityZone": "Placement.AvailabilityZone",
        "instanceState": "State.Name",
        "primaryNetworkInterfaceId": "NetworkInterfaces[0].NetworkInterfaceId",
        "privateDns": "PrivateDnsName",
        "privateIp": "PrivateIpAddress",
        "publicDns": "PublicDnsName",
        "publicIp": "PublicIpAddress",
    },
)

PAGE = (INSTANCE,)
