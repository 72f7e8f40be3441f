"""The ways out of a VPC: internet gateways, addresses, NAT."""

from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    InUse,
    Ready,
    ResourceType,
    Retry,
    Text,
    Timeouts,
    When,
    call,
    prop,
)

INTERNET_GATEWAY = ResourceType(
    token="aws:ec2/internetGateway:InternetGateway",
    service="ec2",
    timeouts=Timeouts(create=20, update=20, delete=20),
    retries=(Retry("InvalidInternetGatewayID.NotFound", 20),),
    properties={
        "vpcId": prop(COMPUTED, at="Attachments[0].VpcId", refers_to="aws:ec2/vpc:Vpc"),
        "tags": TAGS,
    },
    id="InternetGatewayId",
    create=(call("CreateInternetGateway", at="InternetGateway", **tagged("internet-gateway")),),
    read=(call("DescribeInternetGateways", InternetGatewayIds=["{id}"], at="InternetGateways[0]"),),
    update=(
        When(
            ("vpcId",),
            lambda run: (
                run.api("DetachInternetGateway", InternetGatewayId=run.id, VpcId=run.old["vpcId"])
                if run.old.get("vpcId")
                else None
            ),
        ),
        When(("vpcId",), call("AttachInternetGateway", InternetGatewayId="{id}"), at_create=True),
        RETAG,
    ),
    delete=(
        call("DetachInternetGateway", InternetGatewayId="{id}", tolerates=("Gateway.NotAttached",)),
        call("DeleteInternetGateway", InternetGatewayId="{id}"),
    ),
    delete_retries=(Retry("DependencyViolation", 20),),
    in_use=(
        # Public addresses in the VPC are mapped through it.
        InUse(
            call(
                "DescribeNatGateways",
                Filter=where("vpc-id", "{vpcId}"),
                at="NatGateways[?State=='available' && ConnectivityType!='private'].NatGatewayId",
            )
        ),
        InUse(
            call(
                "DescribeNetworkInterfaces",
                Filters=where("vpc-id", "{vpcId}"),
                at="NetworkInterfaces[?Association.PublicIp].NetworkInterfaceId",
            )
        ),
    ),
    outputs={"arn": ec2_arn("internet-gateway"), "ownerId": Text("{account}")},
)


def _lead_to_interface(running: Running) -> None:
    _take_from_interface(running)
    if interface := running.inputs.get("networkInterface"):
        running.api("AssociateAddress", AllocationId=running.id, NetworkInterfaceId=interface)


def _take_from_interface(running: Running) -> None:
    if association := running.description.get("AssociationId"):
        running.api("DisassociateAddress", AssociationId=association)


EIP = ResourceType(
    token="aws:ec2/eip:Eip",
    service="ec2",
    timeouts=Timeouts(update=5, delete=3),
    retries=(
        Retry("InvalidAllocationID.NotFound", 5),
        Retry("InvalidInstanceID", 5, ("pending instance",)),
    ),
    properties={
        "domain": prop(REPLACES, COMPUTED),
        "networkBorderGroup": prop(REPLACES, COMPUTED),
        "networkInterface": prop(
            COMPUTED,
            api="NetworkInterfaceId",
            refers_to="aws:ec2/networkInterface:NetworkInterface",
        ),
        "publicIpv4Pool": prop(REPLACES, COMPUTED),
        "tags": TAGS,
    },
    id="AllocationId",
    create=(
        call(
            "AllocateAddress",
            takes=("domain", "networkBorderGroup", "publicIpv4Pool"),
            **tagged("elastic-ip"),
        ),
    ),
    read=(call("DescribeAddresses", AllocationIds=["{id}"], at="Addresses[0]"),),
    update=(When(("networkInterface",), _lead_to_interface, at_create=True), RETAG),
    delete=(_take_from_interface, call("ReleaseAddress", takes=(), AllocationId="{id}")),
    in_use=(
        InUse(
            call(
                "DescribeAddresses",
                AllocationIds=["{id}"],
                # Where the program says so itself, the provider ends the association.
                at="Addresses[?AssociationId && NetworkInterfaceId!='{networkInterface}']"
                ".AssociationId",
            ),
            code="InvalidIPAddress.InUse",
        ),
        InUse(
            call(
                "DescribeNatGateways",
                at="NatGateways[?State=='available' && NatGatewayAddresses[?AllocationId=='{id}']]"
                ".NatGatewayId",
            ),
            code="InvalidIPAddress.InUse",
        ),
    ),
    outputs={
        "allocationId": "AllocationId",
        "arn": ec2_arn("elastic-ip"),
        "associationId": "AssociationId",
        "instance": "InstanceId",
        "privateIp": "PrivateIpAddress",
        "publicIp": "PublicIp",
    },
)


NAT_GATEWAY = ResourceType(
    token="aws:ec2/natGateway:NatGateway",
    service="ec2",
    timeouts=Timeouts(create=10, update=10, delete=30),
    properties={
        "subnetId": prop(REPLACES, refers_to="aws:ec2/subnet:Subnet"),
        "allocationId": prop(
            REPLACES, at="NatGatewayAddresses[0].AllocationId", refers_to="aws:ec2/eip:Eip"
        ),
        "connectivityType": prop(REPLACES, default="public"),
        "privateIp": prop(
            REPLACES, COMPUTED, api="PrivateIpAddress", at="NatGatewayAddresses[0].PrivateIp"
        ),
        "tags": TAGS,
    },
    rules=(
        lambda inputs: (
            "subnetId is required for a zonal NAT gateway"
            if inputs.get("subnetId") is None
            else None
        ),
        lambda inputs: (
            "allocationId is required for connectivityType public"
            if inputs.get("connectivityType") == "public" and inputs.get("allocationId") is None
            else None
        ),
        lambda inputs: (
            "allocationId cannot be given with connectivityType private"
            if inputs.get("connectivityType") == "private" and inputs.get("allocationId")
            else None
        ),
    ),
    id="NatGatewayId",
    create=(call("CreateNatGateway", at="NatGateway", **tagged("natgateway")),),
    read=(call("DescribeNatGateways", NatGatewayIds=["{id}"], at="NatGateways[0]"),),
    update=(RETAG,),
    delete=(call("DeleteNatGateway", NatGatewayId="{id}"),),
    ready=Ready(
        "State",
        states=("available",),
        pending=("pending", "deleting"),
        gone=("deleted",),
        why="FailureMessage",
    ),
    outputs={
        "associationId": "NatGatewayAddresses[0].AssociationId",
        "networkInterfaceId": "NatGatewayAddresses[0].NetworkInterfaceId",
        "publicIp": "NatGatewayAddresses[0].PublicIp",
    },
)

PAGE = (INTERNET_GATEWAY, EIP, NAT_GATEWAY)
