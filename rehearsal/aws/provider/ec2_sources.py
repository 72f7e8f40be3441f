"""The data sources of EC2."""

from collections.abc import Mapping
from typing import Any

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list
from rehearsal.aws.provider.shapes import from_api
from rehearsal.aws.provider.source import DataSource, filters_of, single
from rehearsal.aws.resource_types.entry import Values


def _zones(account: Account, asked: Values) -> Values:
    filters = filters_of(asked)
    if state := asked.get("state"):
        filters.append({"Name": "state", "Values": [state]})
    parameters: Values = {"Filters": filters} if filters else {}
    if asked.get("allAvailabilityZones"):
        parameters["AllAvailabilityZones"] = True
    zones = account.request("ec2", "DescribeAvailabilityZones", parameters)["AvailabilityZones"]
    left_out = {*as_list(asked.get("excludeNames")), *as_list(asked.get("excludeZoneIds"))}
    zones = [z for z in zones if not {z["ZoneName"], z["ZoneId"]} & left_out]
    zones.sort(key=lambda zone: zone["ZoneName"])
    return {
        "id": account.region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": sorted({zone.get("GroupName") or account.region for zone in zones}),
    }


def _vpc(account: Account, asked: Values) -> Values:
    parameters: Values = {"VpcIds": [asked["id"]]} if asked.get("id") else {}
    filters = filters_of(asked)
    for ours, theirs in (("default", "isDefault"), ("cidrBlock", "cidr"), ("state", "state")):
        if asked.get(ours) is not None:
            value = asked[ours]
            text = str(value).lower() if isinstance(value, bool) else value
            filters.append({"Name": theirs, "Values": [text]})
    if filters:
        parameters["Filters"] = filters
    found = single("EC2 VPC", account.request("ec2", "DescribeVpcs", parameters)["Vpcs"], asked)
    return _described(found, account, "vpc", found["VpcId"]) | {"default": found.get("IsDefault")}


def _subnet(account: Account, asked: Values) -> Values:
    parameters: Values = {"SubnetIds": [asked["id"]]} if asked.get("id") else {}
    filters = filters_of(asked)
    for ours, theirs in (
        ("availabilityZone", "availability-zone"),
        ("cidrBlock", "cidr-block"),
        ("vpcId", "vpc-id"),
    ):
        if asked.get(ours) is not None:
            filters.append({"Name": theirs, "Values": [asked[ours]]})
    if filters:
        parameters["Filters"] = filters
    subnets = account.request("ec2", "DescribeSubnets", parameters)["Subnets"]
    found = single("EC2 Subnet", subnets, asked)
    return _described(found, account, "subnet", found["SubnetId"])


def _subnets(account: Account, asked: Values) -> Values:
    filters = filters_of(asked)
    parameters = {"Filters": filters} if filters else {}
    found = account.request("ec2", "DescribeSubnets", parameters)["Subnets"]
    return {"id": account.region, "ids": [subnet["SubnetId"] for subnet in found]}


def _described(found: Mapping[str, Any], account: Account, noun: str, id_: str) -> Values:
    tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}
    arn = f"arn:{account.partition}:ec2:{account.region}:{account.identity['Account']}"
    return {**from_api(dict(found), {}), "id": id_, "arn": f"{arn}:{noun}/{id_}", "tags": tags}


def _images(account: Account, asked: Values) -> Values:
    parameters: Values = {"Owners": asked["owners"]}
    if filters := filters_of(asked):
        parameters["Filters"] = filters
    if asked.get("includeDeprecated"):
        parameters["IncludeDeprecated"] = True
    found: list[Values] = account.request("ec2", "DescribeImages", parameters)["Images"]
    # AWS's provider gives the newest first.
    found.sort(key=lambda image: image["CreationDate"], reverse=not asked.get("sortAscending"))
    return {"id": account.region, "ids": [image["ImageId"] for image in found]}


def _endpoint(account: Account, asked: Values) -> Values:
    parameters: Values = {"VpcEndpointIds": [asked["id"]]} if asked.get("id") else {}
    filters = filters_of(asked)
    for ours, theirs in (
        ("serviceName", "service-name"),
        ("state", "vpc-endpoint-state"),
        ("vpcEndpointType", "vpc-endpoint-type"),
        ("vpcId", "vpc-id"),
    ):
        if asked.get(ours) is not None:
            filters.append({"Name": theirs, "Values": [asked[ours]]})
    if filters:
        parameters["Filters"] = filters
    endpoints = account.request("ec2", "DescribeVpcEndpoints", parameters)["VpcEndpoints"]
    found = single("EC2 VPC Endpoint", endpoints, asked)
    groups = [group["GroupId"] for group in found.get("Groups", [])]
    described = _described(found, account, "vpc-endpoint", found["VpcEndpointId"])
    return described | {"policy": found.get("PolicyDocument", ""), "securityGroupIds": groups}


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
