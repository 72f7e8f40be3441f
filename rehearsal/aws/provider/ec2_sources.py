"""Data sources of EC2."""

from collections.abc import Mapping
from typing import Any

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list
from rehearsal.aws.provider.shapes import from_api
from rehearsal.aws.provider.source import DataSource, filters_of, single
from rehearsal.aws.resource_types.entry import Values


def _zones(account: Account, arguments: Values) -> Values:
    filters = filters_of(arguments)
    if state := arguments.get("state"):
        filters.append({"Name": "state", "Values": [state]})
    parameters: Values = {"Filters": filters} if filters else {}
    if arguments.get("allAvailabilityZones"):
        parameters["AllAvailabilityZones"] = True
    zones = account.request("ec2", "DescribeAvailabilityZones", parameters)["AvailabilityZones"]
    left_out = {*as_list(arguments.get("excludeNames")), *as_list(arguments.get("excludeZoneIds"))}
    zones = [z for z in zones if not {z["ZoneName"], z["ZoneId"]} & left_out]
    zones.sort(key=lambda zone: zone["ZoneName"])
    return {
        "id": account.region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": sorted({zone.get("GroupName") or account.region for zone in zones}),
    }


def _vpc(account: Account, arguments: Values) -> Values:
    parameters: Values = {"VpcIds": [arguments["id"]]} if arguments.get("id") else {}
    filters = filters_of(arguments)
    for ours, theirs in (("default", "isDefault"), ("cidrBlock", "cidr"), ("state", "state")):
        if arguments.get(ours) is not None:
            value = arguments[ours]
            text = str(value).lower() if isinstance(value, bool) else value
            filters.append({"Name": theirs, "Values": [text]})
    if filters:
        parameters["Filters"] = filters
    vpc = single("EC2 VPC", account.request("ec2", "DescribeVpcs", parameters)["Vpcs"], arguments)
    return _described(vpc, account, "vpc", vpc["VpcId"]) | {"default": vpc.get("IsDefault")}


def _subnet(account: Account, arguments: Values) -> Values:
    parameters: Values = {"SubnetIds": [arguments["id"]]} if arguments.get("id") else {}
    filters = filters_of(arguments)
    for ours, theirs in (
        ("availabilityZone", "availability-zone"),
        ("cidrBlock", "cidr-block"),
        ("vpcId", "vpc-id"),
    ):
        if arguments.get(ours) is not None:
            filters.append({"Name": theirs, "Values": [arguments[ours]]})
    if filters:
        parameters["Filters"] = filters
    subnets = account.request("ec2", "DescribeSubnets", parameters)["Subnets"]
    subnet = single("EC2 Subnet", subnets, arguments)
    return _described(subnet, account, "subnet", subnet["SubnetId"])


def _subnets(account: Account, arguments: Values) -> Values:
    filters = filters_of(arguments)
    parameters = {"Filters": filters} if filters else {}
    subnets = account.request("ec2", "DescribeSubnets", parameters)["Subnets"]
    return {"id": account.region, "ids": [subnet["SubnetId"] for subnet in subnets]}


def _described(resource: Mapping[str, Any], account: Account, noun: str, id_: str) -> Values:
    tags = {tag["Key"]: tag["Value"] for tag in resource.get("Tags", [])}
    arn = f"arn:{account.partition}:ec2:{account.region}:{account.identity['Account']}"
    return {**from_api(dict(resource), {}), "id": id_, "arn": f"{arn}:{noun}/{id_}", "tags": tags}


def _images(account: Account, arguments: Values) -> Values:
    parameters: Values = {"Owners": arguments["owners"]}
    if filters := filters_of(arguments):
        parameters["Filters"] = filters
    if arguments.get("includeDeprecated"):
        parameters["IncludeDeprecated"] = True
    images: list[Values] = account.request("ec2", "DescribeImages", parameters)["Images"]
    # AWS's provider gives the newest first.
    images.sort(key=lambda image: image["CreationDate"], reverse=not arguments.get("sortAscending"))
    return {"id": account.region, "ids": [image["ImageId"] for image in images]}


def _endpoint(account: Account, arguments: Values) -> Values:
    parameters: Values = {"VpcEndpointIds": [arguments["id"]]} if arguments.get("id") else {}
    filters = filters_of(arguments)
    for ours, theirs in (
        ("serviceName", "service-name"),
        ("state", "vpc-endpoint-state"),
        ("vpcEndpointType", "vpc-endpoint-type"),
        ("vpcId", "vpc-id"),
    ):
        if arguments.get(ours) is not None:
            filters.append({"Name": theirs, "Values": [arguments[ours]]})
    if filters:
        parameters["Filters"] = filters
    endpoints = account.request("ec2", "DescribeVpcEndpoints", parameters)["VpcEndpoints"]
    endpoint = single("EC2 VPC Endpoint", endpoints, arguments)
    groups = [group["GroupId"] for group in endpoint.get("Groups", [])]
    described = _described(endpoint, account, "vpc-endpoint", endpoint["VpcEndpointId"])
    return described | {"policy": endpoint.get("PolicyDocument", ""), "securityGroupIds": groups}


_SEARCH = ("filters", "tags")
DATA_SOURCES: dict[str, DataSource] = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": DataSource(
        ("allAvailabilityZones", "excludeNames", "excludeZoneIds", "filters", "state"), _zones
    ),
    "aws:ec2/getAmiIds:getAmiIds": DataSource(
        ("filters", "includeDeprecated", "owners", "sortAscending"), _images, required=("owners",)
    ),
    "aws:ec2/getVpc:getVpc": DataSource(("id", "cidrBlock", "default", "state", *_SEARCH), _vpc),
    "aws:ec2/getVpcEndpoint:getVpcEndpoint": DataSource(
        ("id", "serviceName", "state", "vpcEndpointType", "vpcId", *_SEARCH), _endpoint
    ),
    "aws:ec2/getSubnet:getSubnet": DataSource(
        ("id", "availabilityZone", "cidrBlock", "vpcId", *_SEARCH), _subnet
    ),
    "aws:ec2/getSubnets:getSubnets": DataSource(_SEARCH, _subnets),
}
