"""Prepares the played account before the program runs, and the deployer's identity.

The account gets the administrators, hosted zones and key pair that a stack file names. An existing
VPC or cluster is not made up: its contents decide what the program does.
"""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.stack_file import ACCOUNT_ID, StackFile
from rehearsal.state import Endpoints

DEPLOYER = "rehearsal-deployer"
"""Role that deploys if the stack file names no role among its administrators."""
SESSION = "rehearsal"


def prepare(stack_file: StackFile, endpoints: Endpoints) -> dict[str, str]:
    """Creates what the stack file expects to exist; returns the deployer's environment.

    The deployer is a session of the first administrator's role; for an existing cluster, of a role
    that the cluster knows. Safe to call again.
    """
    iam, sts = aws_client("iam", endpoints), aws_client("sts", endpoints)
    for arn in _principals(stack_file, endpoints):
        _make(iam, arn)
    _make_zones(stack_file, endpoints)
    if stack_file.key_pair:
        _make_key_pair(aws_client("ec2", endpoints), stack_file.key_pair)
    deployer = _deployer(stack_file, endpoints)
    session = sts.assume_role(RoleArn=deployer, RoleSessionName=SESSION)["Credentials"]
    return {
        "AWS_ACCESS_KEY_ID": session["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": session["SecretAccessKey"],
        "AWS_SESSION_TOKEN": session["SessionToken"],
        "AWS_REGION": endpoints["region"],
        "AWS_ENDPOINT_URL": endpoints["aws"],
    }


def preexisting(stack_file: StackFile, endpoints: Endpoints) -> list[str]:
    """Ids of what the account has beforehand: roles and users, hosted zones, the key pair.
    Administrators of other accounts are left out.
    """
    zones = _zones(aws_client("route53", endpoints), private=stack_file.private_zones)
    return [
        *_principals(stack_file, endpoints),
        *(zones[name] for name in stack_file.hosted_zones if name in zones),
        *([stack_file.key_pair] if stack_file.key_pair else []),
    ]


def _principals(stack_file: StackFile, endpoints: Endpoints) -> list[str]:
    own = [arn for arn in stack_file.admins if f":{endpoints['account']}:" in arn]
    return list(dict.fromkeys([*own, _deployer(stack_file, endpoints)]))


def _deployer(stack_file: StackFile, endpoints: Endpoints) -> str:
    account = endpoints["account"]
    admins = stack_file.admins
    if stack_file.existing_cluster:
        admins = _administrators(stack_file.existing_cluster, endpoints)
    own = (arn for arn in admins if f"::{account}:role/" in arn)
    return next(own, f"arn:aws:iam::{account}:role/{DEPLOYER}")


def _administrators(cluster: str, endpoints: Endpoints) -> list[str]:
    """Principals that the cluster lets in as people, not as nodes; none if there is no cluster.

    Whoever deploys to an existing cluster must be one of them: its API knows nobody else.
    """
    eks = aws_client("eks", endpoints)
    try:
        principals: list[str] = eks.list_access_entries(clusterName=cluster)["accessEntries"]
    except eks.exceptions.ResourceNotFoundException:
        return []
    entries = [
        eks.describe_access_entry(clusterName=cluster, principalArn=arn)["accessEntry"]
        for arn in principals
    ]
    return [entry["principalArn"] for entry in entries if entry["type"] == "STANDARD"]


def _make(iam: Any, arn: str) -> None:
    match = ACCOUNT_ID.match(arn)
    assert match, f"{arn} was read with the same pattern"
    account, kind, full_name = match.groups()
    folder, _, name = full_name.rpartition("/")
    path = f"/{folder}/" if folder else "/"
    try:
        if kind == "user":
            iam.create_user(UserName=name, Path=path)
        else:
            trust = json.dumps(_trust(arn.split(":")[1], account))
            iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust)
    except iam.exceptions.EntityAlreadyExistsException:
        pass


def _trust(partition: str, account: str) -> Mapping[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:{partition}:iam::{account}:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }


def _make_zones(stack_file: StackFile, endpoints: Endpoints) -> None:
    if not stack_file.hosted_zones:
        return
    route53, private = aws_client("route53", endpoints), stack_file.private_zones
    there = _zones(route53, private=private)
    vpc = {"VPCRegion": endpoints["region"], "VPCId": _vpc(stack_file, endpoints)}
    for name in stack_file.hosted_zones:
        if name not in there:
            route53.create_hosted_zone(
                Name=name,
                CallerReference=str(uuid.uuid4()),
                HostedZoneConfig={"PrivateZone": private},
                # A private zone belongs to a VPC from the beginning.
                **({"VPC": vpc} if private else {}),
            )


def _zones(route53: Any, *, private: bool) -> dict[str, str]:
    """Ids of the account's zones of this kind, by name."""
    pages = route53.get_paginator("list_hosted_zones").paginate()
    zones = [zone for page in pages for zone in page["HostedZones"]]
    return {
        zone["Name"].rstrip("."): zone["Id"]
        for zone in zones
        if zone["Config"]["PrivateZone"] == private
    }


def _vpc(stack_file: StackFile, endpoints: Endpoints) -> str:
    """The stack file's VPC; the account's default VPC if the program creates its own."""
    default = [{"Name": "is-default", "Values": ["true"]}]
    vpcs = aws_client("ec2", endpoints).describe_vpcs(Filters=default)["Vpcs"]
    return stack_file.vpc or vpcs[0]["VpcId"]


def _make_key_pair(ec2: Any, name: str) -> None:
    filters = [{"Name": "key-name", "Values": [name]}]
    if not ec2.describe_key_pairs(Filters=filters)["KeyPairs"]:
        ec2.create_key_pair(KeyName=name, KeyType="ed25519")
