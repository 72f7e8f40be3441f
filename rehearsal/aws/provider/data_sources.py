"""Functions (data sources) that programs may call, each with an entry in a table."""

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


def _region(account: Account, arguments: Values) -> Values:
    name = arguments.get("region") or arguments.get("name") or account.region
    return {
        "id": name,
        "name": name,
        "region": name,
        "endpoint": f"ec2.{name}.amazonaws.com",
        "description": name,
    }


def _addon_version(account: Account, arguments: Values) -> Values:
    parameters = {
        "addonName": arguments["addonName"],
        "kubernetesVersion": arguments["kubernetesVersion"],
    }
    response = account.request("eks", "DescribeAddonVersions", parameters)
    versions = as_list(jmespath.search("addons[0].addonVersions", response))
    default = [
        v["addonVersion"]
        for v in versions
        if any(c.get("defaultVersion") for c in v.get("compatibilities", []))
    ]
    # AWS lists the newest first.
    newest = [v["addonVersion"] for v in versions]
    chosen = (newest if arguments.get("mostRecent") else default or newest)[:1]
    if not chosen:
        raise NoAnswer(
            f"no version of add-on {arguments['addonName']} for Kubernetes "
            f"{arguments['kubernetesVersion']} was found"
        )
    return {"id": arguments["addonName"], "version": chosen[0]}


def _cluster(account: Account, arguments: Values) -> Values:
    cluster = account.request("eks", "DescribeCluster", {"name": arguments["name"]})["cluster"]
    data = from_api(cluster, {"vpcConfig": "resourcesVpcConfig"})
    return {
        **data,
        "id": cluster["name"],
        "tags": cluster.get("tags", {}),
        "certificateAuthorities": [data["certificateAuthority"]],
        "accessConfigs": [data["accessConfig"]] if data.get("accessConfig") else [],
        "identities": [{"oidcs": [data["identity"]["oidc"]]}],
        "kubernetesNetworkConfigs": [data["kubernetesNetworkConfig"]],
        "enabledClusterLogTypes": jmespath.search(
            "logging.clusterLogging[?enabled].types[]", cluster
        )
        or [],
    }


def _roles(account: Account, arguments: Values) -> Values:
    """Names and ARNs of the roles; none is not an error."""
    prefix = arguments.get("pathPrefix")
    parameters: Values = {"PathPrefix": prefix} if prefix else {}
    # moto ignores the prefix of a page that is asked for by its marker: 1,000 is IAM's largest.
    roles = account.request("iam", "ListRoles", {**parameters, "MaxItems": 1000})["Roles"]
    wanted = re.compile(arguments.get("nameRegex") or "")
    kept = [role for role in roles if wanted.search(role["RoleName"])]
    return {
        "id": account.region,
        "arns": [role["Arn"] for role in kept],
        "names": [role["RoleName"] for role in kept],
    }


def _addon(account: Account, arguments: Values) -> Values:
    parameters = {"clusterName": arguments["clusterName"], "addonName": arguments["addonName"]}
    addon = account.request("eks", "DescribeAddon", parameters)["addon"]
    return {
        **from_api(addon, {}),
        "id": f"{arguments['clusterName']}:{arguments['addonName']}",
        "arn": addon["addonArn"],
        "tags": addon.get("tags", {}),
    }


def _oidc_provider(account: Account, arguments: Values) -> Values:
    if (arguments.get("arn") is None) == (arguments.get("url") is None):
        raise NoAnswer("one of `arn,url` must be specified")
    wanted = str(arguments.get("url", "")).removeprefix("https://")
    known = account.request("iam", "ListOpenIDConnectProviders", {})["OpenIDConnectProviderList"]
    for arn in [provider["Arn"] for provider in known]:
        provider = account.request(
            "iam", "GetOpenIDConnectProvider", {"OpenIDConnectProviderArn": arn}
        )
        if arguments.get("arn") == arn or provider["Url"].removeprefix("https://") == wanted:
            return {
                "id": arn,
                "arn": arn,
                "url": provider["Url"].removeprefix("https://"),
                "clientIdLists": provider.get("ClientIDList", []),
                "thumbprintLists": provider.get("ThumbprintList", []),
                "tags": {tag["Key"]: tag["Value"] for tag in provider.get("Tags", [])},
            }
    by = "url" if wanted else "arn"
    raise NoAnswer(f"finding IAM OIDC Provider by {by} ({arguments[by]}): not found")


def _log_groups(account: Account, arguments: Values) -> Values:
    """Names and ARNs of the log groups with this prefix; none is not an error."""
    prefix = arguments.get("logGroupNamePrefix")
    parameters: Values = {"logGroupNamePrefix": prefix} if prefix else {}
    groups: list[Values] = []
    while True:
        page = account.request("logs", "DescribeLogGroups", parameters)
        groups += page["logGroups"]
        if not page.get("nextToken"):
            break
        parameters = parameters | {"nextToken": page["nextToken"]}
    return {
        "id": account.region,
        "arns": [group["arn"].removesuffix(":*") for group in groups],
        "logGroupNames": [group["logGroupName"] for group in groups],
    }


def _key(account: Account, arguments: Values) -> Values:
    key = account.request("kms", "DescribeKey", {"KeyId": arguments["keyId"]})["KeyMetadata"]
    return {
        **from_api({name: value for name, value in key.items() if "Date" not in name}, {}),
        "id": key["KeyId"],
        "awsAccountId": key["AWSAccountId"],
        "multiRegionConfigurations": [],
        "xksKeyConfigurations": [],
    }


def _parameters(account: Account, arguments: Values) -> Values:
    """Parameters below a path; none is not an error."""
    asks: Values = {
        "Path": arguments["path"],
        "Recursive": bool(arguments.get("recursive")),
        "WithDecryption": arguments.get("withDecryption") is not False,
    }
    parameters_found: list[Values] = []
    more: Values = {}
    while True:
        page = account.request("ssm", "GetParametersByPath", asks | more)
        parameters_found += page["Parameters"]
        if not page.get("NextToken"):
            break
        more = {"NextToken": page["NextToken"]}
    columns = {"arns": "ARN", "names": "Name", "types": "Type", "values": "Value"}
    lists = {
        ours: [parameter[theirs] for parameter in parameters_found]
        for ours, theirs in columns.items()
    }
    return {"id": arguments["path"], "withDecryption": True, **arguments, **lists}


def _scaling_groups(account: Account, arguments: Values) -> Values:
    """Names and ARNs of Auto Scaling groups; none is not an error."""
    parameters: Values = {"Filters": filters_of(arguments)}
    if names := as_list(arguments.get("names")):
        parameters["AutoScalingGroupNames"] = names
    response = account.request("autoscaling", "DescribeAutoScalingGroups", parameters)
    groups = response["AutoScalingGroups"]
    return {
        "id": account.region,
        "arns": [group["AutoScalingGroupARN"] for group in groups],
        "names": [group["AutoScalingGroupName"] for group in groups],
    }


def _scaling_group(account: Account, arguments: Values) -> Values:
    parameters = {"AutoScalingGroupNames": [arguments["name"]]}
    response = account.request("autoscaling", "DescribeAutoScalingGroups", parameters)
    group = single("Auto Scaling Group", response["AutoScalingGroups"], arguments)
    return {
        "id": group["AutoScalingGroupName"],
        "arn": group["AutoScalingGroupARN"],
        "minSize": group["MinSize"],
        "maxSize": group["MaxSize"],
        "desiredCapacity": group["DesiredCapacity"],
    }


def _zone(account: Account, arguments: Values) -> Values:
    name = f"{str(arguments.get('name') or '').rstrip('.')}."
    private = bool(arguments.get("privateZone") or arguments.get("vpcId"))
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
        if arguments.get("zoneId", zone_id) != zone_id:
            continue
        if arguments.get("name") and (zone["Name"], zone["Config"]["PrivateZone"]) != (
            name,
            private,
        ):
            continue
        details = account.request("route53", "GetHostedZone", {"Id": zone_id})
        vpcs = [vpc["VPCId"] for vpc in details.get("VPCs", [])]
        if arguments.get("vpcId") is None or arguments["vpcId"] in vpcs:
            kept.append({**details.get("DelegationSet", {}), **zone, "Id": zone_id})
    chosen = single("Route 53 Hosted Zone", kept, arguments)
    return {
        "id": chosen["Id"],
        "zoneId": chosen["Id"],
        "arn": f"arn:{account.partition}:route53:::hostedzone/{chosen['Id']}",
        "name": chosen["Name"].rstrip("."),
        "nameServers": chosen.get("NameServers", []),
        "privateZone": chosen["Config"]["PrivateZone"],
        "comment": chosen["Config"].get("Comment", ""),
        "callerReference": chosen.get("CallerReference", ""),
        "resourceRecordSetCount": chosen.get("ResourceRecordSetCount", 0),
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


def answer(token: str, arguments: Values, account: Account) -> Values:
    """Reply of the data source, with its arguments and the region."""
    source = DATA_SOURCES.get(token)
    if source is None:
        raise NoAnswer(
            f"the stand-in AWS provider has no data source {token}: add an entry to DATA_SOURCES "
            "in rehearsal/aws/provider/data_sources.py"
        )
    if missing := [name for name in source.required if arguments.get(name) is None]:
        raise NoAnswer(f"{token}: the required argument {missing[0]} is missing")
    if odd := arguments.keys() - {*source.arguments, "region", "id"}:
        raise NoAnswer(f"{token}: unknown argument {', '.join(sorted(odd))}")
    return {"region": account.region, **arguments, **source.answer(account, arguments)}
