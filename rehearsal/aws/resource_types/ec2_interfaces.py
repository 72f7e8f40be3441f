"""Network interfaces that are made by themselves."""

from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    EXACT,
    REPLACES,
    REQUIRED,
    UNORDERED,
    Call,
    ResourceType,
    When,
    call,
    prop,
)


def _modified(name: str, api: str, template: object, *, at_create: bool = False) -> When:
    parameters = {"NetworkInterfaceId": "{id}", api: template}
    step = Call("ModifyNetworkInterfaceAttribute", parameters, takes=())
    return When((name,), step, at_create=at_create)


def _detach(running: Running) -> None:
    if attachment := as_object(running.description.get("Attachment")).get("AttachmentId"):
        running.api("DetachNetworkInterface", AttachmentId=attachment, Force=True)


NETWORK_INTERFACE = ResourceType(
    token="aws:ec2/networkInterface:NetworkInterface",
    service="ec2",
    properties={
        "subnetId": prop(REQUIRED, REPLACES, refers_to="aws:ec2/subnet:Subnet"),
        "description": prop(),
        "securityGroups": prop(
            COMPUTED,
            UNORDERED,
            api="Groups",
            at="Groups[].GroupId",
            refers_to="aws:ec2/securityGroup:SecurityGroup",
        ),
        "sourceDestCheck": prop(default=True),
        "tags": prop(EXACT, api="Tags", at="TagSet", codec=TAGS.codec),
    },
    id="NetworkInterfaceId",
    create=(call("CreateNetworkInterface", at="NetworkInterface", **tagged("network-interface")),),
    read=(
        call("DescribeNetworkInterfaces", NetworkInterfaceIds=["{id}"], at="NetworkInterfaces[0]"),
    ),
    update=(
        _modified("description", "Description", {"Value": "{description}"}),
        _modified("securityGroups", "Groups", "{securityGroups}"),
        _modified(
            "sourceDestCheck", "SourceDestCheck", {"Value": "{sourceDestCheck}"}, at_create=True
        ),
        RETAG,
    ),
    delete=(_detach, call("DeleteNetworkInterface", takes=(), NetworkInterfaceId="{id}")),
    outputs={
        "arn": ec2_arn("network-interface"),
        "macAddress": "MacAddress",
        "ownerId": "OwnerId",
        "privateDnsName": "PrivateDnsName",
        "privateIp": "PrivateIpAddress",
        "privateIps": "PrivateIpAddresses[].PrivateIpAddress",
    },
)

PAGE = (NETWORK_INTERFACE,)
