"""An AWS account as a program sees it."""

from collections.abc import Callable, Mapping
from typing import Any

REGION, ACCOUNT = "eu-west-1", "111122223333"
FIELDS_OF_AN_ARN = 5  # colons
ISSUER = f"oidc.eks.{REGION}.amazonaws.com/id/EXAMPLE"

# The control plane that the component eks.Cluster makes; a test sees it through the outputs.
CONTROL_PLANE = "aws:eks/cluster:Cluster"
CONTROL_PLANE_STATE = {
    "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/dev",
    "endpoint": "https://example.eks.amazonaws.com",
    "certificateAuthority": {"data": "Q0E="},
    "identities": [{"oidcs": [{"issuer": f"https://{ISSUER}"}]}],
    "vpcConfig": {"clusterSecurityGroupId": "sg-cluster"},
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
}
EXISTING_CLUSTER = {
    "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/shared",
    "endpoint": "https://shared.eks.amazonaws.com",
    "status": "ACTIVE",
    "version": "1.34",
    "certificateAuthorities": [{"data": "Q0E="}],
    "identities": [{"oidcs": [{"issuer": f"https://{ISSUER}"}]}],
    "accessConfigs": [{"authenticationMode": "API"}],
    "kubernetesNetworkConfigs": [{"serviceIpv4Cidr": "10.100.0.0/16"}],
    "vpcConfig": {
        "vpcId": "vpc-0123456789abcdef0",
        "subnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
        "clusterSecurityGroupId": "sg-shared",
    },
}

# By the token of a data source: what it replies to its arguments.
Answers = Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]

IMAGES: Answers = {
    "aws:ssm/getParametersByPath:getParametersByPath": lambda query: {
        "names": [f"{query['path']}/image_id"],
        "values": ["ami-0123456789abcdef0"],
    }
}
"""Images of nodes: every requested release was published."""


def account_of(region: str = REGION, administrator: str | None = None) -> Answers:
    """An AWS account with three zones in a region, in which an administrator deploys.

    `administrator` is the ARN of that role or user, in whose account the stack then is; absent: the
    role platform-admin of ACCOUNT.
    """
    caller = caller_of(administrator or f"arn:aws:iam::{ACCOUNT}:role/platform-admin")
    return {
        "aws:index/getCallerIdentity:getCallerIdentity": lambda _: caller,
        "aws:index/getRegion:getRegion": lambda _: {"region": region},
        "aws:index/getAvailabilityZones:getAvailabilityZones": lambda _: {
            "names": [f"{region}{letter}" for letter in "abc"]
        },
        "aws:ec2/getAmiIds:getAmiIds": lambda _: {"ids": ["ami-0123456789abcdef0"]},
        # The VPC of all tests; the last letter of a subnet says its zone.
        "aws:ec2/getSubnets:getSubnets": lambda query: {
            "ids": [
                subnet
                for wanted in query["filters"]
                if wanted["name"] == "subnet-id"
                for subnet in wanted["values"]
            ]
        },
        "aws:ec2/getSubnet:getSubnet": lambda query: {
            "vpcId": "vpc-0123456789abcdef0",
            "availabilityZone": f"{region}{query['id'][-1]}",
            "tags": {},
        },
        # Auto Scaling groups, whatever it is called.
        "aws:autoscaling/getAmiIds:getAmiIds": lambda _: {"arns": [], "names": []},
        "aws:iam/getRoles:getRoles": lambda _: {"arns": [], "names": []},
        **IMAGES,
        "aws:eks/getAddonVersion:getAddonVersion": lambda query: {
            "version": "v9.9.9-eksbuild.9" if query.get("mostRecent") else "v9.0.0-eksbuild.1"
        },
        "aws:cloudwatch/getLogGroups:getLogGroups": lambda _: {"arns": [], "logGroupNames": []},
        "aws:kms/getKey:getKey": lambda query: {
            "arn": query["keyId"],
            "keyState": "Enabled",
            "keyUsage": "ENCRYPT_DECRYPT",
            "keySpec": "SYMMETRIC_DEFAULT",
        },
        "aws:route53/getZone:getZone": lambda query: {"zoneId": f"Z-{query['name']}"},
        # A cluster that somebody else made, whose pods get their rights either way.
        "aws:eks/getCluster:getCluster": lambda query: EXISTING_CLUSTER | {"name": query["name"]},
        "aws:eks/getAddon:getAddon": lambda _: {"addonVersion": "v1.3.10-eksbuild.3"},
        "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": lambda _: {
            "arn": f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
        },
    }


def caller_of(principal: str) -> dict[str, Any]:
    """STS's answer to a user, or to a session of a role, without the role's path."""
    head, _, name = principal.rpartition("/")
    account = principal.split(":")[4] if principal.count(":") >= FIELDS_OF_AN_ARN else ACCOUNT
    if ":role" not in head:
        return {"accountId": account, "arn": principal}
    start = head.partition(":role")[0].replace(":iam:", ":sts:")
    return {"accountId": account, "arn": f"{start}:assumed-role/{name}/someone"}
