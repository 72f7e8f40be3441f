"""Opens the AWS account and region to sweep, or refuses before anything is listed."""

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)

AWS_ERRORS = (BotoCoreError, ClientError)


class SweepError(Exception):
    """Why nothing can be swept, in one sentence with the remedy."""


class Account:
    """One account in one region, with the credentials of the environment."""

    settings: ClassVar[Mapping[str, Any]] = {
        # A long list of things to remove meets AWS's rate limits.
        "retries": {"mode": "standard", "max_attempts": 8},
    }
    """Settings of each boto3 client."""

    def __init__(self, region: str) -> None:
        """`region` is AWS's code, such as eu-west-1."""
        self.region = region
        self._clients: dict[str, Any] = {}

    @cached_property
    def id(self) -> str:
        """Account id of 12 digits. The first access may raise one of AWS_ERRORS."""
        return self.client("sts").get_caller_identity()["Account"]

    def client(self, service: str) -> Any:
        """boto3's client of a service, created once."""
        if service not in self._clients:
            self._clients[service] = boto3.client(  # pyright: ignore
                service, region_name=self.region, config=Config(**self.settings)
            )
        return self._clients[service]

    def pages(self, service: str, operation: str, **arguments: Any) -> Any:
        """Pages of a list operation."""
        return self.client(service).get_paginator(operation).paginate(**arguments)


def open_account(region: str | None, expected: str | None) -> Account:
    """Opens the account of the environment's credentials.
    Raises SweepError if AWS does not answer, or answers for another account than `expected`, or for
    another region.
    """
    # The AWS CLI and Pulumi read AWS_REGION, boto3 does not.
    region = region or os.environ.get("AWS_REGION") or _default_region()
    if not region:
        raise SweepError("no region: give --region, or set AWS_REGION")
    try:
        account = Account(region)
        id = account.id
        zones = account.client("ec2").describe_availability_zones()["AvailabilityZones"]
    except AWS_ERRORS as error:
        raise SweepError(
            f"AWS does not answer in {region}: {error}."
            " Give credentials (AWS_PROFILE, or `aws sso login`) and the right --region"
        ) from error
    answering: set[str] = {zone["RegionName"] for zone in zones}
    if answering != {region}:
        raise SweepError(
            f"asked for {region}, but {', '.join(sorted(answering)) or 'no region'} answers:"
            " look at AWS_ENDPOINT_URL and the profile's endpoint_url"
        )
    if expected and id != expected:
        raise SweepError(
            f"the credentials are of account {id}, not of {expected}: choose another AWS_PROFILE"
        )
    return account


def cluster_status(account: Account, cluster: str) -> str | None:
    """Status of the cluster; None if EKS does not know it. Raises SweepError if EKS does not
    answer.
    """
    eks = account.client("eks")
    try:
        return eks.describe_cluster(name=cluster)["cluster"]["status"]
    except eks.exceptions.ResourceNotFoundException:
        return None
    except AWS_ERRORS as error:
        raise SweepError(
            f"whether the cluster {cluster} exists cannot be seen: {error}."
            " The sweep needs the right eks:DescribeCluster"
        ) from error


def refuse_if_cluster_exists(account: Account, cluster: str) -> None:
    """Raises SweepError if EKS knows the cluster, in whatever status, or does not answer."""
    if status := cluster_status(account, cluster):
        raise SweepError(
            f"the cluster {cluster} exists ({status}) in {account.region}: what it uses is no"
            " leftover. Run `pulumi destroy` first, or give the stack's state (--state) to find"
            " what an `up` that was broken off has left"
        )


def _default_region() -> str | None:
    try:
        session: Any = boto3.Session()
        return session.region_name
    except BotoCoreError as error:
        raise SweepError(f"{error}: choose another AWS_PROFILE") from error
