"""Route tables, their routes and whose they are."""

import zlib

from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    ResourceType,
    Text,
    Values,
    call,
    exactly_one,
    prop,
)

ROUTE_TABLE = ResourceType(
    token="aws:ec2/routeTable:RouteTable",
    service="ec2",
    properties={
        "vpcId": prop(REQUIRED, REPLACES, refers_to="aws:ec2/vpc:Vpc"),
        "tags": TAGS,
    },
    id="RouteTableId",
    create=(call("CreateRouteTable", at="RouteTable", **tagged("route-table")),),
    read=(call("DescribeRouteTables", RouteTableIds=["{id}"], at="RouteTables[0]"),),
    update=(RETAG,),
    delete=(call("DeleteRouteTable", RouteTableId="{id}"),),
    outputs={
        "arn": ec2_arn("route-table"),
        "ownerId": Text("{account}"),
    },
)


def _route_id(inputs: Values) -> str:
    targets = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")
    destination = next(str(inputs[name]) for name in targets if inputs.get(name))
    return f"r-{inputs['routeTableId']}{zlib.crc32(destination.encode())}"


ROUTE = ResourceType(
    token="aws:ec2/route:Route",
    service="ec2",
    properties={
        "routeTableId": prop(REQUIRED, REPLACES, refers_to="aws:ec2/routeTable:RouteTable"),
        "destinationCidrBlock": prop(REPLACES),
        "destinationIpv6CidrBlock": prop(REPLACES),
        "destinationPrefixListId": prop(REPLACES),
        "gatewayId": prop(refers_to="aws:ec2/internetGateway:InternetGateway"),
        "natGatewayId": prop(refers_to="aws:ec2/natGateway:NatGateway"),
        "networkInterfaceId": prop(COMPUTED),
        "transitGatewayId": prop(),
        "vpcPeeringConnectionId": prop(),
    },
    rules=(
        exactly_one("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"),
        exactly_one(
            "gatewayId",
            "natGatewayId",
            "networkInterfaceId",
            "transitGatewayId",
            "vpcPeeringConnectionId",
        ),
    ),
    id=_route_id,
    create=(call("CreateRoute"),),
    read=(
        call(
            "DescribeRouteTables",
            RouteTableIds=["{routeTableId}"],
            at="RouteTables[0].Routes[?DestinationCidrBlock=='{destinationCidrBlock}' || "
            "DestinationIpv6CidrBlock=='{destinationIpv6CidrBlock}' || "
            "DestinationPrefixListId=='{destinationPrefixListId}'] | [0]",
        ),
    ),
    update=(call("ReplaceRoute"),),
    delete=(
        call(
            "DeleteRoute",
            takes=(
                "routeTableId",
                "destinationCidrBlock",
                "destinationIpv6CidrBlock",
                "destinationPrefixListId",
            ),
        ),
    ),
    outputs={"origin": "Origin", "state": "State", "instanceId": "InstanceId"},
    delete_first=True,
)

ROUTE_TABLE_ASSOCIATION = ResourceType(
    token="aws:ec2/routeTableAssociation:RouteTableAssociation",
    service="ec2",
    properties={
        "routeTableId": prop(REQUIRED, refers_to="aws:ec2/routeTable:RouteTable"),
        "subnetId": prop(REPLACES, refers_to="aws:ec2/subnet:Subnet"),
    },
    rules=(exactly_one("subnetId"),),
    id="AssociationId",
    create=(call("AssociateRouteTable"),),
    read=(
        call(
            "DescribeRouteTables",
            Filters=where("association.subnet-id", "{subnetId}"),
            at="RouteTables[0].Associations[?SubnetId=='{subnetId}'] | [0]",
        ),
    ),
    # AWS gives the association a new id then; what it reports now is what delete uses.
    update=(call("ReplaceRouteTableAssociation", AssociationId="{RouteTableAssociationId}"),),
    delete=(call("DisassociateRouteTable", AssociationId="{RouteTableAssociationId}"),),
    delete_first=True,
)

PAGE = (ROUTE_TABLE, ROUTE, ROUTE_TABLE_ASSOCIATION)
