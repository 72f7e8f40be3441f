"""The functions (data sources) that programs may call: one entry each, as in the table of types."""

import re

import jmespath

from rehearsal.aws.provider import ec2_sources
from rehearsal.aws.provider.account import Account
from rehearsal.aws.provider.plain import as_list
from rehearsal.aws.provider.shapes import from_api
from rehearsal.aws.provider.source import DataSource, NoAnswer, filters_of, single
from rehearsal.aws.resource_types.entry import Values


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


def _roles(account: Account, asked: Values) -> Values:
    """The roles' names and ARNs; no error where there is none."""
    prefix = asked.get("pathPrefix")
    parameters: Values = {"PathPrefix": prefix} if prefix else {}
    # moto ignores the prefix of a page that is asked for by its marker: 1,000 is IAM's largest.
    found = account.request("iam", "ListRoles", {**parameters, "MaxItems": 1000})["Roles"]
    wanted = re.compile(asked.get("nameRegex") or "")
    kept = [role for role in found if wanted.search(role["RoleName"])]
    return {
        "id": account.region,
        "arns": [role["Arn"] for role in kept],
        "names": [role["RoleName"] for role in kept],
    }


def _addon(account: Account, asked: Values) -> Values:
    parameters = {"clusterName": asked["clusterName"], "addonName": asked["addonName"]}
    found = account.request("eks", "DescribeAddon", parameters)["addon"]
    return {
        **from_api(found, {}),
        "id": f"{asked['clusterName']}:{asked['addonName']}",
        "arn": found["addonArn"],
        "tags": found.get("tags", {}),
    }


def _oidc_provider(account: Account, asked: Values) -> Values:
    if (asked.get("arn") is None) == (asked.get("url") is None):
        raise NoAnswer("one of `arn,url` must be specified")
    wanted = str(asked.get("url", "")).removeprefix("https://")
    known = account.request("iam", "ListOpenIDConnectProviders", {})["OpenIDConnectProviderList"]
    for arn in [one["Arn"] for one in known]:
        found = account.request(
            "iam", "GetOpenIDConnectProvider", {"OpenIDConnectProviderArn": arn}
        )
        if asked.get("arn") == arn or found["Url"].removeprefix("https://") == wanted:
            return {
                "id": arn,
                "arn": arn,
                "url": found["Url"].removeprefix("https://"),
                "clientIdLists": found.get("ClientIDList", []),
                "thumbprintLists": found.get("ThumbprintList", []),
                "tags": {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])},
            }
    by = "url" if wanted else "arn"
    raise NoAnswer(f"finding IAM OIDC Provider by {by} ({asked[by]}): not found")


def _log_groups(account: Account, asked: Values) -> Values:
    """Names and ARNs of the log groups whose name begins so; no error where there is none."""
    prefix = asked.get("logGroupNamePrefix")
    parameters: Values = {"logGroupNamePrefix": prefix} if prefix else {}
    found: list[Values] = []
    while True:
        page = account.request("logs", "DescribeLogGroups", parameters)
        found += page["logGroups"]
        if not page.get("nextToken"):
            break
        parameters = parameters | {"nextToken": page["nextToken"]}
    return {
        "id": account.region,
        "arns": [group["arn"].removesuffix(":*") for group in found],
        "logGroupNames": [group["logGroupName"] for group in found],
    }


def _key(account: Account, asked: Values) -> Values:
    found = account.request("kms", "DescribeKey", {"KeyId": asked["keyId"]})["KeyMetadata"]
    return {
        **from_api({name: value for name, value in found.items() if "Date" not in name}, {}),
        "id": found["KeyId"],
        "awsAccountId": found["AWSAccountId"],
        "multiRegionConfigurations": [],
        "xksKeyConfigurations": [],
    }


def _parameters(account: Account, asked: Values) -> Values:
    """The parameters below a path; no error where there is none."""
    asks: Values = {
        "Path": asked["path"],
        "Recursive": bool(asked.get("recursive")),
        "WithDecryption": asked.get("withDecryption") is not False,
    }
    found: list[Values] = []
    more: Values = {}
    while True:
        page = account.request("ssm", "GetParametersByPath", asks | more)
        found += page["Parameters"]
        if not page.get("NextToken"):
            break
        more = {"NextToken": page["NextToken"]}
    columns = {"arns": "ARN", "names": "Name", "types": "Type", "values": "Value"}
    lists = {ours: [one[theirs] for one in found] for ours, theirs in columns.items()}
    return {"id": asked["path"], "withDecryption": True, **asked, **lists}


def _scaling_groups(account: Account, asked: Values) -> Values:
    """Names and ARNs of Auto Scaling groups; no error where there is none."""
    parameters: Values = {"Filters": filters_of(asked)}
    if names := as_list(asked.get("names")):
        parameters["AutoScalingGroupNames"] = names
    found = account.request("autoscaling", "DescribeAutoScalingGroups", parameters)
    groups = found["AutoScalingGroups"]
    return {
        "id": account.region,
        "arns": [group["AutoScalingGroupARN"] for group in groups],
        "names": [group["AutoScalingGroupName"] for group in groups],
    }


def _scaling_group(account: Account, asked: Values) -> Values:
    parameters = {"AutoScalingGroupNames": [asked["name"]]}
    found = account.request("autoscaling", "DescribeAutoScalingGroups", parameters)
    group = single("Auto Scaling Group", found["AutoScalingGroups"], asked)
    return {
        "id": group["AutoScalingGroupName"],
        "arn": group["AutoScalingGroupARN"],
        "minSize": group["MinSize"],
        "maxSize": group["MaxSize"],
        "desiredCapacity": group["DesiredCapacity"],
    }


def _zone(account: Account, asked: Values) -> Values:
    name = f"{str(asked.get('name') or '').rstrip('.')}."
    private = bool(asked.get("privateZone") or asked.get("vpcId"))
    zones: list[Values] = []
    more: Values = {}
    while True:
        # Route 53 tells 100 at a time.
        page = account.request("route53", "ListHostedZones", more)
        zones += page["HostedZones"]
        if not page.get("IsTruncated"):
            break
        more = {"Marker": page["NextMarker"]}
    kept: list[Values] = []
    for zone in zones:
        zone_id = zone["Id"].rpartition("/")[2]
        if asked.get("zoneId", zone_id) != zone_id:
            continue
        if asked.get("name") and (zone["Name"], zone["Config"]["PrivateZone"]) != (name, private):
            continue
        details = account.request("route53", "GetHostedZone", {"Id": zone_id})
        vpcs = [vpc["VPCId"] for vpc in details.get("VPCs", [])]
        if asked.get("vpcId") is None or asked["vpcId"] in vpcs:
            kept.append({**details.get("DelegationSet", {}), **zone, "Id": zone_id})
    found = single("Route 53 Hosted Zone", kept, asked)
    return {
        "id": found["Id"],
        "zoneId": found["Id"],
        "arn": f"arn:{account.partition}:route53:::hostedzone/{found['Id']}",
        "name": found["Name"].rstrip("."),
        "nameServers": found.get("NameServers", []),
        "privateZone": found["Config"]["PrivateZone"],
        "comment": found["Config"].get("Comment", ""),
        "callerReference": found.get("CallerReference", ""),
        "resourceRecordSetCount": found.get("ResourceRecordSetCount", 0),
        "tags": {},
    }


DATA_SOURCES: dict[str, DataSource] = {
    "aws:index/getCallerIdentity:getCallerIdentity": DataSource((), _caller),
    "aws:index/getPartition:getPartition": DataSource((), _partition),
    "aws:index/getRegion:getRegion": DataSource(("name", "endpoint"), _region),
    "aws:eks/getAddonVersion:getAddonVersion": DataSource(
        ("addonName", "kubernetesVersion", "mostRecent"),
        _addon_version,
        required=("addonName", "kubernetesVersion"),
    ),
    "aws:eks/getCluster:getCluster": DataSource(("name", "tags"), _cluster, required=("name",)),
    "aws:autoscaling/getAmiIds:getAmiIds": DataSource(("filters", "names"), _scaling_groups),
    "aws:autoscaling/getGroup:getGroup": DataSource(("name",), _scaling_group, required=("name",)),
    "aws:iam/getRoles:getRoles": DataSource(("nameRegex", "pathPrefix"), _roles),
    "aws:eks/getAddon:getAddon": DataSource(
        ("addonName", "clusterName", "tags"), _addon, required=("addonName", "clusterName")
    ),
    "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": DataSource(
        ("arn", "tags", "url"), _oidc_provider
    ),
    "aws:cloudwatch/getLogGroups:getLogGroups": DataSource(("logGroupNamePrefix",), _log_groups),
    "aws:kms/getKey:getKey": DataSource(("grantTokens", "keyId"), _key, required=("keyId",)),
    "aws:route53/getZone:getZone": DataSource(("name", "privateZone", "vpcId", "zoneId"), _zone),
    "aws:ssm/getParametersByPath:getParametersByPath": DataSource(
        ("path", "recursive", "withDecryption"), _parameters, required=("path",)
    ),
    **ec2_sources.DATA_SOURCES,
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
