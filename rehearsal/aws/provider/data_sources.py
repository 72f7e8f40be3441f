"""The functions (data sources) that programs may call: one entry each, as in the table of types."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jmespath

from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.provider.shapes import from_api
from rehearsal.aws.resource_types.entry import Values

Answer = Callable[[Account, Values], Values]


class NoAnswer(ValueError):
    """The data source cannot say what was asked."""


@dataclass(frozen=True)
class DataSource:
    """A Pulumi function: the arguments it knows and how it is answered."""

    arguments: tuple[str, ...]
    answer: Answer
    required: tuple[str, ...] = field(default=())


def _caller(account: Account, _: Values) -> Values:
    who = account.identity
    return {
        "accountId": who["Account"],
        "arn": who["Arn"],
        "id": who["Account"],
        "userId": who["UserId"],
    }


def _partition(account: Account, _: Values) -> Values:
    partition = account.partition
    suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
    reverse = ".".join(reversed(suffix.split(".")))
    return {
        "id": partition,
        "partition": partition,
        "dnsSuffix": suffix,
        "reverseDnsPrefix": reverse,
    }


def _region(account: Account, asked: Values) -> Values:
    name = asked.get("region") or asked.get("name") or account.region
    return {
        "id": name,
        "name": name,
        "region": name,
        "endpoint": f"ec2.{name}.amazonaws.com",
        "description": name,
    }


def _filters(asked: Values) -> list[Values]:
    filters = [{"Name": f["name"], "Values": f["values"]} for f in as_list(asked.get("filters"))]
    tags = as_object(asked.get("tags")).items()
    return filters + [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags]


def _zones(account: Account, asked: Values) -> Values:
    filters = _filters(asked)
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


def _addon_version(account: Account, asked: Values) -> Values:
    parameters = {
        "addonName": asked["addonName"],
        "kubernetesVersion": asked["kubernetesVersion"],
    }
    found = account.request("eks", "DescribeAddonVersions", parameters)
    versions = as_list(jmespath.search("addons[0].addonVersions", found))
    default = [
        v["addonVersion"]
        for v in versions
        if any(c.get("defaultVersion") for c in v.get("compatibilities", []))
    ]
    # AWS lists the newest first.
    newest = [v["addonVersion"] for v in versions]
    chosen = (newest if asked.get("mostRecent") else default or newest)[:1]
    if not chosen:
        raise NoAnswer(
            f"no version of add-on {asked['addonName']} for Kubernetes "
            f"{asked['kubernetesVersion']} was found"
        )
    return {"id": asked["addonName"], "version": chosen[0]}


def _cluster(account: Account, asked: Values) -> Values:
    found = account.request("eks", "DescribeCluster", {"name": asked["name"]})["cluster"]
    data = from_api(found, {"vpcConfig": "resourcesVpcConfig"})
    return {
        **data,
        "id": found["name"],
        "tags": found.get("tags", {}),
        "certificateAuthorities": [data["certificateAuthority"]],
        "accessConfigs": [data["accessConfig"]] if data.get("accessConfig") else [],
        "identities": [{"oidcs": [data["identity"]["oidc"]]}],
        "kubernetesNetworkConfigs": [data["kubernetesNetworkConfig"]],
        "enabledClusterLogTypes": jmespath.search("logging.clusterLogging[?enabled].types[]", found)
        or [],
    }


def _single(noun: str, found: list[Values], asked: Values) -> Values:
    if len(found) == 1:
        return found[0]
    problem = f"no matching {noun} found" if not found else f"{len(found)} {noun}s match"
    raise NoAnswer(f"{problem}: change the search criteria ({asked})")


def _vpc(account: Account, asked: Values) -> Values:
    parameters: Values = {"VpcIds": [asked["id"]]} if asked.get("id") else {}
    filters = _filters(asked)
    for ours, theirs in (("default", "isDefault"), ("cidrBlock", "cidr"), ("state", "state")):
        if asked.get(ours) is not None:
            value = asked[ours]
            text = str(value).lower() if isinstance(value, bool) else value
            filters.append({"Name": theirs, "Values": [text]})
    if filters:
        parameters["Filters"] = filters
    found = _single("EC2 VPC", account.request("ec2", "DescribeVpcs", parameters)["Vpcs"], asked)
    return _described(found, account, "vpc", found["VpcId"]) | {"default": found.get("IsDefault")}


def _subnet(account: Account, asked: Values) -> Values:
    parameters: Values = {"SubnetIds": [asked["id"]]} if asked.get("id") else {}
    filters = _filters(asked)
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
    found = _single("EC2 Subnet", subnets, asked)
    return _described(found, account, "subnet", found["SubnetId"])


def _subnets(account: Account, asked: Values) -> Values:
    filters = _filters(asked)
    parameters = {"Filters": filters} if filters else {}
    found = account.request("ec2", "DescribeSubnets", parameters)["Subnets"]
    return {"id": account.region, "ids": [subnet["SubnetId"] for subnet in found]}


def _described(found: Mapping[str, Any], account: Account, noun: str, id_: str) -> Values:
    tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}
    arn = f"arn:{account.partition}:ec2:{account.region}:{account.identity['Account']}"
    return {**from_api(dict(found), {}), "id": id_, "arn": f"{arn}:{noun}/{id_}", "tags": tags}


_SEARCH = ("filters", "tags")
DATA_SOURCES: dict[str, DataSource] = {
    "aws:index/getCallerIdentity:getCallerIdentity": DataSource((), _caller),
    "aws:index/getPartition:getPartition": DataSource((), _partition),
    "aws:index/getRegion:getRegion": DataSource(("name", "endpoint"), _region),
    "aws:index/getAvailabilityZones:getAvailabilityZones": DataSource(
        ("allAvailabilityZones", "excludeNames", "excludeZoneIds", "filters", "state"), _zones
    ),
    "aws:eks/getAddonVersion:getAddonVersion": DataSource(
        ("addonName", "kubernetesVersion", "mostRecent"),
        _addon_version,
        required=("addonName", "kubernetesVersion"),
    ),
    "aws:eks/getCluster:getCluster": DataSource(("name", "tags"), _cluster, required=("name",)),
    "aws:ec2/getVpc:getVpc": DataSource(("id", "cidrBlock", "default", "state", *_SEARCH), _vpc),
    "aws:ec2/getSubnet:getSubnet": DataSource(
        ("id", "availabilityZone", "cidrBlock", "vpcId", *_SEARCH), _subnet
    ),
    "aws:ec2/getSubnets:getSubnets": DataSource(_SEARCH, _subnets),
}


def answer(token: str, asked: Values, account: Account) -> Values:
    """What the data source replies, with the arguments and the region beside it."""
    source = DATA_SOURCES.get(token)
    if source is None:
        raise NoAnswer(
            f"the stand-in AWS provider has no data source {token}: add an entry to DATA_SOURCES "
            "in rehearsal/aws/provider/data_sources.py"
        )
    if missing := [name for name in source.required if asked.get(name) is None]:
        raise NoAnswer(f"{token}: the required argument {missing[0]} is missing")
    if odd := asked.keys() - {*source.arguments, "region", "id"}:
        raise NoAnswer(f"{token}: unknown argument {', '.join(sorted(odd))}")
    return {"region": account.region, **asked, **source.answer(account, asked)}
