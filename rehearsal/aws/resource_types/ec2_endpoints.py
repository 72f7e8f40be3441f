"""VPC endpoints, and tags on things that are declared elsewhere."""

from rehearsal.aws.provider.account import AwsError
from rehearsal.aws.provider.codecs import POLICY
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    UNORDERED,
    Ready,
    ResourceType,
    Text,
    Timeouts,
    Values,
    When,
    call,
    exactly_one,
    prop,
)


def _modify_endpoint(running: Running) -> None:
    request: Values = {"VpcEndpointId": running.id}
    for ours, theirs in (
        ("routeTableIds", "RouteTableIds"),
        ("subnetIds", "SubnetIds"),
        ("securityGroupIds", "SecurityGroupIds"),
    ):
        old, new = set(running.old.get(ours) or []), set(running.inputs.get(ours) or [])
        if new - old:
            request[f"Add{theirs}"] = sorted(new - old)
        if old - new:
            request[f"Remove{theirs}"] = sorted(old - new)
    changed = {name for name in running.inputs if running.inputs[name] != running.old.get(name)}
    if "policy" in changed:
        request["PolicyDocument"] = POLICY.to_api(running.inputs["policy"])
    if "privateDnsEnabled" in changed:
        request["PrivateDnsEnabled"] = running.inputs["privateDnsEnabled"]
    running.api("ModifyVpcEndpoint", **request)


def _delete_endpoint(running: Running) -> None:
    response = running.api("DeleteVpcEndpoints", VpcEndpointIds=[running.id])
    for failure in response.get("Unsuccessful", []):
        raise AwsError(failure["Error"]["Code"], failure["Error"]["Message"])


def _is_no_interface(inputs: Values) -> bool:
    return inputs.get("vpcEndpointType") != "Interface"


VPC_ENDPOINT = ResourceType(
    token="aws:ec2/vpcEndpoint:VpcEndpoint",
    service="ec2",
    timeouts=Timeouts(create=10, update=10, delete=10),
    properties={
        "vpcId": prop(REQUIRED, REPLACES, refers_to="aws:ec2/vpc:Vpc"),
        "serviceName": prop(REPLACES),
        "vpcEndpointType": prop(REPLACES, default="Gateway"),
        "routeTableIds": prop(COMPUTED, UNORDERED, refers_to="aws:ec2/routeTable:RouteTable"),
        "subnetIds": prop(COMPUTED, UNORDERED, refers_to="aws:ec2/subnet:Subnet"),
        "securityGroupIds": prop(
            COMPUTED,
            UNORDERED,
            at="Groups[].GroupId",
            refers_to="aws:ec2/securityGroup:SecurityGroup",
        ),
        "privateDnsEnabled": prop(COMPUTED, replaces_if=_is_no_interface),
        "policy": prop(COMPUTED, api="PolicyDocument", codec=POLICY),
        "ipAddressType": prop(REPLACES, COMPUTED),
        "tags": TAGS,
    },
    rules=(
        exactly_one("serviceName"),
        lambda inputs: (
            "subnetIds and securityGroupIds are for vpcEndpointType Interface"
            if inputs.get("vpcEndpointType") == "Gateway"
            and (inputs.get("subnetIds") or inputs.get("securityGroupIds"))
            else None
        ),
        lambda inputs: (
            "routeTableIds are for vpcEndpointType Gateway"
            if inputs.get("vpcEndpointType") == "Interface" and inputs.get("routeTableIds")
            else None
        ),
    ),
    id="VpcEndpointId",
    create=(call("CreateVpcEndpoint", at="VpcEndpoint", **tagged("vpc-endpoint")),),
    read=(call("DescribeVpcEndpoints", VpcEndpointIds=["{id}"], at="VpcEndpoints[0]"),),
    update=(
        When(
            ("routeTableIds", "subnetIds", "securityGroupIds", "policy", "privateDnsEnabled"),
            _modify_endpoint,
        ),
        RETAG,
    ),
    delete=(_delete_endpoint,),
    ready=Ready(
        "State",
        states=("available", "Available"),
        pending=("pending", "Pending", "deleting", "Deleting"),
        gone=("deleted", "Deleted"),
    ),
    outputs={
        "arn": ec2_arn("vpc-endpoint"),
        "ownerId": Text("{account}"),
        "state": "State",
        "dnsEntries": "DnsEntries[].{dnsName: DnsName, hostedZoneId: HostedZoneId}",
        "networkInterfaceIds": "NetworkInterfaceIds",
        "requesterManaged": "RequesterManaged",
    },
)

TAG = ResourceType(
    token="aws:ec2/tag:Tag",
    service="ec2",
    properties={
        "resourceId": prop(REQUIRED, REPLACES),
        "key": prop(REQUIRED, REPLACES),
        "value": prop(REQUIRED),
    },
    id="{resourceId},{key}",
    create=(
        call("CreateTags", Resources=["{resourceId}"], Tags=[{"Key": "{key}", "Value": "{value}"}]),
    ),
    read=(
        call(
            "DescribeTags",
            Filters=[*where("resource-id", "{resourceId}"), *where("key", "{key}")],
            at="Tags[0]",
        ),
    ),
    update=(
        When(
            ("value",),
            call(
                "CreateTags",
                Resources=["{resourceId}"],
                Tags=[{"Key": "{key}", "Value": "{value}"}],
            ),
        ),
    ),
    delete=(call("DeleteTags", Resources=["{resourceId}"], Tags=[{"Key": "{key}"}]),),
)

PAGE = (VPC_ENDPOINT, TAG)
