"""VPCs and their subnets."""

from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    Call,
    InUse,
    ResourceType,
    Retry,
    Text,
    Timeouts,
    When,
    call,
    exactly_one,
    prop,
)


def _vpc_attribute(name: str, api: str) -> When:
    parameters = {"VpcId": "{id}", api: {"Value": f"{{{name}}}"}}
    return When((name,), Call("ModifyVpcAttribute", parameters, takes=()), at_create=True)


def _subnet_attribute(name: str, api: str) -> When:
    parameters = {"SubnetId": "{id}", api: {"Value": f"{{{name}}}"}}
    return When((name,), Call("ModifySubnetAttribute", parameters, takes=()), at_create=True)


def _needs_other_hosts(old: str, new: str) -> bool:
    # EC2 changes the tenancy of a VPC in one direction alone.
    return (old, new) != ("dedicated", "default")


VPC = ResourceType(
    token="aws:ec2/vpc:Vpc",
    service="ec2",
    retries=(Retry("UnsupportedOperation", 5, ("is not monitored by IPAM",)),),
    properties={
        "cidrBlock": prop(REPLACES, COMPUTED),
        "instanceTenancy": prop(default="default", replaces_when=_needs_other_hosts),
        "enableDnsSupport": prop(default=True, at="EnableDnsSupport.Value"),
        "enableDnsHostnames": prop(COMPUTED, at="EnableDnsHostnames.Value"),
        "enableNetworkAddressUsageMetrics": prop(
            COMPUTED, at="EnableNetworkAddressUsageMetrics.Value"
        ),
        "tags": TAGS,
    },
    rules=(exactly_one("cidrBlock"),),
    id="VpcId",
    create=(call("CreateVpc", at="Vpc", **tagged("vpc")),),
    read=(
        call("DescribeVpcs", VpcIds=["{id}"], at="Vpcs[0]"),
        call("DescribeVpcAttribute", VpcId="{id}", Attribute="enableDnsSupport"),
        call("DescribeVpcAttribute", VpcId="{id}", Attribute="enableDnsHostnames"),
        call("DescribeVpcAttribute", VpcId="{id}", Attribute="enableNetworkAddressUsageMetrics"),
        call(
            "DescribeSecurityGroups",
            Filters=[*where("vpc-id"), *where("group-name", "default")],
            at="{DefaultGroup: SecurityGroups[0].GroupId}",
        ),
        call(
            "DescribeNetworkAcls",
            Filters=[*where("vpc-id"), *where("default", "true")],
            at="{DefaultAcl: NetworkAcls[0].NetworkAclId}",
        ),
        call(
            "DescribeRouteTables",
            Filters=[*where("vpc-id"), *where("association.main", "true")],
            at="{MainTable: RouteTables[0].RouteTableId}",
        ),
    ),
    update=(
        _vpc_attribute("enableDnsSupport", "EnableDnsSupport"),
        _vpc_attribute("enableDnsHostnames", "EnableDnsHostnames"),
        _vpc_attribute("enableNetworkAddressUsageMetrics", "EnableNetworkAddressUsageMetrics"),
        When(
            ("instanceTenancy",),
            call("ModifyVpcTenancy", takes=("instanceTenancy",), VpcId="{id}"),
        ),
        RETAG,
    ),
    delete=(call("DeleteVpc", VpcId="{id}"),),
    delete_retries=(Retry("DependencyViolation", 5),),
    in_use=(
        InUse(call("DescribeSubnets", Filters=where("vpc-id"), at="Subnets[].SubnetId")),
        InUse(
            call(
                "DescribeInternetGateways",
                Filters=where("attachment.vpc-id"),
                at="InternetGateways[].InternetGatewayId",
            )
        ),
        InUse(
            call(
                "DescribeSecurityGroups",
                Filters=where("vpc-id"),
                at="SecurityGroups[?GroupName!='default'].GroupId",
            )
        ),
        InUse(
            call(
                "DescribeVpcEndpoints",
                Filters=where("vpc-id"),
                at="VpcEndpoints[?State!='deleted'].VpcEndpointId",
            )
        ),
    ),
    outputs={
        "arn": ec2_arn("vpc"),
        "ownerId": Text("{account}"),
        "dhcpOptionsId": "DhcpOptionsId",
        "defaultSecurityGroupId": "DefaultGroup",
        "defaultNetworkAclId": "DefaultAcl",
        "defaultRouteTableId": "MainTable",
        "mainRouteTableId": "MainTable",
    },
)

SUBNET = ResourceType(
    token="aws:ec2/subnet:Subnet",
    service="ec2",
    timeouts=Timeouts(create=10, delete=20),
    properties={
        "vpcId": prop(REQUIRED, REPLACES, refers_to="aws:ec2/vpc:Vpc"),
        "cidrBlock": prop(REPLACES, COMPUTED),
        "availabilityZone": prop(REPLACES, COMPUTED),
        "availabilityZoneId": prop(REPLACES, COMPUTED),
        "mapPublicIpOnLaunch": prop(default=False),
        "assignIpv6AddressOnCreation": prop(default=False),
        "tags": TAGS,
    },
    rules=(exactly_one("cidrBlock"),),
    id="SubnetId",
    create=(call("CreateSubnet", at="Subnet", **tagged("subnet")),),
    read=(call("DescribeSubnets", SubnetIds=["{id}"], at="Subnets[0]"),),
    update=(
        _subnet_attribute("mapPublicIpOnLaunch", "MapPublicIpOnLaunch"),
        _subnet_attribute("assignIpv6AddressOnCreation", "AssignIpv6AddressOnCreation"),
        RETAG,
    ),
    delete=(call("DeleteSubnet", SubnetId="{id}"),),
    delete_retries=(Retry("DependencyViolation", 20),),
    in_use=(
        InUse(
            call(
                "DescribeNetworkInterfaces",
                Filters=where("subnet-id"),
                at="NetworkInterfaces[].NetworkInterfaceId",
            )
        ),
        InUse(
            call(
                "DescribeNatGateways",
                Filter=where("subnet-id"),
                at="NatGateways[?State=='available'].NatGatewayId",
            )
        ),
    ),
    outputs={
        "arn": ec2_arn("subnet"),
        "ownerId": Text("{account}"),
    },
)

PAGE = (VPC, SUBNET)
