"""Route tables, their routes and whose they are."""

import zlib

from rehearsal.aws.provider.account import AwsError
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    REQUIRED,
    ResourceType,
    Retry,
    Text,
    Timeouts,
    Values,
    call,
    exactly_one,
    prop,
)

ROUTE_TABLE = ResourceType(
    token="aws:ec2/routeTable:RouteTable",
    service="ec2",
    timeouts=Timeouts(create=5, update=2, delete=5),
    retries=(
        Retry("InvalidParameterException", 5),
        Retry("InvalidTransitGatewayID.NotFound", 5),
    ),
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


_DESTINATIONS = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")


def _route_id(inputs: Values) -> str:
    destination = next(str(inputs[name]) for name in _DESTINATIONS if inputs.get(name))
    return f"r-{inputs['routeTableId']}{zlib.crc32(destination.encode())}"


def _refuse_a_second_route(running: Running) -> None:
    # The provider looks before it asks; moto would put the new route in place of the old one.
    if running.refresh():
        inputs = running.inputs
        destination = next(inputs[name] for name in _DESTINATIONS if inputs.get(name))
        raise AwsError(
            "RouteAlreadyExists",
            f"Route in Route Table ({inputs['routeTableId']}) with destination ({destination}) "
            "already exists",
        )


def _refuse_a_second_table(running: Running) -> None:
    # As EC2 does: moto gives the old association again, whatever its table is.
    if running.refresh():
        raise AwsError(
            "Resource.AlreadyAssociated",
            f"the specified association for route table {running.inputs['routeTableId']} "
            f"conflicts with an existing association of {running.inputs['subnetId']}",
        )


ROUTE = ResourceType(
    token="aws:ec2/route:Route",
    service="ec2",
    timeouts=Timeouts(create=5, update=2, delete=5),
    retries=(
        Retry("InvalidParameterException", 5),
        Retry("InvalidTransitGatewayID.NotFound", 5),
    ),
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
        exactly_one(*_DESTINATIONS),
        exactly_one(
            "gatewayId",
            "natGatewayId",
            "networkInterfaceId",
            "transitGatewayId",
            "vpcPeeringConnectionId",
        ),
    ),
    id=_route_id,
    before=(_refuse_a_second_route,),
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
            takes=("routeTableId", *_DESTINATIONS),
        ),
    ),
    delete_retries=(Retry("InvalidParameterException", 5),),
    outputs={"origin": "Origin", "state": "State", "instanceId": "InstanceId"},
)

ROUTE_TABLE_ASSOCIATION = ResourceType(
    token="aws:ec2/routeTableAssociation:RouteTableAssociation",
    service="ec2",
    timeouts=Timeouts(create=5, update=2, delete=5),
    retries=(Retry("InvalidRouteTableID.NotFound", 5),),
    properties={
        "routeTableId": prop(REQUIRED, refers_to="aws:ec2/routeTable:RouteTable"),
        "subnetId": prop(REPLACES, refers_to="aws:ec2/subnet:Subnet"),
    },
    rules=(exactly_one("subnetId"),),
    id="AssociationId",
    before=(_refuse_a_second_table,),
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
)

PAGE = (ROUTE_TABLE, ROUTE, ROUTE_TABLE_ASSOCIATION)
