"""What the played account has before the program runs, and who runs it."""

import json
from collections.abc import Mapping
from typing import Any

from rehearsal.clients import aws_client
from rehearsal.stack_file import ACCOUNT_ID, StackFile
from rehearsal.state import Endpoints

DEPLOYER = "rehearsal-deployer"
"""The role that deploys where the stack file names no role among its administrators."""
SESSION = "rehearsal"


def prepare(stack_file: StackFile, endpoints: Endpoints) -> dict[str, str]:
    """Make the administrators that the stack file names; return the deployer's environment.

    The deployer is a session of the first administrator's role. Safe to call again.
    """
    iam, sts = aws_client("iam", endpoints), aws_client("sts", endpoints)
    for arn in preexisting(stack_file, endpoints):
        _make(iam, arn)
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
    """ARNs of the roles and users that the account has beforehand; others' accounts left out."""
    own = [arn for arn in stack_file.admins if f":{endpoints['account']}:" in arn]
    return list(dict.fromkeys([*own, _deployer(stack_file, endpoints)]))


def _deployer(stack_file: StackFile, endpoints: Endpoints) -> str:
    account = endpoints["account"]
    own = (arn for arn in stack_file.admins if f"::{account}:role/" in arn)
    return next(own, f"arn:aws:iam::{account}:role/{DEPLOYER}")


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
