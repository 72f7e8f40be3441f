"""Reads the AWS account that the stack is meant for; never writes."""

import re
import threading
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, cast

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)

from frugal_eks.sweep.account import Account as SweptAccount

DENIED = (
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "AuthorizationErrorException",
    "NotAuthorized",
    "UnauthorizedOperation",
)
"""Error codes with which services report a missing right."""
PREFIXES = {
    "elb": "elasticloadbalancing",
    "elbv2": "elasticloadbalancing",
    "service-quotas": "servicequotas",
}
"""IAM prefixes of services that boto3 names differently."""
_ACTION = re.compile(r"perform:? ([a-z0-9-]+:[A-Za-z]+)")


class NotReadError(Exception):
    """Why AWS gives no answer, in one sentence."""


class MissingRightError(NotReadError):
    """The credentials lack the right to read something."""

    def __init__(self, *actions: str) -> None:
        """`actions` as a policy names them, such as ec2:DescribeVpcs."""
        super().__init__(f"the right {', '.join(actions)} is missing")
        self.actions = actions


class Account(SweptAccount):
    """One account in one region. Thread-safe."""

    settings: ClassVar[Mapping[str, Any]] = {
        # All in all a minute: one endpoint that does not answer may take a part of it.
        "retries": {"mode": "standard", "max_attempts": 3},
        "connect_timeout": 5,
        "read_timeout": 15,
        "max_pool_connections": 16,
    }

    def __init__(self, region: str) -> None:
        super().__init__(region)
        self._guard = threading.RLock()

    @property
    def partition(self) -> str:
        """The partition of the region."""
        for start, partition in (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov")):
            if self.region.startswith(start):
                return partition
        return "aws"

    def client(self, service: str) -> Any:
        """boto3's client of a service, made once."""
        with self._guard:
            return super().client(service)

    def ask(self, service: str, operation: str, **arguments: Any) -> Any:
        """Calls an AWS operation and returns its answer.
        `operation` is spelled as in boto3. Raises MissingRightError, NotReadError, and ClientError
        for whatever else the service refuses.
        """
        client = self.client(service)
        with _errors_sorted(client, service, operation):
            return getattr(client, operation)(**arguments)

    def find(self, absent: Collection[str], service: str, operation: str, **arguments: Any) -> Any:
        """Like `ask`; None if AWS answers with one of the error codes `absent`."""
        try:
            return self.ask(service, operation, **arguments)
        except ClientError as error:
            if code_of(error) in absent:
                return None
            raise

    def listed(
        self, service: str, operation: str, key: str, **arguments: Any
    ) -> Sequence[Mapping[str, Any]]:
        """All items of a list operation under `key`, page by page. Raises what `ask` raises."""
        client = self.client(service)
        if not client.can_paginate(operation):
            return self.ask(service, operation, **arguments)[key]
        with _errors_sorted(client, service, operation):
            pages = client.get_paginator(operation).paginate(**arguments)
            return [item for page in pages for item in page[key]]


@contextmanager
def _errors_sorted(client: Any, service: str, operation: str) -> Generator[None]:
    """Raises MissingRightError for a denied call, NotReadError if AWS does not answer."""
    try:
        yield
    except ClientError as error:
        if is_denied(error):
            api_name = client.meta.method_to_api_mapping[operation]
            action = f"{PREFIXES.get(service, service)}:{api_name}"
            raise MissingRightError(action) from error
        raise
    except BotoCoreError as error:
        raise NotReadError(str(error)) from error


def use_credentials(settings: Mapping[str, Any]) -> None:
    """Applies the AWS credentials of a stack file to this process.
    `settings` is the file's `config`: `aws:profile`, and `aws:assumeRoles` in order, as the AWS
    provider takes them. Raises NotReadError.
    """
    profile = settings.get("aws:profile")
    region = settings.get("aws:region")
    try:
        if profile:
            boto3.setup_default_session(profile_name=str(profile))  # pyright: ignore[reportUnknownMemberType]
        for role in settings.get("aws:assumeRoles") or ():
            sts = cast(Any, boto3.client("sts", region_name=region))  # pyright: ignore
            given = {"ExternalId": role["externalId"]} if role.get("externalId") else {}
            name = role.get("sessionName") or "preflight"
            made = sts.assume_role(RoleArn=role["roleArn"], RoleSessionName=name, **given)
            keys = made["Credentials"]
            boto3.setup_default_session(  # pyright: ignore[reportUnknownMemberType]
                aws_access_key_id=keys["AccessKeyId"],
                aws_secret_access_key=keys["SecretAccessKey"],
                aws_session_token=keys["SessionToken"],
            )
    except (BotoCoreError, ClientError) as error:
        raise NotReadError(str(error)) from error


def code_of(error: ClientError) -> str:
    """Code of an error, as the service spells it."""
    response: Mapping[str, Any] = error.response  # pyright: ignore
    return response.get("Error", {}).get("Code", "")


def is_denied(error: ClientError) -> bool:
    """True if the error is a missing right."""
    return code_of(error) in DENIED


def missing_action(error: ClientError) -> str:
    """The missing right in AWS's own words; else the operation's name."""
    named = _ACTION.search(str(error))
    return named[1] if named else str(error.operation_name)  # pyright: ignore
